"""Builds a new store beside the existing one, which readers continue to use.

    .ragcli/rebuild/1/      the draft: a separate store that starts with the old store's caches
    .ragcli/store.sqlite    receives the draft's pages in one transaction when the draft is complete

The swap is one SQLite transaction, so a stop at any point leaves either the old or the new store,
on every system, and open readers keep their state. The draft continues the generation numbers of
the old store, so derived files of both can be in the same folder.

A run never continues the draft of a stopped run, because reading and chunking documents is cheap.
It copies the draft's expensive content (replies, extractions, vectors) and deletes the draft.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from ragcli.store import derived, history, place
from ragcli.store.connection import (
    FILE,
    as_store_errors,
    close_writer,
    connect,
    create,
    damaged,
    is_damage,
    open_store,
    read_uri,
    remove_files,
    shorten_log,
)
from ragcli.store.durable import sync
from ragcli.store.fresh_vectors import FreshVectors, remove_fresh
from ragcli.store.meta import Meta, Patterns, generation, get_meta
from ragcli.store.roots import roots
from ragcli.store.sweep import sweep_all
from ragcli.store.transaction import transaction

DRAFTS = "rebuild"
# The share of free pages above which a draft is written again without them.
_FREE = 0.01
# Output of models, by hash of model and text; the same in every format.
CACHES = ("replies", "extractions")
CarryVectors = Callable[[FreshVectors, Path], None]
"""Copies the vectors of the store in a folder, except damaged ones (search/kept_vectors.py)."""
# The cost of building the store, and the rate for the next estimate.
_FIGURES = ("llm_calls", "llm_tokens", "seconds_per_word")


@dataclass(frozen=True, slots=True)
class FormerStore:
    """The values that a rebuild keeps; all except ``generation`` may be unknown.

    ``hierarchy_by``: what names the clusters, "" if the store has no hierarchy.
    """

    generation: int = 0
    roots: tuple[str, ...] = ()
    patterns: Patterns = field(default_factory=Patterns)
    mode: str = ""
    hierarchy_by: str = ""
    embedder: str = ""
    shard: str = ""
    unconfirmed: tuple[str, ...] = ()


def former_store(store: Path) -> FormerStore:
    """Inspect the store to rebuild; it may have any format, and may be damaged."""
    try:
        with closing(connect(store / FILE, readonly=True)) as db:
            found_roots = _roots(db, store)
            return FormerStore(
                int(get_meta(db, "generation", "0")),
                tuple(found_roots),
                Meta(db).patterns,
                get_meta(db, "mode"),
                _hierarchy_by(db),
                orjson.loads(get_meta(db, "fingerprint", "{}")).get("embedder", ""),
                get_meta(db, "shard"),
                tuple(place.unconfirmed(db, store, found_roots)),
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


def begin(store: Path, former: FormerStore, embedder: str, carry_vectors: CarryVectors) -> Path:
    """Create an empty draft with the caches of the store and of other drafts.

    Vectors are copied only if they are from the ``embedder``.
    """
    left = leftovers(store)
    draft = store / DRAFTS / str(1 + max((int(path.name) for path in left), default=0))
    create(draft, after=former.generation)
    with as_store_errors(draft / FILE), closing(connect(draft / FILE, readonly=False)) as db:
        vectors = FreshVectors(db, draft)
        for source in (store, *left):
            carry(db, source / FILE, CACHES)
            if former.embedder == embedder:
                carry_vectors(vectors, source)
        with _attached(db, store / FILE) as there, transaction(db):
            for name in _FIGURES if there else ():
                db.execute(
                    "INSERT OR REPLACE INTO meta SELECT * FROM other.meta WHERE key = ?", (name,)
                )
    for path in left:
        shutil.rmtree(path)
    return draft


def leftovers(store: Path) -> list[Path]:
    """Drafts of stopped runs, oldest first."""
    found = (store / DRAFTS).glob("*")
    return sorted((p for p in found if p.name.isdecimal()), key=lambda path: int(path.name))


def clear_leftovers(store: Path, db: sqlite3.Connection) -> None:
    """Copy the replies in drafts of stopped runs to the store, and remove the drafts."""
    for draft in leftovers(store):
        carry(db, draft / FILE, ("replies",))
    if (store / DRAFTS).exists():
        shutil.rmtree(store / DRAFTS)


def abandon(store: Path) -> None:
    """Remove the draft of a failed run; keep it for now if its replies cannot be copied."""
    try:
        with closing(connect(store / FILE, readonly=False)) as db:
            clear_leftovers(store, db)
    except sqlite3.Error:
        return


def finish(store: Path, draft: Path) -> None:
    """Replace the store with a complete draft."""
    with as_store_errors(draft / FILE), closing(open_store(draft, readonly=False)) as db:
        current = generation(db)
        sweep_all(db)
        with _attached(db, store / FILE) as there:
            if there:
                history.go_on_from_other(db)
        _compact(db)
        shorten_log(db)
    derived.adopt(store, draft, current)
    _take_database(store, draft)
    remove_fresh(store)
    shutil.rmtree(store / DRAFTS)


def _compact(db: sqlite3.Connection) -> None:
    """Give back free pages, if they are many: what the draft had copied and did not need."""
    (free,) = db.execute("PRAGMA freelist_count").fetchone()
    (pages,) = db.execute("PRAGMA page_count").fetchone()
    if free > _FREE * pages:
        db.execute("VACUUM")


def _take_database(store: Path, draft: Path) -> None:
    try:
        with closing(connect(draft / FILE, readonly=True)) as new:
            old = connect(store / FILE, readonly=False)
            try:
                # The draft is deleted only after the transaction is on disk.
                old.execute("PRAGMA synchronous = FULL")
                new.backup(old)
                shorten_log(old)
            finally:
                close_writer(old, store / FILE)
    except sqlite3.OperationalError as error:
        raise damaged(store / FILE, error) from error
    except sqlite3.DatabaseError:
        # The old file is not a database, so no process can be reading it.
        remove_files(store)
        (draft / FILE).replace(store / FILE)
        sync(store)


@contextmanager
def _attached(db: sqlite3.Connection, path: Path) -> Iterator[bool]:
    """Attach another store's database as ``other``; False if it cannot be read."""
    try:
        db.execute("ATTACH ? AS other", (read_uri(path),))
        db.execute("SELECT count(*) FROM other.meta").fetchone()
    except (sqlite3.DatabaseError, UnicodeDecodeError):  # or what SQLite says of it is no text
        _detach(db)
        yield False
        return
    try:
        yield True
    finally:
        _detach(db)


def _detach(db: sqlite3.Connection) -> None:
    if db.in_transaction:  # its end has failed: report that, not a second failure here
        db.execute("ROLLBACK")
    if any(name == "other" for _, name, _ in db.execute("PRAGMA database_list")):
        db.execute("DETACH other")


def carry(db: sqlite3.Connection, path: Path, tables: Sequence[str]) -> None:
    """Copy caches of another store, except damaged rows and damaged or missing tables."""
    with _attached(db, path) as there:
        for table in tables if there else ():
            try:
                with transaction(db):
                    # A damaged row is NULL here, which the table refuses.
                    data = "sound_data(data)" if table == "extractions" else "data"
                    db.execute(
                        f"INSERT OR IGNORE INTO main.{table} SELECT hash, {data} FROM other.{table}"
                    )
            except sqlite3.OperationalError as error:
                if not (is_damage(error) or "no such column" in str(error)):
                    raise
            except sqlite3.DatabaseError:
                continue
