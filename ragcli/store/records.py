"""Rows of chunks and nodes as records, and the chunks of a document."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from ragcli.types import Chunk, Node, Passage

CHUNK_COLUMNS = (
    'c.id, d.doc, c.ordinal, c.start, c."end", c.owned, c.line_start, c.line_end,'
    " c.heading, plain_text(c.text), c.tokens, c.page, c.extraction"
)
"""Of chunks c and their documents d, as ``chunk_record`` takes them; others may follow."""

NODE = 'n.id, n.level, n.kind, n.doc, n.title, plain_text(n.text), n.children, n."by"'
"""Of nodes n, as ``node`` takes them."""


def chunk_id(doc: str, ordinal: int) -> str:
    """The id of a chunk, stable across machines."""
    return f"{doc}@{ordinal}"


def chunk_record(row: Sequence[Any], passages: tuple[Passage, ...] = ()) -> Chunk:
    """A chunk from the columns CHUNK_COLUMNS."""
    _, doc, ordinal, start, end, owned, first, last, heading, text, tokens, page, *_ = row
    return Chunk(
        id=chunk_id(doc, ordinal),
        doc=doc,
        ordinal=ordinal,
        start=start,
        end=end,
        owned=owned,
        line_start=first,
        line_end=last,
        heading=heading,
        text=text,
        tokens=tokens,
        passages=passages,
        page=page,
    )


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A stored chunk: its row, the rows of its passages, and the extraction and findings.

    ``extraction`` and ``findings`` are packed (``extract.codec``); ``findings`` None: no model has
    read the chunk.
    """

    row: int
    chunk: Chunk
    passage_rows: tuple[int, ...]
    extraction: bytes
    findings: bytes | None


def chunks_of(db: sqlite3.Connection, docrow: int, views: str = "") -> list[StoredChunk]:
    """The chunks of a document, in order; ``views`` "live_": as a reader sees it."""
    passages: dict[int, dict[int, Passage]] = {}
    for chunk, row, start, end in db.execute(
        f'SELECT chunk, id, start, "end" FROM {views}passages WHERE doc = ? ORDER BY id', (docrow,)
    ):
        passages.setdefault(chunk, {})[row] = Passage(start, end)
    found = []
    join = "JOIN" if views else "LEFT JOIN"  # readers do without what is damaged
    for *columns, extraction, findings in db.execute(
        f"SELECT {CHUNK_COLUMNS}, plain_data(x.data), plain_data(f.data) FROM {views}chunks c"
        f" JOIN {views}documents d ON d.id = c.doc {join} extractions x ON x.hash = c.extraction"
        " LEFT JOIN extractions f ON f.hash = c.findings WHERE c.doc = ? ORDER BY c.ordinal",
        (docrow,),
    ):
        own = passages.get(columns[0], {})
        chunk = chunk_record(columns, tuple(own.values()))
        found.append(StoredChunk(columns[0], chunk, tuple(own), extraction, findings))
    return found


def node(row: Sequence[Any]) -> Node:
    """A node from the columns NODE."""
    id_, level, kind, doc, title, text, children, by = row
    return Node(id_, level, kind, doc, title, text, tuple(orjson.loads(children)), by)
