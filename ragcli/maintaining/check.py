"""Checks whether a store is up to date and sound, without changing its content."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ragcli.config import Settings
from ragcli.corpus.limit import limit_to
from ragcli.enriching.chunk_reading import WaitingWork, sweep_replies, what_waits
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
from ragcli.store.lock import writer_lock
from ragcli.store.writer import StoreWriter, open_to_compare, open_writer


def stale(request: IndexRequest, settings: Settings) -> tuple[list[dict[str, str]], WaitingWork]:
    """What an update would change, as {"change", "doc"}, and what it would ask a language model.

    Nothing is written. Documents with waiting chunks are among the changes.
    """
    with open_to_compare(request.store) as store:
        waiting = what_waits(store, settings)
        patterns = store.meta.patterns
        versions = store.documents.newest()
        failures = store.sources.failures()
        roots, files = store.sources.roots(), store.sources.files()
        limit = limit_to(request.only, roots)
        found = scan_within(limit, roots, patterns.include, patterns.exclude, files)
        todo = plan(found, files, versions, limit)
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


def check(folder: Path, settings: Settings) -> Iterator[tuple[str, str]]:
    """Verify a store and repair what can be repaired: (part, finding), finding "" when sound.

    Raises StoreDamaged when the database itself is damaged.
    """
    with writer_lock(folder), open_writer(folder) as store:
        for part in store.sound_parts():
            yield part, ""
        loose = store.sweep_all()
        yield "unused vectors and extractions", f"{loose} deleted" if loose else ""
        if store.replies.are_there():
            yield "unused replies of the language model", _sweep_replies(store, settings)
        yield "derived files", _mend_derived(store)


def _sweep_replies(store: StoreWriter, settings: Settings) -> str:
    loose = sweep_replies(store, ModelSet(settings))
    if loose is None:
        return "kept: that can be told once the model has read the whole store"
    return f"{loose} deleted" if loose else ""


def _mend_derived(store: StoreWriter) -> str:
    current = store.generation
    if not current:
        return ""
    found = derive.problem(store.folder, current, thorough=True)
    if found:
        derive.derive_current(store, None)
        derived.prune(store.folder, current)
        return f"made again: {found}"
    return ""
