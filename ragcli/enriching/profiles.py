"""Rebuilds the profiles of entities and pairs that occur in changed documents.

gather fragments -> summarise where there are many -> embed -> write
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ragcli.graph.profile import Fragments, extractive, fragments, joined, top_keywords, vote
from ragcli.models.model_set import ModelSet
from ragcli.search.vector_cache import keep_vectors
from ragcli.store.profiles import (
    FRAGMENTS,
    EntityProfile,
    EntitySaid,
    PairSaid,
    RelationProfile,
    Theme,
    TouchedProfiles,
)
from ragcli.store.writer import StoreWriter
from ragcli.types import Event, Report


@dataclass(frozen=True, slots=True)
class ProfileText:
    """The text of a profile, and what wrote it."""

    text: str
    by: str


# Fragments that are many -> one text each.
Summarise = Callable[[Sequence[Fragments]], Sequence[ProfileText]]


def by_sentences(parts: Fragments) -> ProfileText:
    """A summary by the fragments' own sentences."""
    return ProfileText(extractive(parts), "extractive")


def extractively(many: Sequence[Fragments]) -> list[ProfileText]:
    """Summaries without a language model."""
    return [by_sentences(parts) for parts in many]


def remake(
    store: StoreWriter,
    models: ModelSet,
    touched: TouchedProfiles,
    report: Report,
    summarise: Summarise = extractively,
) -> None:
    """Rebuild the touched profiles, inside the caller's transaction."""
    entities, pairs = list(touched.entities()), list(touched.pairs())
    if not entities and not pairs:
        return
    report(Event("profiles", 0, len(entities) + len(pairs)))
    texts = profile_texts(models, entities, pairs, summarise)
    store.profiles.drop(entities, pairs)
    store.profiles.add(
        _entity_profiles(store, models, entities, texts[: len(entities)]),
        _relation_profiles(store, models, pairs, texts[len(entities) :]),
    )


def profile_texts(
    models: ModelSet,
    entities: Sequence[EntitySaid],
    pairs: Sequence[PairSaid],
    summarise: Summarise,
) -> list[ProfileText]:
    """The text of each profile, entities first."""
    about = [fragments(e.name, e.texts) for e in entities]
    about += [fragments(p.name, p.texts) for p in pairs]
    many = [parts.are_many(lambda text: len(models.offsets(text))) for parts in about]
    written = iter(summarise([parts for parts, m in zip(about, many, strict=True) if m]))
    return [
        next(written) if is_many else ProfileText(joined(parts), FRAGMENTS)
        for parts, is_many in zip(about, many, strict=True)
    ]


def _entity_profiles(
    store: StoreWriter,
    models: ModelSet,
    entities: Sequence[EntitySaid],
    texts: Sequence[ProfileText],
) -> list[EntityProfile]:
    kept = [(e, t) for e, t in zip(entities, texts, strict=True) if e.texts or e.types]
    embedded = [f"{e.name}: {t.text}" if t.text else e.name for e, t in kept]
    keys = keep_vectors(store, models, embedded)
    return [
        EntityProfile(e.row, vote(e.types), t.text, t.by, key)
        for (e, t), key in zip(kept, keys, strict=True)
    ]


def _relation_profiles(
    store: StoreWriter,
    models: ModelSet,
    pairs: Sequence[PairSaid],
    texts: Sequence[ProfileText],
) -> list[RelationProfile]:
    """Profiles of pairs, each with a vector of its text and one of each keyword."""
    kept = [
        (p, top_keywords(p.keywords), t) for p, t in zip(pairs, texts, strict=True) if p.strength
    ]
    embedded = [t.text or ", ".join(words) or p.name for p, words, t in kept]
    keys = keep_vectors(store, models, embedded)
    words_ = list(dict.fromkeys(word for _, words, _ in kept for word in words))
    themes = {
        word: Theme(word, key)
        for word, key in zip(words_, keep_vectors(store, models, words_), strict=True)
    }
    return [
        RelationProfile(
            p.a, p.b, p.strength, t.text, t.by, key, tuple(themes[word] for word in words)
        )
        for (p, words, t), key in zip(kept, keys, strict=True)
    ]
