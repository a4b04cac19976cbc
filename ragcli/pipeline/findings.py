"""Findings brought to their chunks; they reach the graph at the commit point.

Chunks of pending documents are seen by nobody yet and get their findings at once. A chunk of a
document that stays is part of the sums already: its new findings wait for the commit, which takes
the document's former contribution away with the former ones.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from hashlib import blake2b

from ragcli.extract.codec import pack_findings
from ragcli.store.connection import generation
from ragcli.store.write import Writer, transaction
from ragcli.types import Findings


def carry_over(db: sqlite3.Connection) -> None:
    """Give pending chunks what was found in the same text under the same heading before.

    Also a document's former version counts, which goes only at the commit point.
    """
    if not db.execute("SELECT 1 FROM chunks WHERE findings IS NOT NULL LIMIT 1").fetchone():
        return
    with transaction(db):
        db.execute(
            "UPDATE chunks SET findings = (SELECT min(o.findings) FROM chunks o"
            "  WHERE o.extraction = chunks.extraction AND o.heading = chunks.heading"
            "  AND o.findings IS NOT NULL)"
            " WHERE findings IS NULL AND doc IN (SELECT id FROM documents WHERE born = ?)",
            (generation(db) + 1,),
        )


def keep_recorded(writer: Writer, found: Mapping[int, Findings]) -> dict[int, bytes]:
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
