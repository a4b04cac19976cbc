"""Creates, finds and opens store.sqlite, and rejects formats that this version cannot read."""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

from ragcli.errors import StoreDamaged, StoreError, StoreMissing, StoreVersion
from ragcli.store.derived import DERIVED, VECTORS
from ragcli.store.durable import remove_database
from ragcli.store.lock import empty_store, nothing_committed
from ragcli.store.meta import generation
from ragcli.store.migrations import make_readable, migrate, read_sql
from ragcli.store.packing import define_functions
from ragcli.store.place import is_at_home
from ragcli.store.schema_check import check_schema
from ragcli.store.stoppable import StoppableConnection

_log = logging.getLogger(__name__)

FORMAT = 7
FILE = "store.sqlite"
FOLDER = ".ragcli"
UNPACKED = ".import"
"""The suffix of a bundle's files in the folder of the store that they become."""
# Seconds to wait for another process that is writing.
TIMEOUT = 30.0
READERS_MAP, READERS_CACHE = 32 << 20, 8 << 20
"""Bytes of the database that a reader maps, and of pages that it keeps. Scattered reads of a mapped
file bring it into memory as a whole, and a question is to be answered in little memory."""

REMEDY = "restore it from a copy, or run: ragcli index --rebuild FOLDER"
# What SQLite says of content that it, or a function of ragcli that unpacks it, cannot read.
_DAMAGE = ("malformed", "no such table", "Could not decode", "user-defined function raised")


def find_store(start: Path) -> Path | None:
    """The nearest .ragcli folder that contains a store, from ``start`` upward."""
    for folder in (start, *start.parents):
        if (folder / FOLDER / FILE).is_file():
            return folder / FOLDER
    return None


def merge_draft(store: Path) -> Path:
    """The folder beside a new store in which a merge builds it."""
    return store.absolute().with_name(f"{store.absolute().name}.merging")


def missing_store(store: Path) -> StoreMissing:
    """The error for a place without a store."""
    return unfinished(store) or StoreMissing(
        f"no store in {store}", "create one with: ragcli index FOLDER"
    )


def unfinished(store: Path) -> StoreMissing | None:
    """The error for a store that a merge or an import has not finished; None for any other."""
    drafts = {"merge": merge_draft(store), "bundle import": store / f"{FILE}{UNPACKED}"}
    for command, draft in drafts.items():
        if draft.exists():
            return StoreMissing(
                f"no store in {store} yet: ragcli {command} has not finished",
                "wait for it; if it was stopped, run it again",
            )
    return None


def connect(path: Path, *, readonly: bool) -> sqlite3.Connection:
    """A connection with our settings; the caller begins and ends transactions."""
    uri = read_uri(path) if readonly else f"{path.absolute().as_uri()}?mode=rwc"
    # Threads may share a reader (ragcli.Store), whose calls take turns.
    db = sqlite3.connect(
        uri,
        uri=True,
        isolation_level=None,
        timeout=TIMEOUT,
        check_same_thread=not readonly,
        factory=StoppableConnection,
    )
    try:
        # SQL inside the file (views, triggers) may call no function that has effects.
        db.execute("PRAGMA trusted_schema = OFF")
        define_functions(db)
        db.execute("PRAGMA foreign_keys = ON")
        db.execute(f"PRAGMA mmap_size = {READERS_MAP if readonly else 1 << 30}")
        if readonly:
            db.execute(f"PRAGMA cache_size = -{READERS_CACHE >> 10}")
        else:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
            db.execute("PRAGMA cache_size = -65536")
    except sqlite3.Error:
        db.close()
        raise
    except UnicodeDecodeError as error:  # Python cannot read what SQLite says of the schema
        db.close()
        raise sqlite3.DatabaseError("malformed database schema") from error
    return db


def read_uri(path: Path) -> str:
    """The address under which SQLite opens a database for reading."""
    sealed = "&immutable=1" if _is_sealed(path) else ""
    return f"{path.absolute().as_uri()}?mode=ro{sealed}"


