"""Rows of chunks and nodes as records."""

from __future__ import annotations

from collections.abc import Sequence
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


def node(row: Sequence[Any]) -> Node:
    """A node from the columns NODE."""
    id_, level, kind, doc, title, text, children, by = row
    return Node(id_, level, kind, doc, title, text, tuple(orjson.loads(children)), by)
