"""Resolves the mentions of one document to entities.

Names with the same normalised key are one entity. Within a document a single name also refers to
the one person whose full name contains it ("Elizabeth" to "Elizabeth Bennet"), and an acronym to
the one name that it abbreviates. If there are two candidates, it is an entity of its own. The
result depends only on the document's own mentions, so other documents do not change a document's
contribution.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ragcli.text.markup import blank_noise
from ragcli.text.names import acronym_of, capitalised_runs, normalise, person_key
from ragcli.text.sentences import sentences
from ragcli.types import Extraction, Mention

MAX_KEY_CHARS = 120


@dataclass(frozen=True, slots=True)
class Resolved:
    """A mention with its entity key.

    ``part`` is the number of the extraction, and ``sentence`` the ordinal within it. ``label`` is
    "" for a common noun. ``own`` is False if an alias resolved to the entity. ``start`` and
    ``end`` count from the start of the part's text.
    """

    part: int
    sentence: int
    start: int
    end: int
    key: str
    surface: str
    label: str
    own: bool = True


def resolve(extractions: Sequence[Extraction]) -> tuple[list[Resolved], dict[str, str]]:
    """Resolve one document's extractions; return the mentions, and alias key -> entity key."""
    keyed = [
        (part, mention, mention_key(mention))
        for part, extraction in enumerate(extractions)
        for mention in extraction.mentions
    ]
    keyed = [(p, m, k) for p, m, k in keyed if k and len(k) <= MAX_KEY_CHARS]
    labels = _vote((k, m.label) for _, m, k in keyed)
    aliases = _name_parts(labels) | _acronyms(m for _, m, _ in keyed if m.label)
    out = []
    for part, mention, key in keyed:
        entity = aliases.get(key, key)
        out.append(_resolved(part, mention, entity, labels[entity], entity == key))
    return out, aliases


def _resolved(part: int, mention: Mention, entity: str, label: str, own: bool) -> Resolved:
    where = (part, mention.sentence, mention.start, mention.end)
    return Resolved(*where, entity, mention.text, label, own)


def mention_key(mention: Mention) -> str:
    """Return the key of a mention before aliases are applied; "" if no word remains."""
    if not mention.label:
        return normalise(mention.lemma)
    return person_key(mention.text) if mention.label == "PERSON" else normalise(mention.text)


def _vote(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return key -> the most frequent label of its mentions; names win over nouns; ties by name."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for key, label in pairs:
        votes[key][label] += 1
    return {key: winner(counts) for key, counts in votes.items()}


def winner(counts: dict[str, int]) -> str:
    """Return the most frequent non-empty label, ties alphabetically; "" if there is none."""
    return min(((-n, label) for label, n in counts.items() if label), default=(0, ""))[1]


def _name_parts(labels: dict[str, str]) -> dict[str, str]:
    """Return first and last names that belong to exactly one person's full name here."""
    owners: dict[str, set[str]] = defaultdict(set)
    for key, label in labels.items():
        words = key.split()
        if label == "PERSON" and 2 <= len(words) <= 4:
            for part in {words[0], words[-1]}:
                if len(part) > 2:
                    owners[part].add(key)
    return {
        part: next(iter(full))
        for part, full in owners.items()
        if len(full) == 1 and labels.get(part, "PERSON") == "PERSON"
    }


def _acronyms(mentions: Iterable[Mention]) -> dict[str, str]:
    """Return short all-capital names that are the initials of exactly one longer name here."""
    short: set[str] = set()
    initials: dict[str, set[str]] = defaultdict(set)
    for mention in mentions:
        text = mention.text
        if text.isupper() and 2 <= len(text) <= 6 and text.isalpha():
            short.add(text.casefold())
        elif mention.label != "PERSON" and " " in text:
            initials[acronym_of(text)].add(mention_key(mention))
    return {a: next(iter(initials[a])) for a in short if len(initials.get(a, ())) == 1}


def run_mentions(
    texts: Sequence[str], mentions: Sequence[Resolved], aliases: Mapping[str, str]
) -> list[Resolved]:
    """Return capitalised runs of ``texts[part]`` as unlabelled mentions, without known ones."""
    known = {(m.part, m.start, m.end) for m in mentions if m.label}
    found = []
    for part, text in enumerate(texts):
        clean = blank_noise(text)
        for ordinal, (first, last) in enumerate(sentences(clean)):
            for start, end in capitalised_runs(clean[first:last]):
                surface = clean[first + start : first + end]
                key = normalise(surface)
                where = (part, ordinal, first + start, first + end)
                if 1 < len(key) <= MAX_KEY_CHARS and (part, *where[2:]) not in known:
                    entity = aliases.get(key, key)
                    found.append(Resolved(*where, entity, surface, "", entity == key))
    return found
