"""Profiles in line with what is said: those of entities and pairs in changed documents made anew.

gather what is said -> sum up where it is much -> embed -> write
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence

from ragcli.graph.profile import Fragments, extractive, fragments, joined, top_keywords, vote
from ragcli.models.model_set import ModelSet
from ragcli.search.vector_cache import keep_vectors
from ragcli.store.profiles import (
    FRAGMENTS,
    EntityProfile,
    EntitySaid,
    PairSaid,
    RelationProfile,
    TouchedProfiles,
    drop,
    write,
)
from ragcli.store.writer import StoreWriter
from ragcli.text.sentences import sentences
from ragcli.types import Event, Report

# Fragments that are many -> one text each, and what wrote it.
Summarise = Callable[[Sequence[Fragments]], Sequence[tuple[str, str]]]


def extractively(many: Sequence[Fragments]) -> list[tuple[str, str]]:
    """Summaries without a language model."""
    return [(extractive(parts, sentences), "extractive") for parts in many]


def remake(
    db: sqlite3.Connection,
    tools: ModelSet,
    touched: TouchedProfiles,
    report: Report,
    summarise: Summarise = extractively,
) -> None:
    """Make the profiles of what was touched anew, inside the caller's transaction."""
    entities, pairs = list(touched.entities()), list(touched.pairs())
    if not entities and not pairs:
        return
    report(Event("profiles", 0, len(entities) + len(pairs)))
    texts = profile_texts(tools, entities, pairs, summarise)
    drop(db, [e.row for e in entities], [(p.a, p.b) for p in pairs])
    write(
        db,
        _entity_profiles(db, tools, entities, texts[: len(entities)]),
        _relation_profiles(db, tools, pairs, texts[len(entities) :]),
    )


def profile_texts(
    tools: ModelSet,
    entities: Sequence[EntitySaid],
    pairs: Sequence[PairSaid],
    summarise: Summarise,
) -> list[tuple[str, str]]:
    """The text of each profile, entities first, and what wrote it."""
    about = [fragments(e.name, e.texts) for e in entities]
    about += [fragments(p.name, p.texts) for p in pairs]
    many = [parts.are_many(lambda text: len(tools.offsets(text))) for parts in about]
    written = iter(summarise([parts for parts, m in zip(about, many, strict=True) if m]))
    return [
        next(written) if is_many else (joined(parts), FRAGMENTS)
        for parts, is_many in zip(about, many, strict=True)
    ]


def _entity_profiles(
    db: sqlite3.Connection,
    tools: ModelSet,
    entities: Sequence[EntitySaid],
    texts: Sequence[tuple[str, str]],
) -> list[EntityProfile]:
    kept = [(e, *t) for e, t in zip(entities, texts, strict=True) if e.texts or e.types]
    keys = keep_vectors(
        StoreWriter(db), tools, [f"{e.name}: {t}" if t else e.name for e, t, _ in kept]
    )
    return [
        EntityProfile(e.row, vote(e.types), text, by, key)
        for (e, text, by), key in zip(kept, keys, strict=True)
    ]


def _relation_profiles(
    db: sqlite3.Connection,
    tools: ModelSet,
    pairs: Sequence[PairSaid],
    texts: Sequence[tuple[str, str]],
) -> list[RelationProfile]:
    """Each is found by its text, and by each of its keywords."""
    kept = [
        (p, top_keywords(p.keywords), *t) for p, t in zip(pairs, texts, strict=True) if p.strength
    ]
    keys = keep_vectors(
        StoreWriter(db), tools, [text or ", ".join(words) or p.name for p, words, text, _ in kept]
    )
    themes = list(dict.fromkeys(word for _, words, _, _ in kept for word in words))
    vectors = dict(zip(themes, keep_vectors(StoreWriter(db), tools, themes), strict=True))
    return [
        RelationProfile(p.a, p.b, p.strength, t, by, key, tuple((w, vectors[w]) for w in words))
        for (p, words, t, by), key in zip(kept, keys, strict=True)
    ]
