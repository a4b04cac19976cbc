"""Building a store anew beside the one there is, which readers go on reading meanwhile.

    .ragcli/rebuild/1/      the draft: a store of its own, with caches carried over
    .ragcli/store.sqlite    gets the draft's pages in one transaction, once the draft is whole

The transaction is SQLite's own, so a stop at any point leaves the old store or the new one, on
every system, and open readers keep the state that they began with. The draft goes on counting
generations where the old store is, so derived files of both can lie side by side.

A draft that was left behind by a stopped run is never gone on with: reading and cutting documents
is cheap. What was paid for in it (replies, extractions, vectors) is carried over, then it goes.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import orjson

from ragcli.store import derived, history
from ragcli.store.connection import (
    FILE,
    connect,
    create,
    damaged,
    open_store,
    remove_files,
    shorten_log,
    sqlite_errors_told,
)
from ragcli.store.durable import sync
from ragcli.store.meta import generation, get_meta
from ragcli.store.roots import roots
from ragcli.store.sweep import sweep_all
from ragcli.store.transaction import transaction

DRAFTS = "rebuild"
# What models have made, by hash of model and text; the same in every format.
CACHES = ("replies", "extractions", "vectors")
# What making the store has cost, and rates for the next estimate.
_FIGURES = ("llm_calls", "llm_tokens", "calls_per_chunk", "seconds_per_call", "seconds_per_word")


@dataclass(frozen=True, slots=True)
class FormerStore:
    """What a rebuild takes over from a store; everything but ``generation`` may be unknown.

    ``hierarchy_by``: who names its clusters, "" when it has no hierarchy.
    """

    generation: int = 0
    roots: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    mode: str = ""
    hierarchy_by: str = ""
    embedder: str = ""


def former_store(store: Path) -> FormerStore:
    """Look at the store that is to be built anew; it may have any format, and be damaged."""
    try:
        with closing(connect(store / FILE, readonly=True)) as db:
            return FormerStore(
                int(get_meta(db, "generation", "0")),
                tuple(_roots(db, store)),
                tuple(get_meta(db, "include").splitlines()),
                tuple(get_meta(db, "exclude").splitlines()),
                get_meta(db, "mode"),
                _hierarchy_by(db),
                orjson.loads(get_meta(db, "fingerprint", "{}")).get("embedder", ""),
            )
    except (sqlite3.Error, ValueError):
        found = (path.stem for path in (store / "derived").glob("*.json"))
        return FormerStore(max((int(name) for name in found if name.isdecimal()), default=0))


def _roots(db: sqlite3.Connection, store: Path) -> list[str]:
    try:
        return roots(db, store)
    except sqlite3.OperationalError:  # a format without relative paths
        return [os.fsdecode(path) for (path,) in db.execute("SELECT path FROM roots ORDER BY id")]


def _hierarchy_by(db: sqlite3.Connection) -> str:
    kept = get_meta(db, "hierarchy")
    state = orjson.loads(kept) if kept else {}
    return "" if state.get("unwanted", not kept) else str(state.get("by", "auto"))


def begin(store: Path, former: FormerStore, embedder: str) -> Path:
    """Make an empty draft that holds what models have made for the store and for other drafts.

    Vectors are carried over when they are of the ``embedder``.
    """
    left = leftovers(store)
    draft = store / DRAFTS / str(1 + max((int(path.name) for path in left), default=0))
    create(draft, after=former.generation)
    with sqlite_errors_told(draft / FILE), closing(connect(draft / FILE, readonly=False)) as db:
        for source in (store, *left):
            _carry(db, source / FILE, CACHES if former.embedder == embedder else CACHES[:2])
        with _attached(db, store / FILE) as there, transaction(db):
            for name in _FIGURES if there else ():
                db.execute(
                    "INSERT OR REPLACE INTO meta SELECT * FROM other.meta WHERE key = ?", (name,)
                )
    for path in left:
        shutil.rmtree(path)
    return draft


def leftovers(store: Path) -> list[Path]:
    """Drafts of runs that were stopped, the oldest first."""
    found = (store / DRAFTS).glob("*")
    return sorted((p for p in found if p.name.isdecimal()), key=lambda path: int(path.name))


def clear_leftovers(store: Path, db: sqlite3.Connection) -> None:
    """Remove drafts of stopped runs; the replies that were paid for in them go to the store."""
    for draft in leftovers(store):
        _carry(db, draft / FILE, ("replies",))
    if (store / DRAFTS).exists():
        shutil.rmtree(store / DRAFTS)


def abandon(store: Path) -> None:
    """Remove the draft of a run that failed; where its replies cannot be kept, it stays for now."""
    try:
        with closing(connect(store / FILE, readonly=False)) as db:
            clear_leftovers(store, db)
    except sqlite3.Error:
        return


def finish(store: Path, draft: Path) -> None:
    """Put a draft that is whole in the place of the store."""
    with sqlite_errors_told(draft / FILE), closing(open_store(draft, readonly=False)) as db:
        current = generation(db)
        sweep_all(db)
        with _attached(db, store / FILE) as there:
            if there:
                history.go_on_from_other(db)
        shorten_log(db)
    derived.adopt(store, draft, current)
    _take_database(store, draft)
    shutil.rmtree(store / DRAFTS)


def _take_database(store: Path, draft: Path) -> None:
    try:
        with (
            closing(connect(draft / FILE, readonly=True)) as new,
            closing(connect(store / FILE, readonly=False)) as old,
        ):
            # The draft goes afterwards: the transaction must be on disk before.
            old.execute("PRAGMA synchronous = FULL")
            new.backup(old)
            shorten_log(old)
    except sqlite3.OperationalError as error:
        raise damaged(store / FILE, error) from error
    except sqlite3.DatabaseError:
        # The old file is no database: nobody can be reading it.
        remove_files(store)
        (draft / FILE).replace(store / FILE)
        sync(store)


@contextmanager
def _attached(db: sqlite3.Connection, path: Path) -> Iterator[bool]:
    """Another store's database as ``other``; False when it cannot be read."""
    try:
        db.execute("ATTACH ? AS other", (f"{path.absolute().as_uri()}?mode=ro",))
        db.execute("SELECT count(*) FROM other.meta").fetchone()
    except sqlite3.DatabaseError:
        _detach(db)
        yield False
        return
    try:
        yield True
    finally:
        _detach(db)


def _detach(db: sqlite3.Connection) -> None:
    if db.in_transaction:  # its end has failed: the reason shall be told, not that this fails, too
        db.execute("ROLLBACK")
    if any(name == "other" for _, name, _ in db.execute("PRAGMA database_list")):
        db.execute("DETACH other")


def _carry(db: sqlite3.Connection, path: Path, tables: Sequence[str]) -> None:
    """Copy caches of another store; a table that is damaged or missing there is left out."""
    with _attached(db, path) as there:
        for table in tables if there else ():
            try:
                with transaction(db):
                    db.execute(f"INSERT OR IGNORE INTO main.{table} SELECT * FROM other.{table}")
            except sqlite3.OperationalError as error:
                if "no such table" not in str(error) and "columns but" not in str(error):
                    raise
            except sqlite3.DatabaseError:
                continue
