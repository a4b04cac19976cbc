"""Reading rows back as records. Functions take a connection; the caller holds the transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

import orjson

from ragcli.types import Chunk, Node, Passage

CHUNK_COLUMNS = (
    'c.id, d.doc, c.ordinal, c.start, c."end", c.owned, c.line_start, c.line_end,'
    " c.heading, c.text, c.tokens, c.page, c.extraction"
)
"""Of chunks c and their documents d, as ``chunk_record`` takes them; others may follow."""

_CHUNK = f"SELECT {CHUNK_COLUMNS} FROM chunks c JOIN documents d ON d.id = c.doc"


def chunk_id(doc: str, ordinal: int) -> str:
    """The id of a chunk, stable across machines."""
    return f"{doc}@{ordinal}"


def chunk_record(row: Sequence[object], passages: tuple[Passage, ...] = ()) -> Chunk:
    """A chunk from the columns CHUNK_COLUMNS."""
    _, doc, ordinal, start, end, owned, first, last, heading, text, tokens, page, *_ = row
    return Chunk(
        chunk_id(str(doc), int(ordinal)),  # type: ignore[call-overload]
        *(doc, ordinal, start, end, owned, first, last, heading, text, tokens),  # type: ignore[arg-type]
        passages=passages,
        page=page,  # type: ignore[arg-type]
    )


def chunks_of(db: sqlite3.Connection, docrow: int) -> list[tuple[int, Chunk, bytes]]:
    """(row id, chunk with its passages, extraction hash) of a document, in order."""
    passages: dict[int, list[Passage]] = {}
    for chunk, start, end in db.execute(
        'SELECT chunk, start, "end" FROM passages WHERE doc = ? ORDER BY id', (docrow,)
    ):
        passages.setdefault(chunk, []).append(Passage(start, end))
    rows = db.execute(f"{_CHUNK} WHERE c.doc = ? ORDER BY c.ordinal", (docrow,))
    return [(r[0], chunk_record(r, tuple(passages.get(r[0], ()))), r[12]) for r in rows]


def findings_of(db: sqlite3.Connection, docrow: int) -> list[bytes | None]:
    """What a language model found in each chunk of a document, packed; None: it was not asked."""
    rows = db.execute(
        "SELECT x.data FROM chunks c LEFT JOIN extractions x ON x.hash = c.findings"
        " WHERE c.doc = ? ORDER BY c.ordinal",
        (docrow,),
    )
    return [data for (data,) in rows]


def node(row: Sequence[object]) -> Node:
    """A node from the columns id, level, kind, doc, title, text, children, by."""
    id_, level, kind, doc, title, text, children, by = row
    return Node(id_, level, kind, doc, title, text, tuple(orjson.loads(children)), by)  # type: ignore[arg-type]


NODE = 'n.id, n.level, n.kind, n.doc, n.title, n.text, n.children, n."by"'


def entity_rows(
    db: sqlite3.Connection, keys: Iterable[str]
) -> tuple[dict[str, int], dict[str, list[int]]]:
    """Normalised names -> the entity's row whose own key it is; -> rows of those with that alias.

    An entity stands under its key only, of the others the one most often so called comes first.
    """
    wanted = list(dict.fromkeys(keys))
    own: dict[str, int] = {}
    known: dict[str, list[int]] = {}
    for at in range(0, len(wanted), 400):
        part = wanted[at : at + 400]
        marks = ",".join("?" * len(part))
        for key, row in db.execute(f"SELECT key, id FROM entities WHERE key IN ({marks})", part):
            own[key] = row
        for alias, row in db.execute(
            f"SELECT alias, entity FROM aliases WHERE alias IN ({marks})"
            " ORDER BY alias, count DESC, entity",
            part,
        ):
            if row != own.get(alias):
                known.setdefault(alias, []).append(row)
    return own, known
