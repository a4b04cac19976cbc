"""The temporary tables of a commit; each belongs to one connection.

``make_notes`` adds one table for each watched table (see ``journal``).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

TABLES = {
    # Hashes of vectors and extractions that lost an owner: candidates of the next sweep.
    "loose": "hash BLOB PRIMARY KEY",
    # Entities that the current contributions change.
    "touched": "key TEXT PRIMARY KEY, id INTEGER",
    # Entities without mentions; they are deleted at the end of the sums.
    "bare": "id INTEGER PRIMARY KEY",
    # Which of the touched entities were names before the commit, for the history.
    "former_names": "key TEXT PRIMARY KEY, name TEXT, was INTEGER",
    # Entities and pairs whose profiles are rebuilt.
    "touched_entities": "entity INTEGER PRIMARY KEY",
    "touched_pairs": "a INTEGER, b INTEGER, PRIMARY KEY (a, b)",
    # The relations, a row each, for queries that join them.
    "relations": "a INTEGER, b INTEGER, weight INTEGER, count INTEGER, PRIMARY KEY (a, b)",
}


def make(db: sqlite3.Connection, name: str) -> None:
    """Create an empty table, replacing one of a failed commit."""
    drop(db, name)
    ensure(db, name)


def ensure(db: sqlite3.Connection, name: str) -> None:
    """Create a table unless it exists."""
    db.execute(f"CREATE TEMP TABLE IF NOT EXISTS {name} ({TABLES[name]}) WITHOUT ROWID")


def drop(db: sqlite3.Connection, name: str) -> None:
    db.execute(f"DROP TABLE IF EXISTS temp.{name}")


def exists(db: sqlite3.Connection, name: str) -> bool:
    row = db.execute("SELECT 1 FROM temp.sqlite_master WHERE name = ?", (name,)).fetchone()
    return row is not None


def notes_of(table: str) -> str:
    """The name of the table of notes on a watched table."""
    return f"changed_{table}"


def make_notes(db: sqlite3.Connection, table: str, keys: Sequence[str], former: str = "") -> None:
    """Make the table of notes on a watched table: its key columns, ``was``, 0 or 1, and perhaps
    a column of the row as it was.

    The keys are row numbers. Without a type, comparing them with such a number would convert them
    first, so SQLite would read all notes instead of looking one up.
    """
    columns = ", ".join(f"{key} INTEGER" for key in keys)
    more = f", {former}" if former else ""
    db.execute(
        f"CREATE TEMP TABLE {notes_of(table)}"
        f" ({columns}, was{more}, PRIMARY KEY ({', '.join(keys)})) WITHOUT ROWID"
    )
