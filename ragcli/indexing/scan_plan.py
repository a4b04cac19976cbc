"""Scans the folders of a store and plans which files a run must read."""

from __future__ import annotations

from collections.abc import Mapping

from ragcli.corpus.limit import limit_to
from ragcli.corpus.scan import Scan
from ragcli.indexing.changes import ReadPlan, plan, scan_within
from ragcli.indexing.request import IndexRequest
from ragcli.store.documents import DocumentVersion
from ragcli.store.meta import Patterns
from ragcli.store.writer import StoreWriter


def scan_for_changes(
    store: StoreWriter, request: IndexRequest, versions: Mapping[str, DocumentVersion]
) -> tuple[Scan, ReadPlan]:
    """Scan the store's folders and compare them with the store."""
    # Not Path.resolve: a folder reached by a link keeps the name the user gave it.
    given = [str(path.absolute()) for path in request.paths]
    roots = list(dict.fromkeys((*store.sources.roots(), *given)))
    patterns = patterns_of(store, request)
    limit, files = limit_to(request.only, roots), store.sources.files()
    found = scan_within(limit, roots, patterns.include, patterns.exclude, files)
    # Remember them only after all could be opened: a mistyped path must not stay.
    store.sources.add_roots(given)
    store.meta.patterns = patterns
    return found, plan(found, files, versions, limit)


def patterns_of(store: StoreWriter, request: IndexRequest) -> Patterns:
    """The patterns of a run: those given, else the store's own."""
    kept = store.meta.patterns
    return Patterns(request.include or kept.include, request.exclude or kept.exclude)
