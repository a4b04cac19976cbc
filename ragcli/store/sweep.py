"""Deletes cached vectors and extractions without references.

Candidates are collected when their owners are deleted, so a sweep checks only rows that a change
has affected.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

from ragcli.store import scratch
from ragcli.store.meta import generation
from ragcli.store.transaction import transaction

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
_CONTENT = (("vectors", _USED_VECTOR), ("extractions", _USED_EXTRACTION))


def loosen(
    db: sqlite3.Connection, query: str, values: Sequence[object] | Mapping[str, object] = ()
) -> None:
    """Add the hashes that ``query`` selects to the candidates of the next sweep."""
    scratch.ensure(db, "loose")
    db.execute(f"INSERT OR IGNORE INTO loose {query}", values)


def begin_sweep(db: sqlite3.Connection) -> None:
    """Start collecting candidates, inside the caller's transaction."""
    scratch.make(db, "loose")


def sweep(db: sqlite3.Connection) -> None:
    """Delete the collected vectors and extractions that have no references."""
    for table, used in _CONTENT:
        db.execute(
            f"DELETE FROM {table} WHERE hash IN (SELECT hash FROM loose)"
            f" AND NOT ({used.format(table)})"
        )
    scratch.drop(db, "loose")


def unused(db: sqlite3.Connection) -> int:
    """The number of vectors and extractions that ``sweep_all`` would delete."""
    query = "SELECT 1 FROM documents WHERE born > ? LIMIT 1"
    if db.execute(query, (generation(db),)).fetchone():
        return 0
    return sum(
        int(db.execute(f"SELECT count(*) FROM {t} WHERE NOT ({used.format(t)})").fetchone()[0])
        for t, used in _CONTENT
    )


def sweep_all(db: sqlite3.Connection) -> int:
    """Delete every vector and extraction without references; returns their number.

    Does nothing while a run is incomplete, because that run may still use them.
    """
    query = "SELECT 1 FROM documents WHERE born > ? LIMIT 1"
    if db.execute(query, (generation(db),)).fetchone():
        return 0
    with transaction(db):
        return sum(
            db.execute(f"DELETE FROM {table} WHERE NOT ({used.format(table)})").rowcount
            for table, used in _CONTENT
        )
