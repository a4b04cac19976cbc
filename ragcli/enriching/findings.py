"""Findings brought to their chunks; they reach the graph at the commit point.

Chunks of pending documents are seen by nobody yet and get their findings at once. A chunk of a
document that stays is part of the sums already: its new findings wait for the commit, which takes
the document's former contribution away with the former ones.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from functools import cache
from hashlib import blake2b

from ragcli.extract.codec import pack_findings, unpack_findings
from ragcli.store import read
from ragcli.store.meta import generation
from ragcli.store.writer import StoreWriter, transaction
from ragcli.types import Findings

# Chunks of pending documents that nobody has read yet.
_UNREAD = (
    " FROM chunks c JOIN documents d ON d.id = c.doc WHERE c.findings IS NULL AND d.born = :pending"
)


def carry_over(db: sqlite3.Connection) -> None:
    """Give pending chunks what was found in the same text under the same heading before.

    Also a document's former version counts, which goes only at the commit point; what it has
    itself comes first. What is bound to a place (``Findings.placed``) stays in its document. The
    work grows with the pending chunks and those of equal text, not with their product.
    """
    if not db.execute("SELECT 1 FROM chunks WHERE findings IS NOT NULL LIMIT 1").fetchone():
        return
    pending = {"pending": generation(db) + 1}
    own: dict[tuple[bytes, str, str], bytes] = {}
    anywhere: dict[tuple[bytes, str], bytes] = {}
    placed = cache(lambda key: unpack_findings(read.blob(db, "extractions", key)).placed)
    for extraction, heading, doc, key in db.execute(
        "SELECT o.extraction, o.heading, p.doc, min(o.findings) FROM chunks o JOIN documents p"
        " ON p.id = o.doc WHERE o.findings IS NOT NULL"
        f" AND o.extraction IN (SELECT c.extraction{_UNREAD}) GROUP BY 1, 2, 3",
        pending,
    ).fetchall():
        own[extraction, heading, doc] = key
        if not placed(key):
            anywhere[extraction, heading] = min(key, anywhere.get((extraction, heading), key))
    rows = db.execute(f"SELECT c.id, c.extraction, c.heading, d.doc{_UNREAD}", pending).fetchall()
    found = [
        (own.get((extraction, heading, doc)) or anywhere.get((extraction, heading)), row)
        for row, extraction, heading, doc in rows
    ]
    with transaction(db):
        db.executemany("UPDATE chunks SET findings = ? WHERE id = ?", [f for f in found if f[0]])


def keep_recorded(writer: StoreWriter, found: Mapping[int, Findings]) -> dict[int, bytes]:
    """Keep recorded findings; chunk row -> their hash, which is that of their content."""
    packed = {row: pack_findings(findings) for row, findings in found.items()}
    keys = {
        row: blake2b(b"recorded\0" + data, digest_size=16).digest() for row, data in packed.items()
    }
    writer.keep("extractions", {keys[row]: data for row, data in packed.items()})
    return keys


def attach(db: sqlite3.Connection, keys: Mapping[int, bytes]) -> dict[int, bytes]:
    """Set the findings of pending chunks; returns those left for the commit point, if new."""
    pending = {
        row
        for (row,) in db.execute(
            "SELECT c.id FROM chunks c JOIN documents d ON d.id = c.doc WHERE d.born = ?",
            (generation(db) + 1,),
        )
    }
    with transaction(db):
        db.executemany(
            "UPDATE chunks SET findings = ? WHERE id = ?",
            [(key, row) for row, key in keys.items() if row in pending],
        )
    known = dict(db.execute("SELECT id, findings FROM chunks WHERE findings IS NOT NULL"))
    return {row: key for row, key in keys.items() if row not in pending and known.get(row) != key}
