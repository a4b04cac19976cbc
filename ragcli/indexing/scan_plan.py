"""Scans the folders of a store and plans which files a run must read."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ragcli.corpus.read import may_hold_pictures
from ragcli.corpus.read.ocr import NO_TIME, UNREAD, no_time
from ragcli.corpus.read.registry import identities
from ragcli.corpus.read_limits import ReadLimits
from ragcli.corpus.scan import Scan
from ragcli.corpus.scan_limit import limit_to
from ragcli.corpus.shard import Shard, fingerprint
from ragcli.errors import InputError
from ragcli.indexing.changes import ReadPlan, plan, scan_within
from ragcli.indexing.request import IndexRequest
from ragcli.store.documents import DocumentVersion
from ragcli.store.meta import Patterns
from ragcli.store.writer import StoreWriter


def compare(
    store: StoreWriter,
    request: IndexRequest,
    versions: Mapping[str, DocumentVersion],
    limits: ReadLimits,
) -> tuple[Scan, ReadPlan]:
    """Scan the store's folders and compare; writes nothing.

    A file whose reading was stopped at one of ``limits``, and would be stopped again, is not read.

    A root of the store that cannot be opened keeps its documents and is named in the scan; a root
    that the request names must be there.
    """
    # Not Path.resolve: a folder reached by a link keeps the name the user gave it.
    given = [str(path.absolute()) for path in request.paths]
    forgotten = roots_to_forget(store, request.forget)
    known = [root for root in store.sources.roots() if root not in forgotten]
    roots = list(dict.fromkeys((*known, *given)))
    patterns = patterns_of(store, request)
    limit, files = limit_to(request.only, roots), store.sources.files()
    check_confirmed(
        [root for root in store.sources.unconfirmed() if root in known and root not in given],
        store.meta.patterns,
    )
    may_miss = [root for root in known if root not in given]
    whole = scan_within(limit, roots, patterns, files, may_miss)
    shard = shard_of(store, request)
    found = shard.part_of(whole) if shard else whole
    known_files = dict(files)
    others = store.meta.readers != identities()  # other packages read when these were read
    for source in files if others else _to_be_seen(store, files, limits):
        known_files[source] = replace(files[source], mtime_ns=-1)
    todo = plan(found, known_files, versions, limit)
    if shard:
        todo.shard = shard
        todo.scanned = "" if limit else fingerprint(whole)
    if not others:
        _leave_stopped(todo, store, limits)
    if not limit and not found.missing:
        # Files that could never be read are known by their failures alone.
        present = {source.id for source in found.sources}
        todo.gone += sorted(store.sources.failed_sources() - files.keys() - present)
    return found, todo


def _to_be_seen(store: StoreWriter, files: Iterable[str], limits: ReadLimits) -> set[str]:
    """The known files with pictures that nothing has read, and that something may read now."""
    if not limits.ocr:
        return set()
    kept = store.sources
    found = kept.with_reason(UNREAD)
    found |= kept.with_reason(NO_TIME) - kept.with_reason(no_time(limits.ocr_seconds))
    if store.meta.ocr != limits.sees:
        found |= kept.scanned() | {s for s in files if may_hold_pictures(s, limits.inside)}
    return found.intersection(files)


def check_confirmed(roots: Sequence[str], patterns: Patterns) -> None:
    """Raise InputError if there are roots that no person on this machine has named."""
    if roots:
        options = [("--include", p) for p in patterns.include]
        options += [("--exclude", p) for p in patterns.exclude]
        again = [*(word for option in options for word in option), *roots]
        raise InputError(
            "this store comes from elsewhere (a bundle, another folder, machine or owner) and names"
            f" folders to read: {', '.join(roots)}",
            f"if they are yours, name them once: ragcli index {shlex.join(again)}",
        )


def _leave_stopped(todo: ReadPlan, store: StoreWriter, limits: ReadLimits) -> None:
    """Move the files that would be stopped again from ``read`` to ``stopped``."""
    failures = store.sources.failed_files()
    read = []
    for source in todo.read:
        reason = failures.get((source.id, source.size, source.mtime_ns), "")
        if limits.stopped(reason):
            todo.stopped.append((source.id, reason))
        else:
            read.append(source)
    todo.read = read


def scan_for_changes(
    store: StoreWriter,
    request: IndexRequest,
    versions: Mapping[str, DocumentVersion],
    limits: ReadLimits,
) -> tuple[Scan, ReadPlan]:
    """Scan and compare, as ``compare`` does; remember roots and patterns."""
    if limits.ocr and store.meta.ocr != limits.sees:
        store.sources.distrust(sorted(_to_be_seen(store, store.sources.files(), limits)))
        store.meta.ocr = limits.sees
    found, todo = compare(store, request, versions, limits)
    # Remember them only after all could be opened: a mistyped path must not stay.
    forgotten = roots_to_forget(store, request.forget)
    patterns = patterns_of(store, request)
    store.sources.add_roots([str(path.absolute()) for path in request.paths])
    store.sources.forget_roots(forgotten)
    store.sources.confirm()
    store.meta.patterns = patterns
    if store.meta.readers != (readers := identities()):
        store.sources.distrust(list(store.sources.files()))
        store.meta.readers = readers
    if todo.scanned:
        store.meta.shard, store.meta.scanned = str(todo.shard), todo.scanned
    return found, todo


def shard_of(store: StoreWriter, request: IndexRequest) -> Shard | None:
    """The shard of a run: the store's own, or that of the first run; None: all documents.

    Raises InputError if the store has another part of the documents.
    """
    kept = store.meta.shard
    if request.shard and kept not in ("", request.shard):
        raise InputError(
            f"the store is the shard {kept}, not {request.shard}", "name another with --store"
        )
    fresh = request.rebuild or not (store.generation or store.documents.newest())
    if request.shard and not kept and not fresh:
        raise InputError("the store has documents of all shards", "name another place with --store")
    text = request.shard or kept
    if text and (request.hierarchy or request.hierarchy_by):
        raise InputError("a shard has no hierarchy", "give --hierarchy to: ragcli merge")
    return Shard.parse(text) if text else None


def roots_to_forget(store: StoreWriter, paths: Sequence[Path]) -> list[str]:
    """The roots that ``paths`` name. Raises InputError for a path that is no root, or for all."""
    roots = store.sources.roots()
    real = {os.path.realpath(root): root for root in roots}
    found = []
    for path in paths:
        absolute = str(path.absolute())
        root = absolute if absolute in roots else real.get(os.path.realpath(path))
        if root is None:
            raise InputError(
                f"{path} is not part of this store",
                f"the store indexes: {', '.join(roots) or 'nothing'}",
            )
        found.append(root)
    if found and not set(roots) - set(found):
        raise InputError("no folder would be left", "to remove the whole store, delete its folder")
    return found


def patterns_of(store: StoreWriter, request: IndexRequest) -> Patterns:
    """The patterns of a run: the store's own when the request names neither paths nor patterns."""
    if request.paths or request.include or request.exclude:
        return Patterns(request.include, request.exclude)
    return store.meta.patterns


def dropped_patterns(store: StoreWriter, request: IndexRequest) -> str:
    """Names the store's patterns that the run does not keep; "" when it keeps all."""
    kept, now = store.meta.patterns, patterns_of(store, request)
    gone = [f"--include {p}" for p in kept.include if p not in now.include]
    gone += [f"--exclude {p}" for p in kept.exclude if p not in now.exclude]
    return f"no longer used: {' '.join(gone)}" if gone else ""
