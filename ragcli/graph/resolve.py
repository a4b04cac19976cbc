"""One entity, many spellings: mentions of one document become entities.

Names meet under their normalised key. Inside a document a single name also stands for the one
person whose full name holds it ("Elizabeth" for "Elizabeth Bennet"), and an acronym for the one
name it abbreviates; when two candidates exist it stays itself. Everything depends on the
document's own mentions only, so a document contributes the same whatever stands beside it.
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
    """A mention under its entity. ``part`` numbers the extraction, ``sentence`` counts inside it.

    ``label`` is "" for a common noun; ``own`` is False where an alias led to the entity.
    ``start``/``end`` count from the start of the part's text.
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
    """Resolve one document's extractions; returns mentions and alias key -> entity key."""
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
    """The key of a mention by itself, before any alias; "" when no word is left of it."""
    if not mention.label:
        return normalise(mention.lemma)
    return person_key(mention.text) if mention.label == "PERSON" else normalise(mention.text)


def _vote(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Key -> the label most of its mentions carry; a name beats a noun; ties by name."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for key, label in pairs:
        votes[key][label] += 1
    return {key: winner(counts) for key, counts in votes.items()}


def winner(counts: dict[str, int]) -> str:
    """The most frequent real label, ties alphabetically; "" when only nouns voted."""
    return min(((-n, label) for label, n in counts.items() if label), default=(0, ""))[1]


def _name_parts(labels: dict[str, str]) -> dict[str, str]:
    """First and last names that belong to exactly one full name of a person here."""
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
    """Short all-capital names that are the initials of exactly one longer name here."""
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
    """The runs of ``texts[part]`` as unlabelled mentions, but for those that ``mentions`` has."""
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
