"""Records of extraction: mentions, entities and relations, and their sums for one document."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mention:
    """One occurrence of a name or noun. Offsets count from the start of the extracted text.

    ``label`` is PERSON, ORG, LOC, EVENT, WORK, MISC, or "" for a common noun.
    ``lemma`` is the lower-cased lemma of a noun, and the surface form of a name.
    ``sentence`` is the ordinal of the sentence in the extracted text.
    """

    start: int
    end: int
    text: str
    lemma: str
    label: str
    sentence: int


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation between two named entities, as a language model describes it.

    ``weight`` is its strength, 1 to 10. ``keywords`` are the themes that it belongs to.
    """

    source: str
    target: str
    keywords: tuple[str, ...]
    description: str
    weight: int = 1


@dataclass(frozen=True, slots=True)
class EntityDescription:
    """An entity as a language model describes it. ``name`` is spelled as in the text."""

    name: str
    type: str
    description: str


@dataclass(frozen=True, slots=True)
class Findings:
    """The entities and relations that a language model found in the owned text of one chunk.

    ``by`` names the model and the prompt. ``problem`` is the reason why reading the chunk failed,
    "" when it succeeded. ``dropped`` are (reason, count) of the model's statements that the text
    does not support. ``placed``: the findings were recorded for one position in a document, not
    for every occurrence of its text.
    """

    entities: tuple[EntityDescription, ...] = ()
    relations: tuple[Relation, ...] = ()
    by: str = ""
    problem: str = ""
    dropped: tuple[tuple[str, int], ...] = ()
    placed: bool = False


@dataclass(frozen=True, slots=True)
class Extraction:
    """The mentions that an extractor found in one text. ``by`` names the extractor."""

    mentions: tuple[Mention, ...]
    by: str = "spacy"


@dataclass(frozen=True, slots=True)
class Contribution:
    """The counts that one document adds to the graph. They can be subtracted again.

    - ``names``: (entity key, surface, label, whether the surface is the key's own spelling) ->
      count.
    - ``aliases``: (alias key, entity key) pairs.
    - ``edges``: (a, b) with a < b -> (weight, sentences). A described relation adds weight, but
      no sentence.
    - ``chunks``: per chunk ordinal, entity key -> mentions in that chunk, overlap included.
    - ``passages``: the same per passage, in order, for names and capitalised runs only.
    - ``titles``: keys of the names in the document's title, which belong to each of its passages.
    - ``descriptions`` and ``statements``: (chunk ordinal, a language model's description or
      relation), with entity keys for names.
    """

    names: dict[tuple[str, str, str, bool], int]
    aliases: frozenset[tuple[str, str]]
    edges: dict[tuple[str, str], tuple[int, int]]
    chunks: tuple[dict[str, int], ...]
    passages: tuple[dict[str, int], ...] = ()
    titles: tuple[str, ...] = ()
    descriptions: tuple[tuple[int, EntityDescription], ...] = ()
    statements: tuple[tuple[int, Relation], ...] = ()
