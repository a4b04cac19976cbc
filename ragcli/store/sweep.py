"""Deletes cached extractions without references.

Candidates are collected when their owners are deleted, so a sweep checks only rows that a change
has affected.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

from ragcli.store import scratch
from ragcli.store.meta import has_pending
from ragcli.store.transaction import transaction

_UNUSED = (
    "FROM extractions WHERE NOT (EXISTS (SELECT 1 FROM chunks c WHERE c.extraction = hash)"
    " OR EXISTS (SELECT 1 FROM chunks c WHERE c.findings = hash))"
)


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
    """Delete the collected extractions that have no references."""
    db.execute(f"DELETE {_UNUSED} AND hash IN (SELECT hash FROM loose)")
    scratch.drop(db, "loose")


def unused(db: sqlite3.Connection) -> int:
    """The number of extractions that ``sweep_all`` would delete."""
    if has_pending(db):
        return 0
    return int(db.execute(f"SELECT count(*) {_UNUSED}").fetchone()[0])


def sweep_all(db: sqlite3.Connection) -> int:
    """Delete every extraction without references; returns their number.

    Does nothing while a run is incomplete, because that run may still use them.
    """
    if has_pending(db):
        return 0
    with transaction(db):
        return db.execute(f"DELETE {_UNUSED}").rowcount
