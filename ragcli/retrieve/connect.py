"""How two entities connect: the shortest way through the graph, with the sentences that make it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from ragcli.extract.codec import unpack, unpack_findings
from ragcli.graph.contribution import mentions_in
from ragcli.retrieve.space import Space
from ragcli.store import read
from ragcli.store.content_cache import content
from ragcli.text.sentences import sentences
from ragcli.types import Chunk


@dataclass(frozen=True, slots=True)
class Link:
    """One step of a way: two entities, and a sentence that names both.

    ``sentence == document.text[start:end]``; ``sentences`` counts all that name both. ``doc`` is ""
    where none does; then ``sentence`` is what a language model says of the two, if anything.
    """

    source: str
    target: str
    sentences: int
    doc: str
    start: int
    end: int
    line: int
    sentence: str


def connect(space: Space, a: int, b: int) -> list[Link] | None:
    """The links of the shortest way between two entity rows, None when there is no way.

    Common nouns connect everything with everything, so a way over names may be a little longer;
    of equally short ways the one with the strongest edges is taken.
    """
    nouns = {row for (row,) in space.db.execute("SELECT id FROM entities WHERE kind = 'noun'")}
    rows = space.graph.shortest_path(a, b, nouns)
    if rows is None:
        return None
    return [_link(space, x, y) for x, y in pairwise(rows)]


def _link(space: Space, a: int, b: int) -> Link:
    first, second = space.names_of([a, b])
    low, high = sorted((a, b))
    count = space.db.execute(
        "SELECT count FROM relations WHERE a = ? AND b = ?", (low, high)
    ).fetchone()[0]
    keys = [read.entity_by_row(space.db, row).key for row in (a, b)]
    here = space.chunks_with(a)
    shared = sorted(here.keys() & space.chunks_with(b).keys(), key=lambda c: (-here[c], c))
    for row in shared:
        if found := _sentence(space, row, keys):
            chunk, start, end = found
            text = chunk.text[start - chunk.start : end - chunk.start]
            line = min(
                chunk.line_start + chunk.text.count("\n", 0, start - chunk.start), chunk.line_end
            )
            return Link(first, second, count, chunk.doc, start, end, line, text)
    said = space.db.execute(
        "SELECT text FROM relation_profiles WHERE a = ? AND b = ?", (low, high)
    ).fetchone()
    return Link(first, second, count, "", 0, 0, 0, said[0] if said else "")


def _sentence(space: Space, row: int, keys: list[str]) -> tuple[Chunk, int, int] | None:
    """The first sentence of a chunk's own part that names both keys: (chunk, start, end)."""
    docrow = space.db.execute("SELECT doc FROM chunks WHERE id = ?", (row,)).fetchone()[0]
    chunks = read.chunks_of(space.db, docrow)
    parts = [c.text[c.owned - c.start :] for _, c, _ in chunks]
    found = [unpack_findings(f) if f else None for f in read.findings_of(space.db, docrow)]
    extractions = [
        unpack(content(space.db, "extractions", key), part)
        for (_, _, key), part in zip(chunks, parts, strict=True)
    ]
    mentions = mentions_in([c for _, c, _ in chunks], extractions, found)
    at = next(i for i, (chunk_row, _, _) in enumerate(chunks) if chunk_row == row)
    named = [{m.sentence for m in mentions if m.part == at and m.key == key} for key in keys]
    for number in sorted(named[0] & named[1]):
        start, end = sentences(parts[at])[number]
        owned = chunks[at][1].owned
        return chunks[at][1], owned + start, owned + end
    return None
