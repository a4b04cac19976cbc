"""Turns a language model's findings in a chunk into mentions beside those of the English pipeline.

Every occurrence of a name in the text is a mention (``locate``), so resolution, co-occurrence and
sums treat these mentions like all others. Descriptions of entities and pairs refer to the chunk
and to the keys that the names resolve to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragcli.graph.cooccurrence import SCALE, Edge
from ragcli.graph.resolve import MAX_KEY_CHARS, mention_key
from ragcli.text.names import locate, normalise
from ragcli.text.sentences import sentences
from ragcli.text.spans import index_at
from ragcli.text.words import one_line
from ragcli.types import EntityDescription, Extraction, Findings, Mention, Relation

# A strength of 10 weighs as much as two sentences that name only the pair.
MAX_STRENGTH = 10
# The start of ``Findings.by`` if only the model's own names count.
ALONE = "light."

_LABELS = {
    "person": "PERSON",
    "people": "PERSON",
    "organization": "ORG",
    "organisation": "ORG",
    "location": "LOC",
    "place": "LOC",
    "event": "EVENT",
    "work": "WORK",
}


@dataclass(frozen=True, slots=True)
class ChunkMentions:
    """The mentions of one chunk, including a language model's; ``keys``: name -> key."""

    extraction: Extraction
    keys: dict[str, str]


def label_of(type_: str, surface: str) -> str:
    """Return the label of an entity type; "" (a common noun) if ``surface`` has no capital.

    >>> label_of("person", "Ann Lee"), label_of("method", "Gleaning"), label_of("concept", "tide")
    ('PERSON', 'MISC', '')
    """
    if not any(map(str.isupper, surface)):
        return ""
    return _label(type_) or "MISC"


def _label(type_: str) -> str:
    """Return the label that corresponds to a type, "" if none does."""
    return _LABELS.get(type_.strip().casefold(), "")


def is_alone(findings: Findings | None) -> bool:
    """Return whether only a model read the chunk (``--mode light``), and successfully."""
    return findings is not None and findings.by.startswith(ALONE) and not findings.problem


def place(text: str, extraction: Extraction, findings: Findings | None) -> ChunkMentions:
    """Merge the mentions that an extractor and a language model found in one text.

    If both found the same span, the model's type is used, unless it is vague. A noun inside a name
    that the model found is part of that name.
    """
    if findings is None:
        return ChunkMentions(extraction, {})
    if is_alone(findings):
        extraction = Extraction((), findings.by)
    known = {(m.start, m.end): m for m in extraction.mentions}
    types = _types(findings, [m.text for m in known.values() if m.label == "PERSON"])
    spans = locate(text, types)
    starts = [start for start, _ in sentences(text)]
    given: dict[tuple[int, int], Mention] = {}
    keys: dict[str, str] = {}
    for name in spans:
        for span in spans[name]:
            mention = given.setdefault(span, _mention(text, span, types[name], starts, known))
            keys.setdefault(name, mention_key(mention))
    kept = [m for m in extraction.mentions if not _covered(m, given)]
    merged = sorted([*kept, *given.values()], key=lambda m: (m.start, m.end))
    return ChunkMentions(Extraction(tuple(merged), extraction.by), keys)


def _types(findings: Findings, persons: Sequence[str]) -> dict[str, str]:
    """Return name -> type. An untyped word that begins or ends a person's name is a person."""
    types = {e.name: e.type for e in findings.entities}
    for relation in findings.relations:
        types.setdefault(relation.source, "")
        types.setdefault(relation.target, "")
    people = [*persons, *(name for name, type_ in types.items() if _label(type_) == "PERSON")]
    parts = {w for name in people if (ws := name.casefold().split()) for w in (ws[0], ws[-1])}
    return {
        name: "person" if not _label(type_) and name.casefold() in parts else type_
        for name, type_ in types.items()
    }


def _mention(
    text: str,
    span: tuple[int, int],
    type_: str,
    starts: Sequence[int],
    known: Mapping[tuple[int, int], Mention],
) -> Mention:
    surface = one_line(text[slice(*span)])
    there = known.get(span)
    if there is not None and (there.label or surface.islower()) and not _label(type_):
        return there  # the English pipeline has its label or its lemma
    label = label_of(type_, surface)
    sentence = index_at(starts, span[0])
    return Mention(*span, surface, surface if label else surface.casefold(), label, sentence)


def _covered(mention: Mention, given: Mapping[tuple[int, int], Mention]) -> bool:
    if (mention.start, mention.end) in given:
        return True
    return not mention.label and any(s <= mention.start and mention.end <= e for s, e in given)


class Said:
    """Collects a model's statements about the chunks of one document, under resolved keys."""

    def __init__(self, aliases: Mapping[str, str], titles: Sequence[str]) -> None:
        self._aliases = aliases
        self._titles = set(titles)
        self.descriptions: list[tuple[int, EntityDescription]] = []
        self.statements: list[tuple[int, Relation]] = []
        self.weights: dict[Edge, int] = {}

    def take(self, part: int, placed: ChunkMentions, findings: Findings) -> None:
        """Add the findings of chunk ``part``, without those whose names are not in the text."""
        for entity in findings.entities:
            if key := self._key(entity.name, placed):
                text = one_line(entity.description)
                said = EntityDescription(key, entity.type.strip().casefold(), text)
                self.descriptions.append((part, said))
        for relation in findings.relations:
            ends = self._key(relation.source, placed), self._key(relation.target, placed)
            if not all(ends) or ends[0] == ends[1]:
                continue
            strength = min(max(relation.weight, 1), MAX_STRENGTH)
            keywords = tuple(dict.fromkeys(one_line(k) for k in relation.keywords))
            text = one_line(relation.description)
            self.statements.append((part, Relation(*ends, keywords, text, strength)))
            a, b = sorted(ends)
            self.weights[a, b] = self.weights.get((a, b), 0) + SCALE * strength // MAX_STRENGTH

    def _key(self, name: str, placed: ChunkMentions) -> str:
        """Return the entity key of a name; "" if it is neither in the text nor in the title."""
        key = placed.keys.get(name) or normalise(name)
        if name not in placed.keys and key not in self._titles:
            return ""
        return self._aliases.get(key, key) if len(key) <= MAX_KEY_CHARS else ""
