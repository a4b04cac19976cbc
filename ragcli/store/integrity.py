"""Checks the integrity of a database: its pages, its references, and its cache by hash."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from ragcli.errors import StoreDamaged
from ragcli.store.connection import REMEDY

_REBUILD = "run: ragcli index --rebuild"
_MISSING = (
    "SELECT count(*) FROM chunks WHERE extraction NOT IN (SELECT hash FROM extractions)"
    " OR findings NOT IN (SELECT hash FROM extractions)"
)


def sound_parts(db: sqlite3.Connection, path: Path) -> Iterator[str]:
    """Yield the name of each part of the database after its check.

    Raises StoreDamaged for the first damaged part; the message names ``path``.
    """
    found = db.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if found != "ok":
        raise StoreDamaged(f"{path} is damaged: {found}", REMEDY)
    yield "database"
    broken = db.execute("PRAGMA foreign_key_check").fetchone()
    if broken:
        raise StoreDamaged(f"{path}: a row of {broken[0]} refers to a missing row", _REBUILD)
    yield "references"
    if missing := db.execute(_MISSING).fetchone()[0]:
        raise StoreDamaged(f"{missing} extractions are missing", _REBUILD)
    yield "extractions"
