"""Ordered changes of the schema since ``schema.sql``; a store records the applied ones.

A new store gets ``schema.sql`` and then every migration, so each table is defined in one place. A
store of an earlier release gets the missing migrations when it is next opened for writing, each in
one transaction. A change that must compute anything over all documents is not a migration: it
increases ``connection.FORMAT``, and ``index --rebuild`` keeps the output of models.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from ragcli.errors import StoreVersion


@dataclass(frozen=True, slots=True)
class Migration:
    """One change, with a unique name that is never reused.

    ``sql``: statements, or the name of a file of them. They only create tables and indexes
    (``CREATE ... IF NOT EXISTS``), so a reader can treat them as empty in a store without this
    migration.
    """

    name: str
    sql: str

    def statements(self) -> str:
        """The SQL."""
        return read_sql(self.sql) if self.sql.endswith(".sql") else self.sql


MIGRATIONS: tuple[Migration, ...] = (
    Migration("hierarchy", "hierarchy.sql"),
    # Where a root lies as seen from the store's folder, if it lies beside it.
    Migration(
        "relative roots",
        "CREATE TABLE IF NOT EXISTS relative_roots (\n"
        "    root INTEGER PRIMARY KEY REFERENCES roots (id) ON DELETE CASCADE,\n"
        "    path BLOB NOT NULL\n);",
    ),
    # What a file looked like when it could not be read.
    Migration(
        "failed files",
        "CREATE TABLE IF NOT EXISTS failed_files (\n"
        "    source   TEXT PRIMARY KEY,\n"
        "    size     INTEGER NOT NULL,\n"
        "    mtime_ns INTEGER NOT NULL\n) WITHOUT ROWID;",
    ),
    # Files that are no documents, and why. "scanned": known from the last scan, not from reading.
    Migration(
        "unread files",
        "CREATE TABLE IF NOT EXISTS unread_files (\n"
        "    source  TEXT PRIMARY KEY,\n"
        "    reason  TEXT NOT NULL,\n"
        "    scanned INTEGER NOT NULL\n) WITHOUT ROWID;",
    ),
    # What a scope selects documents by: fields of their front matter, and the time of their file.
    Migration("fields", "fields.sql"),
    # The path of headings in force from an offset of a document on.
    Migration(
        "headings",
        "CREATE TABLE IF NOT EXISTS headings (\n"
        "    doc   INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,\n"
        "    start INTEGER NOT NULL,\n"
        "    path  TEXT NOT NULL,\n"
        "    PRIMARY KEY (doc, start)\n) WITHOUT ROWID;",
    ),
    # The line of the file that begins at an offset of a document's text, where these differ.
    Migration(
        "line-marks",
        "CREATE TABLE IF NOT EXISTS line_marks (\n"
        "    doc   INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,\n"
        "    start INTEGER NOT NULL,\n"
        "    line  INTEGER NOT NULL,\n"
        "    PRIMARY KEY (doc, start)\n) WITHOUT ROWID;",
    ),
    # The blocks of the part of a document that one chunk owns (blocks.py), by where it begins.
    Migration(
        "blocks",
        "CREATE TABLE IF NOT EXISTS blocks (\n"
        "    doc   INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,\n"
        "    start INTEGER NOT NULL,\n"
        "    data  BLOB NOT NULL,\n"
        "    PRIMARY KEY (doc, start)\n);",
    ),
    # Lines of a document that were read from pictures (``types.ScannedLine``).
    Migration(
        "scanned lines",
        "CREATE TABLE IF NOT EXISTS scanned_lines (\n"
        "    doc        INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,\n"
        "    start      INTEGER NOT NULL,\n"
        '    "end"      INTEGER NOT NULL,\n'
        "    confidence INTEGER NOT NULL,\n"
        "    left       INTEGER NOT NULL,\n"
        "    top        INTEGER NOT NULL,\n"
        "    right      INTEGER NOT NULL,\n"
        "    bottom     INTEGER NOT NULL,\n"
        "    PRIMARY KEY (doc, start)\n) WITHOUT ROWID;",
    ),
)

RECORD = """
CREATE TABLE IF NOT EXISTS migrations (
    name       TEXT PRIMARY KEY,
    applied_at TEXT NOT NULL
) WITHOUT ROWID;
"""
"""The table that records which migrations a store has had."""


def read_sql(name: str) -> str:
    """The text of a file of SQL in this folder."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def applied(db: sqlite3.Connection) -> set[str]:
    """Names of the migrations applied to a store."""
    known = "SELECT 1 FROM main.sqlite_master WHERE name = 'migrations'"
    if db.execute(known).fetchone() is None:
        return set()
    return {name for (name,) in db.execute("SELECT name FROM main.migrations")}


def migrate(db: sqlite3.Connection, path: Path) -> None:
    """Apply the missing migrations in order.

    Each is one transaction, including its record. Raises StoreVersion for a store of a later
    release.
    """
    for migration in _lacking(db, path):
        try:
            db.executescript(
                f"BEGIN IMMEDIATE;\n{RECORD}\n{migration.statements()}\n"
                f"INSERT INTO migrations VALUES ('{migration.name}', datetime('now'));\nCOMMIT;"
            )
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise


def make_readable(db: sqlite3.Connection, path: Path) -> None:
    """Create empty temporary tables for missing migrations; nothing is written to the store.

    Raises StoreVersion for a store of a later release.
    """
    for migration in _lacking(db, path):
        db.executescript(migration.statements().replace(" IF NOT EXISTS ", " IF NOT EXISTS temp."))


def _lacking(db: sqlite3.Connection, path: Path) -> list[Migration]:
    had = applied(db)
    if unknown := had - {migration.name for migration in MIGRATIONS}:
        raise StoreVersion(
            f"{path} was created by a later ragcli (it has {', '.join(sorted(unknown))})",
            "install that version: pip install --upgrade ragcli",
        )
    return [migration for migration in MIGRATIONS if migration.name not in had]
