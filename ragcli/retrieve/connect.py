"""How two entities connect: the shortest path in the graph, with the sentences on it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from ragcli.extract.codec import unpack, unpack_findings
from ragcli.graph.contribution import mentions_in
from ragcli.search.search_index import SearchIndex
from ragcli.text.sentences import sentences
from ragcli.types import Chunk
from ragcli.types.places import line_in


@dataclass(frozen=True, slots=True)
class Link:
    """One step of a path: two entities, and a sentence that names both.

    ``sentence == document.text[start:end]``; ``sentences`` counts all sentences that name both. If
    there is none, ``doc`` is "" and ``sentence`` is a language model's statement, if any.
    """

    source: str
    target: str
    sentences: int
    doc: str
    start: int
    end: int
    line: int
    sentence: str


def connect(index: SearchIndex, a: int, b: int) -> list[Link] | None:
    """The links of the shortest path between two entity rows, None if there is no path.

    Common nouns connect nearly all entities, so a path over names may be slightly longer. Among
    paths of equal length, the one with the strongest edges is returned.
    """
    rows = index.graph.shortest_path(a, b, index.snapshot.entities.nouns())
    if rows is None:
        return None
    return [_link(index, x, y) for x, y in pairwise(rows)]


def _link(index: SearchIndex, a: int, b: int) -> Link:
    entities, chunks = index.snapshot.entities, index.snapshot.chunks
    names = entities.names((a, b))
    relation = entities.relation(a, b)
    assert relation is not None, "a step of a path is a relation"
    keys = [entities.key(row) for row in (a, b)]
    here = chunks.mentioning(a)
    shared = sorted(here.keys() & chunks.mentioning(b).keys(), key=lambda c: (-here[c], c))
    for row in shared:
        if found := _sentence(index, row, keys):
            chunk, start, end = found
            text = chunk.text[start - chunk.start : end - chunk.start]
            lines = chunk.line_start, chunk.line_end
            line = line_in(chunk.text, chunk.start, lines, chunks.lines(row, start, end), start)
            place = (chunk.doc, start, end, line, text)
            return Link(names[a], names[b], relation.sentences, *place)
    said = index.snapshot.profiles.relation_text(a, b)
    return Link(names[a], names[b], relation.sentences, "", 0, 0, 0, said or "")


def _sentence(index: SearchIndex, row: int, keys: list[str]) -> tuple[Chunk, int, int] | None:
    """The first sentence of a chunk's owned text that names both keys: (chunk, start, end)."""
    analysed = index.snapshot.chunks.document_of(row)
    parts = [c.chunk.text[c.chunk.owned - c.chunk.start :] for c in analysed]
    found = [unpack_findings(c.findings) if c.findings else None for c in analysed]
    extractions = [unpack(c.extraction, part) for c, part in zip(analysed, parts, strict=True)]
    mentions = mentions_in([c.chunk for c in analysed], extractions, found)
    at = next(i for i, c in enumerate(analysed) if c.row == row)
    named = [{m.sentence for m in mentions if m.part == at and m.key == key} for key in keys]
    for number in sorted(named[0] & named[1]):
        start, end = sentences(parts[at])[number]
        chunk = analysed[at].chunk
        return chunk, chunk.owned + start, chunk.owned + end
    return None
