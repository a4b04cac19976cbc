"""Opening store.sqlite: creating it, finding it, and refusing what this version cannot read."""

from __future__ import annotations

import os
import shutil
import sqlite3
from importlib.resources import files
from pathlib import Path

from ragcli.errors import StoreDamaged, StoreError, StoreMissing, StoreVersion

FORMAT = 4
FILE = "store.sqlite"
FOLDER = ".ragcli"
# Seconds to wait for another process that is writing.
TIMEOUT = 30.0


def find_store(start: Path) -> Path | None:
    """The nearest .ragcli folder holding a store, from ``start`` upward."""
    for folder in (start, *start.parents):
        if (folder / FOLDER / FILE).is_file():
            return folder / FOLDER
    return None


def connect(path: Path, *, readonly: bool) -> sqlite3.Connection:
    """A connection with our settings; transactions are begun and ended by hand."""
    uri = f"{path.absolute().as_uri()}?mode={'ro' if readonly else 'rwc'}"
    if readonly and _is_sealed(path):
        uri += "&immutable=1"
    # Threads may share a reader (ragcli.Store), whose calls take turns.
    db = sqlite3.connect(
        uri, uri=True, isolation_level=None, timeout=TIMEOUT, check_same_thread=not readonly
    )
    try:
        db.execute("PRAGMA foreign_keys = ON")
        db.execute("PRAGMA mmap_size = 1073741824")
        if not readonly:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
            db.execute("PRAGMA cache_size = -65536")
    except sqlite3.Error:
        db.close()
        raise
    return db


def shorten_log(db: sqlite3.Connection) -> None:
    """Move the write-ahead log into the file and empty it, as far as no reader still needs it.

    Nobody is waited for: a conversation may hold its generation for hours, and the log goes on.
    """
    db.execute("PRAGMA busy_timeout = 0")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.execute(f"PRAGMA busy_timeout = {int(TIMEOUT * 1000)}")


def _is_sealed(path: Path) -> bool:
    """Whether nobody can be writing: a read-only medium, with no log of changes beside the file.

    SQLite must be told so, as it cannot make the shared memory there that readers agree in.
    """
    return not os.access(path.parent, os.W_OK) and not path.with_name(f"{path.name}-wal").exists()


def create(store: Path) -> None:
    """Make an empty store in ``store`` unless one is there; all or nothing."""
    store.mkdir(parents=True, exist_ok=True)
    (store / "derived").mkdir(exist_ok=True)
    db = connect(store / FILE, readonly=False)
    try:
        if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone():
            return
        db.executescript(
            f"BEGIN IMMEDIATE;\n{_schema('schema.sql')}\n"
            f"INSERT INTO meta VALUES ('format', '{FORMAT}'), ('generation', '0');\nCOMMIT;"
        )
    finally:
        db.close()


def empty(store: Path) -> None:
    """Delete what a store holds, derived files included."""
    for name in (FILE, f"{FILE}-wal", f"{FILE}-shm"):
        (store / name).unlink(missing_ok=True)
    shutil.rmtree(store / "derived", ignore_errors=True)


def open_store(store: Path, *, readonly: bool) -> sqlite3.Connection:
    """Open an existing store.

    Raises StoreMissing, StoreVersion (another format) or StoreDamaged (not a sound database).
    """
    path = store / FILE
    if not path.is_file():
        raise StoreMissing(f"no store in {store}", "make one with: ragcli index FOLDER")
    try:
        db = connect(path, readonly=readonly)
        row = db.execute("SELECT value FROM meta WHERE key = 'format'").fetchone()
    except sqlite3.DatabaseError as error:
        raise damaged(path, error) from error
    if row is None or str(row[0]) != str(FORMAT):
        db.close()
        found = row[0] if row else "none"
        raise StoreVersion(
            f"{path} has format {found}; this ragcli reads format {FORMAT}",
            "build it anew with: ragcli index --rebuild FOLDER",
        )
    if not readonly:
        db.executescript(_schema("hierarchy.sql"))
    elif not _has_table(db, "hierarchy_members"):
        # A store from before there were hierarchies reads as one that has none.
        db.executescript(
            _schema("hierarchy.sql").replace(" IF NOT EXISTS ", " IF NOT EXISTS temp.")
        )
    return db


def _has_table(db: sqlite3.Connection, name: str) -> bool:
    return (
        db.execute("SELECT 1 FROM main.sqlite_master WHERE name = ?", (name,)).fetchone()
        is not None
    )


def _schema(name: str) -> str:
    return files("ragcli.store").joinpath(name).read_text(encoding="utf-8")


def damaged(path: Path, error: sqlite3.Error) -> StoreError:
    """What to tell when SQLite cannot work with the file."""
    # What follows "with text" is the text that cannot be decoded, all of it.
    text = str(error).partition(" with text ")[0]
    if isinstance(error, sqlite3.OperationalError) and "malformed" not in text:
        if "full" in text:
            return StoreError(f"no space left for {path}", "free some space and run it again")
        if "readonly" in text or "unable to open" in text:
            return StoreError(f"cannot open {path}: {text}", "check the folder's permissions")
        if "locked" in text:
            return StoreError(f"{path} stayed locked: {text}", "wait for the other process")
        if "no such table" not in text and "Could not decode" not in text:
            return StoreError(f"{path}: {text}")
    return StoreDamaged(
        f"{path} is damaged: {text}",
        "restore it from a copy, or delete the store folder and run: ragcli index FOLDER",
    )
