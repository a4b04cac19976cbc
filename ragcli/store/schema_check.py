"""Compares the schema of a database from elsewhere with ragcli's own, word for word.

A database can contain views and triggers, and its tables expressions, that run whenever it is read
or written: for ever, or to change what it holds (https://sqlite.org/security.html).
"""

from __future__ import annotations

import math
import re
import sqlite3
from contextlib import closing

import orjson

from ragcli.store.migrations import MIGRATIONS, RECORD, applied, read_sql

# Tables that SQLite makes itself, with their only form.
_STATISTICS = {
    "sqlite_stat1": "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
    "sqlite_stat4": "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
    "sqlite_sequence": "CREATE TABLE sqlite_sequence(name,seq)",
}
_OPTIONAL = {"replies": "CREATE TABLE replies (hash BLOB PRIMARY KEY, data BLOB NOT NULL)"}

# Named values of a store (meta.py): whole numbers, and objects with values of some kinds.
_NUMBERS = {"format", "generation", "begins_after", "llm_calls", "llm_tokens"}
_OBJECTS = {"fingerprint": str, "stages": int | float, "hierarchy": object}

Parts = dict[tuple[str, str], str]


def check_schema(db: sqlite3.Connection) -> None:
    """Raise ValueError unless every part of the schema is one that ragcli makes, and the named
    values of the store are of their kinds."""
    found = _parts(db)
    # The names of the migrations are read, so their table comes first.
    for kind, name in found:
        if name == "migrations" and (kind, found[kind, name]) != ("table", _record()):
            raise ValueError(f"its schema has the {kind} {name!r}, which is not ragcli's")
    every = {migration.name for migration in MIGRATIONS}
    had = applied(db) & every
    known = _own(every)
    needed = known if had == every else _own(had)
    for (kind, name), sql in found.items():
        allowed = known.get((kind, name), _STATISTICS.get(name, _OPTIONAL.get(name)))
        if allowed is None or (sql != allowed and not name.startswith("sqlite_autoindex_")):
            raise ValueError(f"its schema has the {kind} {name!r}, which is not ragcli's")
    if missing := sorted(name for _, name in needed.keys() - found.keys()):
        raise ValueError(f"its schema lacks {missing[0]!r}")
    _check_values(dict(db.execute("SELECT key, value FROM main.meta WHERE value <> ''")))


def _check_values(values: dict[str, str]) -> None:
    for name in _NUMBERS & values.keys():
        if not re.fullmatch(r"[0-9]{1,15}", values[name]):
            raise ValueError(f"its value {name!r} is no number of ragcli's")
    if not math.isfinite(float(values.get("seconds_per_word", 0))):
        raise ValueError("its value 'seconds_per_word' is no number of ragcli's")
    for name, kind in _OBJECTS.items():
        found = orjson.loads(values.get(name, "{}"))
        if not isinstance(found, dict) or not all(isinstance(x, kind) for x in found.values()):
            raise ValueError(f"its value {name!r} is not as ragcli writes it")


def _parts(db: sqlite3.Connection) -> Parts:
    rows = db.execute("SELECT type, name, coalesce(sql, '') FROM main.sqlite_master")
    return {(kind, name): " ".join(sql.split()) for kind, name, sql in rows}


def _record() -> str:
    """The table of migrations as SQLite keeps it."""
    return " ".join(RECORD.replace("IF NOT EXISTS ", "").split()).removesuffix(";")


def _own(migrations: set[str]) -> Parts:
    """The schema of a new store that has had these migrations."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(read_sql("schema.sql"))
        if migrations:
            db.executescript(RECORD)
        for migration in MIGRATIONS:
            if migration.name in migrations:
                db.executescript(migration.statements())
        return _parts(db)
