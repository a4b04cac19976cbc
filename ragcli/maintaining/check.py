"""Checks whether a store is up to date and intact, without changing its content."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ragcli.config import Settings
from ragcli.enriching.chunk_reading import WaitingWork, sweep_replies, what_waits
from ragcli.indexing.changes import (
    FinishedSource,
    FreshDocument,
    MovedRecord,
    ReadFailure,
    stream,
)
from ragcli.indexing.prepare import read_limits
from ragcli.indexing.request import IndexRequest
from ragcli.indexing.restoring import restorer
from ragcli.indexing.scan_plan import compare
from ragcli.models.model_set import ModelSet
from ragcli.search import derive
from ragcli.store import derived
from ragcli.store.digest import digest
from ragcli.store.lock import writer_lock
from ragcli.store.snapshot import open_snapshot
from ragcli.store.writer import StoreWriter, open_to_compare, open_writer

# A failure that was reported before; an update does not change it.
STILL_FAILED = "failed before"


def stale(request: IndexRequest, settings: Settings) -> tuple[list[dict[str, str]], WaitingWork]:
    """The changes of an update, as {"change", "doc"}, and its pending work for a language model.

    Nothing is written. The changes include documents with chunks that the model has not read,
    documents that cannot be read, and missing roots. A renamed one has its former name as "from".
    """
    added: dict[str, str] = {}
    removed: dict[str, str] = {}
    with open_to_compare(request.store) as store:
        waiting = what_waits(store, settings)
        versions = store.documents.newest()
        limits = read_limits(settings)
        found, todo = compare(store, request, versions, limits)
        changes = [{"change": "missing", "doc": root} for root in found.missing]
        gone = set(todo.gone)
        removed |= {v.doc: v.sha256 for v in versions.values() if v.source in gone}
        for item in stream(todo.read, versions, limits, todo.shard):
            if isinstance(item, FreshDocument):
                if item.known:
                    changes.append({"change": "changed", "doc": item.document.id})
                else:
                    added[item.document.id] = item.document.sha256
            elif isinstance(item, ReadFailure):
                known = store.sources.has_failed_before(item.doc, item.source)
                changes.append({"change": STILL_FAILED if known else "failed", "doc": item.doc})
            elif isinstance(item, MovedRecord):
                changes.append({"change": "moved", "doc": item.version.doc})
            elif isinstance(item, FinishedSource):
                removed |= {v.doc: v.sha256 for v in item.gone}
        seen = {*todo.gone, *(source.id for source in todo.read)}
        changes += [
            {"change": STILL_FAILED, "doc": doc}
            for doc, source in store.sources.failures()
            if source not in seen
        ]
    changes += _renamed(added, removed)
    changes += [{"change": "waiting", "doc": doc} for doc in waiting.chunks]
    return sorted(changes, key=lambda c: (c["doc"], c["change"])), waiting


def _renamed(added: dict[str, str], removed: dict[str, str]) -> list[dict[str, str]]:
    """The changes of documents that come and go, given their hashes: one with the same content as
    one that goes is renamed, as an update counts it."""
    former: dict[str, list[str]] = {}
    for doc, content in sorted(removed.items(), reverse=True):
        former.setdefault(content, []).append(doc)
    changes = []
    for doc, content in sorted(added.items()):
        if names := former.get(content):
            changes.append({"change": "renamed", "doc": doc, "from": names.pop()})
        else:
            changes.append({"change": "added", "doc": doc})
    return changes + [{"change": "removed", "doc": doc} for docs in former.values() for doc in docs]


def check(folder: Path, settings: Settings) -> Iterator[tuple[str, str]]:
    """Verify a store and repair it where possible: yields (part, finding), finding "" if intact.

    Without write access, it reports the repairs it would make. Raises StoreDamaged if the database
    itself is damaged.
    """
    if not os.access(folder, os.W_OK):
        yield from _verify(folder)
        return
    with writer_lock(folder), open_writer(folder) as store:
        for part in store.sound_parts():
            yield part, ""
        yield "content", _unpacked(folder)
        yield "vectors", _mend_vectors(store, settings)
        loose = store.sweep_all()
        yield "unused vectors and extractions", f"{loose} deleted" if loose else ""
        if store.replies.are_there():
            yield "unused replies of the language model", _sweep_replies(store, settings)
        yield "derived files", _mend_derived(store)


def _verify(folder: Path) -> Iterator[tuple[str, str]]:
    with open_to_compare(folder) as store:
        for part in store.sound_parts():
            yield part, ""
        yield "content", _unpacked(folder)
        broken = _vector_problem(store)
        yield "vectors", f"would be embedded again; no write access: {broken}" if broken else ""
        loose = store.unused()
        found = f"{loose} would be deleted; no write access" if loose else ""
        yield "unused vectors and extractions", found
        broken = derive.problem(folder, store.generation, thorough=True) if store.generation else ""
        yield "derived files", f"would be rebuilt; no write access: {broken}" if broken else ""


def _unpacked(folder: Path) -> str:
    """Unpack all that the digest covers, since a sound page can hold a text that is not one."""
    with open_snapshot(folder) as snapshot:
        digest(snapshot)
    return ""


def _sweep_replies(store: StoreWriter, settings: Settings) -> str:
    loose = sweep_replies(store, ModelSet(settings))
    if loose is None:
        return "kept until the language model has read the whole store"
    return f"{loose} deleted" if loose else ""


def _vector_problem(store: StoreWriter) -> str:
    if store.is_first():
        return ""
    current = store.generation
    found = derive.vector_problem(store.folder, current, thorough=True)
    if not found and (lost := derive.lost_vectors(store)):
        found = f"{lost} rows do not fit the files"
    return found


def _mend_vectors(store: StoreWriter, settings: Settings) -> str:
    found = _vector_problem(store)
    if found:
        derive.mend_vectors(store, restorer(store, ModelSet(settings)))
        derived.prune(store.folder, store.generation)
        return f"embedded again: {found}"
    return ""


def _mend_derived(store: StoreWriter) -> str:
    current = store.generation
    if not current:
        return ""
    found = derive.problem(store.folder, current, thorough=True)
    if found:
        derive.mend_edges(store)
        derived.prune(store.folder, current)
        return f"rebuilt: {found}"
    return ""
