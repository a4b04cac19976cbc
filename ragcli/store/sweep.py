"""Taking out what nothing refers to any more.

Candidates are gathered as their owners go, so a sweep looks at what a change touched and at
nothing else.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

_USED_VECTOR = (
    "EXISTS (SELECT 1 FROM passages p WHERE p.vector = {0}.hash)"
    " OR EXISTS (SELECT 1 FROM nodes n WHERE n.vector = {0}.hash)"
    " OR EXISTS (SELECT 1 FROM entities e WHERE e.vector = {0}.hash)"
    " OR EXISTS (SELECT 1 FROM entity_profiles e WHERE e.vector = {0}.hash)"
    " OR EXISTS (SELECT 1 FROM relation_profiles r WHERE r.vector = {0}.hash)"
    " OR EXISTS (SELECT 1 FROM themes t WHERE t.vector = {0}.hash)"
    " OR EXISTS (SELECT 1 FROM hierarchy_members m WHERE m.vector = {0}.hash)"
)
_USED_EXTRACTION = (
    "EXISTS (SELECT 1 FROM chunks c WHERE c.extraction = {0}.hash)"
    " OR EXISTS (SELECT 1 FROM chunks c WHERE c.findings = {0}.hash)"
)


def loosen(db: sqlite3.Connection, query: str, values: Sequence[object] = ()) -> None:
    """Note the hashes that ``query`` selects as candidates of the next sweep."""
    db.execute("CREATE TEMP TABLE IF NOT EXISTS loose (hash BLOB PRIMARY KEY) WITHOUT ROWID")
    db.execute(f"INSERT OR IGNORE INTO loose {query}", values)


class Sweeper:
    """Gathers hashes that may be loose, inside the caller's transaction."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        db.execute("DROP TABLE IF EXISTS temp.loose")
        loosen(db, "SELECT NULL WHERE 0")

    def bury(self, pending: int) -> None:
        """Delete the documents that end with the generation ``pending``, and all of theirs."""
        dead = "SELECT id FROM documents WHERE died = ?"
        for table, column, owner in (
            ("passages", "vector", "doc"),
            ("nodes", "vector", "docrow"),
            ("chunks", "extraction", "doc"),
            ("chunks", "findings", "doc"),
        ):
            loosen(
                self._db,
                f"SELECT {column} FROM {table} WHERE {owner} IN ({dead}) AND {column} IS NOT NULL",
                (pending,),
            )
        self._db.execute("DELETE FROM documents WHERE died = ?", (pending,))

    def drop_nodes(self, ids: Sequence[str]) -> None:
        """Delete folder nodes."""
        for id_ in ids:
            loosen(self._db, "SELECT vector FROM nodes WHERE id = ?", (id_,))
            self._db.execute("DELETE FROM nodes WHERE id = ? AND docrow IS NULL", (id_,))

    def sweep(self) -> None:
        """Delete the gathered vectors and extractions that nothing refers to."""
        for table, used in (("vectors", _USED_VECTOR), ("extractions", _USED_EXTRACTION)):
            self._db.execute(
                f"DELETE FROM {table} WHERE hash IN (SELECT hash FROM loose)"
                f" AND NOT ({used.format(table)})"
            )
        self._db.execute("DROP TABLE loose")


def sweep_all(db: sqlite3.Connection) -> int:
    """Delete every vector and extraction that nothing refers to; returns how many there were."""
    loose = 0
    for table, used in (("vectors", _USED_VECTOR), ("extractions", _USED_EXTRACTION)):
        loose += db.execute(f"DELETE FROM {table} WHERE NOT ({used.format(table)})").rowcount
    return loose
