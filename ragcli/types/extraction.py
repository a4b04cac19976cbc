"""What is found in text: by the English pipeline, by a language model, and what it adds up to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mention:
    """One occurrence of a name or noun: offsets count from the start of the extracted text.

    ``label`` is PERSON, ORG, LOC, EVENT, WORK, MISC, or "" for a common noun;
    ``lemma`` is the lower-cased lemma for nouns and the surface for names;
    ``sentence`` is the ordinal of its sentence inside the extracted text.
    """

    start: int
    end: int
    text: str
    lemma: str
    label: str
    sentence: int


@dataclass(frozen=True, slots=True)
class Relation:
    """A described relation between two named entities, as a language model gives it.

    ``weight`` is its strength, 1 to 10; ``keywords`` are themes it belongs to.
    """

    source: str
    target: str
    keywords: tuple[str, ...]
    description: str
    weight: int = 1


@dataclass(frozen=True, slots=True)
class EntityDescription:
    """An entity as a language model describes it; ``name`` as it stands in the text."""

    name: str
    type: str
    description: str


@dataclass(frozen=True, slots=True)
class Findings:
    """What a language model found in the owned text of one chunk. ``by`` names model and prompt.

    ``problem``: why nothing was found ("" when something was, or there was nothing to find).
    ``dropped``: (reason, number) of what the model said and the text does not bear out.
    ``placed``: they were recorded for a place in a document, not for its text wherever it stands.
    """

    entities: tuple[EntityDescription, ...] = ()
    relations: tuple[Relation, ...] = ()
    by: str = ""
    problem: str = ""
    dropped: tuple[tuple[str, int], ...] = ()
    placed: bool = False


@dataclass(frozen=True, slots=True)
class Extraction:
    """The mentions that an extractor found in one stretch of text. ``by`` names the extractor."""

    mentions: tuple[Mention, ...]
    by: str = "spacy"


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one document adds to the graph, as counts that can be added and taken away again.

    ``names``: (entity key, surface, label, whether the surface is the key's own spelling) -> count;
    ``aliases``: (alias key, entity key) pairs; ``edges``: (a, b) with a < b -> (weight, sentences),
    described relations weighing in but standing in no sentence of their own;
    ``chunks``: per chunk ordinal, entity key -> mentions inside that chunk, overlap included;
    ``passages``: the same per passage, in order, names and capitalised runs only; ``titles``: keys
    of the names in the document's title, which belong to each of its passages; ``descriptions``
    and ``statements``: (chunk ordinal, what a language model says there, of keys for names).
    """

    names: dict[tuple[str, str, str, bool], int]
    aliases: frozenset[tuple[str, str]]
    edges: dict[tuple[str, str], tuple[int, int]]
    chunks: tuple[dict[str, int], ...]
    passages: tuple[dict[str, int], ...] = ()
    titles: tuple[str, ...] = ()
    descriptions: tuple[tuple[int, EntityDescription], ...] = ()
    statements: tuple[tuple[int, Relation], ...] = ()
