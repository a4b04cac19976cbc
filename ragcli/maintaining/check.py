"""Looking at a store without changing what it says: is it stale, is it sound?"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from ragcli.config import Settings
from ragcli.corpus.limit import limit_to
from ragcli.enriching.chunk_reading import WaitingWork, sweep_replies, what_waits
from ragcli.errors import StoreDamaged
from ragcli.indexing.changes import (
    FinishedSource,
    FreshDocument,
    MovedRecord,
    ReadFailure,
    plan,
    scan_within,
    stream,
)
from ragcli.indexing.request import IndexRequest
from ragcli.models.model_set import ModelSet
from ragcli.search import derive
from ragcli.store import derived
from ragcli.store.connection import FILE, open_store
from ragcli.store.lock import writer_lock
from ragcli.store.meta import generation, get_meta
from ragcli.store.reading import reading
from ragcli.store.sweep import sweep_all
from ragcli.store.writer import StoreWriter, transaction


def stale(request: IndexRequest, settings: Settings) -> tuple[list[dict[str, str]], WaitingWork]:
    """What an update would do, as {"change", "doc"}, and what it would ask a language model about.

    Nothing is written. Documents of which a chunk waits to be read are among the changes.
    """
    with reading(request.store) as db:
        waiting = what_waits(db, settings)
        writer = StoreWriter(db)
        include, exclude = (get_meta(db, name).splitlines() for name in ("include", "exclude"))
        versions = writer.versions()
        failures = dict(db.execute("SELECT doc, error FROM failures"))
        roots, files = writer.roots(), writer.files()
        limit = limit_to(request.only, roots)
        todo = plan(scan_within(limit, roots, include, exclude, files), files, versions, limit)
        changes = [
            {"change": "removed", "doc": v.doc} for v in versions.values() if v.source in todo.gone
        ]
        for item in stream(todo.read, versions):
            if isinstance(item, FreshDocument):
                kind = "changed" if item.known else "added"
                changes.append({"change": kind, "doc": item.document.id})
            elif isinstance(item, ReadFailure) and failures.get(item.doc) != item.error:
                changes.append({"change": "failed", "doc": item.doc})
            elif isinstance(item, MovedRecord):
                changes.append({"change": "moved", "doc": item.version.doc})
            elif isinstance(item, FinishedSource):
                changes += [{"change": "removed", "doc": v.doc} for v in item.gone]
    changes += [{"change": "waiting", "doc": doc} for doc in waiting.chunks]
    return sorted(changes, key=lambda c: (c["doc"], c["change"])), waiting


def check(store: Path, settings: Settings) -> Iterator[tuple[str, str]]:
    """Verify a store and mend what can be mended: (what, finding), finding "" when sound.

    Raises StoreDamaged when the truth itself is damaged.
    """
    with writer_lock(store):
        db = open_store(store, readonly=False)
        try:
            yield from _sound(db, store)
            loose = _sweep(db)
            yield "unused vectors and extractions", f"{loose} deleted" if loose else ""
            if db.execute("SELECT 1 FROM replies LIMIT 1").fetchone():
                yield "unused replies of the language model", _sweep_replies(db, settings)
            yield "derived files", _derived(db, store)
        finally:
            db.close()


def _sound(db: sqlite3.Connection, store: Path) -> Iterator[tuple[str, str]]:
    found = db.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if found != "ok":
        raise StoreDamaged(
            f"{store / FILE} is damaged: {found}",
            "restore it from a copy, or run: ragcli index --rebuild FOLDER",
        )
    yield "database", ""
    broken = db.execute("PRAGMA foreign_key_check").fetchone()
    if broken:
        raise StoreDamaged(
            f"{store / FILE}: a row of {broken[0]} refers to nothing",
            "run: ragcli index --rebuild FOLDER",
        )
    yield "references", ""
    missing = db.execute(
        "SELECT (SELECT count(*) FROM chunks WHERE extraction NOT IN (SELECT hash FROM extractions)"
        " OR findings NOT IN (SELECT hash FROM extractions))"
        + "".join(
            f" + (SELECT count(*) FROM {table} WHERE vector NOT IN (SELECT hash FROM vectors))"
            for table in (
                *("passages", "nodes", "entities", "entity_profiles", "relation_profiles"),
                *("themes", "hierarchy_members"),
            )
        )
    ).fetchone()[0]
    if missing:
        raise StoreDamaged(
            f"{missing} vectors or extractions are missing", "run: ragcli index --rebuild FOLDER"
        )
    yield "vectors and extractions", ""


def _sweep(db: sqlite3.Connection) -> int:
    """Drop leftovers of killed runs, unless a run is half way and may still need them."""
    pending = generation(db)
    if db.execute("SELECT 1 FROM documents WHERE born > ? LIMIT 1", (pending,)).fetchone():
        return 0
    with transaction(db):
        return sweep_all(db)


def _sweep_replies(db: sqlite3.Connection, settings: Settings) -> str:
    loose = sweep_replies(db, ModelSet(settings))
    if loose is None:
        return "kept: that can be told once the model has read the whole store"
    return f"{loose} deleted" if loose else ""


def _derived(db: sqlite3.Connection, store: Path) -> str:
    current = generation(db)
    if not current:
        return ""
    found = derive.problem(store, current, thorough=True)
    if found:
        derive.build(store, db, current)
        derived.prune(store, current)
        return f"made again: {found}"
    return ""