def shorten_log(db: sqlite3.Connection) -> None:
    """Write the write-ahead log back to the file, as far as no reader still needs it.

    This does not wait: a conversation may keep its generation for hours while the log grows.
    """
    db.execute("PRAGMA busy_timeout = 0")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.execute(f"PRAGMA busy_timeout = {int(TIMEOUT * 1000)}")


def close_writer(db: sqlite3.Connection, path: Path) -> None:
    """Close a writer's connection, and leave the files of its log beside the database.

    The last connection that closes deletes them. A reader who may not write in the folder cannot
    make them, and would have to read as if nobody could write (``_is_sealed``). So a connection for
    reading, which deletes nothing, closes last.
    """
    try:
        with closing(connect(path, readonly=True)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT 1 FROM sqlite_master").fetchone()
            db.close()
    except sqlite3.Error as error:
        _log.debug("the log of %s is not kept: %s", path, error)
    finally:
        db.close()


def _is_sealed(path: Path) -> bool:
    """Whether no process can write: a read-only medium without the files of a log.

    SQLite then needs the ``immutable`` flag, because it cannot create its shared memory there.
    """
    log, shared = (path.with_name(f"{path.name}-{end}") for end in ("wal", "shm"))
    return not (os.access(path.parent, os.W_OK) or shared.exists() or _size(log))


def _size(path: Path) -> int:
    """The bytes of a file; 0 if there is none."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def make_folder(store: Path) -> None:
    """Create the folder of a store, with a .gitignore, because it contains whole texts.

    For the same reason only its owner may read it, as long as nobody changes that. A folder that
    already contains other files gets no .gitignore.
    """
    made = not store.exists() or store.name == FOLDER or not any(store.iterdir())
    store.mkdir(mode=0o700, parents=True, exist_ok=True)
    ignore = store / ".gitignore"
    if made and not ignore.exists():
        ignore.write_text("*\n", encoding="utf-8")


def create(store: Path, after: int = 0) -> None:
    """Create an empty store in ``store`` unless one exists; atomic.

    ``after``: the generation from which it continues counting; earlier ones are not in it.
    """
    store.mkdir(parents=True, exist_ok=True)
    for place in (DERIVED, VECTORS):
        (store / place).mkdir(exist_ok=True)
    with as_store_errors(store / FILE), closing(connect(store / FILE, readonly=False)) as db:
        if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone():
            return
        db.executescript(
            f"BEGIN IMMEDIATE;\n{read_sql('schema.sql')}\n"
            f"INSERT INTO meta VALUES ('format', '{FORMAT}'), ('generation', '{after}'),"
            f" ('begins_after', '{after}');\nCOMMIT;"
        )
        migrate(db, store / FILE)


def remove_if_empty(store: Path) -> None:
    """Remove the files of a new store, unless something has been written to it.

    The caller holds the lock.
    """
    if not _holds_anything(store / FILE):
        remove_store(store)


def remove_store(store: Path) -> None:
    """Delete the databases and the lock of a store, and its folders where they are empty.

    The lock file stays if an open file cannot be deleted (Windows).
    """
    remove_files(store)
    for name in ("lock.pid", ".gitignore", "lock"):
        with suppress(PermissionError):
            (store / name).unlink(missing_ok=True)
    remove_database(store / f"{VECTORS}.sqlite")
    for folder in (store / DERIVED, store / VECTORS, store):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def _holds_anything(path: Path) -> bool:
    """Whether a database has been written to since its creation; True if it cannot be read."""
    if not path.is_file():
        return False
    try:
        with closing(connect(path, readonly=True)) as db:
            if _is_blank(db):
                return False
            return any(
                db.execute(f"SELECT EXISTS (SELECT 1 FROM {table})").fetchone()[0]
                for table in ("documents", "failures", "history", "extractions", "replies")
            ) or bool(
                db.execute(
                    "SELECT 1 FROM meta WHERE key = 'generation' AND value <> '0'"
                ).fetchone()
            )
    except sqlite3.Error:
        return True


def _is_blank(db: sqlite3.Connection) -> bool:
    """Whether the database has no table: a full disk or a kill stopped ``create``."""
    return db.execute("SELECT 1 FROM main.sqlite_master").fetchone() is None


def remove_files(store: Path) -> None:
    """Delete the database and its log; no process may have it open."""
    remove_database(store / FILE)


def open_store(store: Path, *, readonly: bool, trusted: bool = True) -> sqlite3.Connection:
    """Open an existing store.

    The schema of a store from elsewhere, or that is not ``trusted``, is compared before anything of
    it is used; so is that of a store that is to be written.

    Raises StoreMissing (also if its first run was stopped before it wrote anything), StoreVersion
    (another format), StoreDamaged (not a sound database) or StoreError (the schema is not
    ragcli's).
    """
    path = store / FILE
    if not path.is_file():
        raise missing_store(store)
    with as_store_errors(path), ExitStack() as stack:
        db = stack.enter_context(closing(connect(path, readonly=readonly)))
        if _is_blank(db):
            raise nothing_committed(store) if readonly else empty_store(store)
        _check_format(db, path)
        try:
            if not (readonly and trusted and is_at_home(db, store)):
                check_schema(db)
            (make_readable if readonly else migrate)(db, path)
        except ValueError as error:
            raise StoreError(
                f"{path}: {error}",
                "do not use it unless you know who made it; ragcli index --rebuild makes it anew",
            ) from error
        stack.pop_all()  # it stays open
    return db


def _check_format(db: sqlite3.Connection, path: Path) -> None:
    """Raise StoreVersion for another format."""
    row = _format(db)
    found = row[0] if row else "none"
    if str(found) == str(FORMAT):
        return
    hint = "rebuild it, which keeps output of language models, with: ragcli index --rebuild"
    if str(found).isdecimal() and int(str(found)) > FORMAT:
        hint = "a later ragcli created it: pip install --upgrade ragcli"
    raise StoreVersion(f"{path} has format {found}; this ragcli reads format {FORMAT}", hint)


def _format(db: sqlite3.Connection) -> tuple[object, ...] | None:
    """The row with the format, if the table of values is one: a view could run for ever."""
    named = db.execute("SELECT type FROM main.sqlite_master WHERE name = 'meta'").fetchone()
    if named is None:
        raise sqlite3.DatabaseError("no such table: meta")
    if named[0] != "table":
        return None
    row: tuple[object, ...] | None = db.execute(
        "SELECT value FROM main.meta WHERE key = 'format'"
    ).fetchone()
    return row


def newest_generation(store: Path) -> int:
    """The generation that a reader would see now. Raises StoreError."""
    with as_store_errors(store / FILE), closing(connect(store / FILE, readonly=True)) as db:
        return generation(db)


@contextmanager
def as_store_errors(path: Path) -> Iterator[None]:
    """Convert SQLite's errors to StoreError, with hints; ``path`` is the database."""
    try:
        yield
    except sqlite3.Error as error:
        raise damaged(path, error) from error


def is_damage(error: sqlite3.Error) -> bool:
    """Whether SQLite failed because of what the file holds."""
    damage = any(part in str(error) for part in _DAMAGE)
    return damage or not isinstance(error, sqlite3.OperationalError)


def damaged(path: Path, error: sqlite3.Error) -> StoreError:
    """The error and hint for a failure of SQLite."""
    # After "with text", the message contains the whole text that cannot be decoded.
    text = str(error).partition(" with text ")[0]
    if not is_damage(error):
        if "full" in text:
            return StoreError(f"no space left for {path}", "free some space and run it again")
        if "disk I/O" in text:  # also where there is no space for the log
            return StoreError(f"{path}: {text}", "check the disk and its free space")
        if "readonly" in text or "unable to open" in text:
            return StoreError(f"cannot open {path}: {text}", "check the folder's permissions")
        if "locked" in text:
            return StoreError(
                f"{path} stayed locked: {text}", "wait until the other process has finished"
            )
        return StoreError(f"{path}: {text}")
    return StoreDamaged(f"{path} is damaged: {text}", REMEDY)
