"""Compares the schema of a database from elsewhere with ragcli's own, word for word.

A database can contain views and triggers, and its tables expressions, that run whenever it is read
or written: for ever, or to change what it holds (https://sqlite.org/security.html).
"""

from __future__ import annotations

import sqlite3
from contextlib import closing

from ragcli.store.migrations import MIGRATIONS, applied, read_sql, record_table

# Tables that SQLite makes itself, with their only form.
_STATISTICS = {
    "sqlite_stat1": "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
    "sqlite_stat4": "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
    "sqlite_sequence": "CREATE TABLE sqlite_sequence(name,seq)",
}
_OPTIONAL = {"replies": "CREATE TABLE replies (hash BLOB PRIMARY KEY, data BLOB NOT NULL)"}

Parts = dict[tuple[str, str], str]


def check_schema(db: sqlite3.Connection) -> None:
    """Raise ValueError unless every part of the schema is one that ragcli makes."""
    found = _parts(db)
    known = _own({name for name in applied(db) if name in {m.name for m in MIGRATIONS}})
    for (kind, name), sql in found.items():
        allowed = known.get((kind, name), _STATISTICS.get(name, _OPTIONAL.get(name)))
        if allowed is None or (sql != allowed and not name.startswith("sqlite_autoindex_")):
            raise ValueError(f"its schema has the {kind} {name!r}, which is not ragcli's")
    if missing := sorted(name for _, name in known.keys() - found.keys()):
        raise ValueError(f"its schema lacks {missing[0]!r}")


def _parts(db: sqlite3.Connection) -> Parts:
    rows = db.execute("SELECT type, name, coalesce(sql, '') FROM main.sqlite_master")
    return {(kind, name): " ".join(sql.split()) for kind, name, sql in rows}


def _own(migrations: set[str]) -> Parts:
    """The schema of a new store that has had these migrations."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(read_sql("schema.sql"))
        if migrations:
            db.executescript(record_table())
        for migration in MIGRATIONS:
            if migration.name in migrations:
                db.executescript(migration.statements())
        return _parts(db)
