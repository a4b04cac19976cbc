"""What a run finds changed in the folders that a store is built from."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from ragcli.corpus.limit import limit_to
from ragcli.corpus.scan import Scan
from ragcli.indexing.changes import ReadPlan, plan, scan_within
from ragcli.indexing.request import IndexRequest
from ragcli.store.meta import get_meta, set_meta
from ragcli.store.writer import DocumentVersion, StoreWriter


def look(
    db: sqlite3.Connection,
    request: IndexRequest,
    writer: StoreWriter,
    versions: Mapping[str, DocumentVersion],
) -> tuple[Scan, ReadPlan]:
    """Scan the store's folders and compare; the first two steps of the line."""
    # Not Path.resolve: a folder reached by a link keeps the name the user gave it.
    given = [str(path.absolute()) for path in request.paths]
    roots = list(dict.fromkeys((*writer.roots(), *given)))
    # Patterns stay in force for later updates until others are given.
    include = list(request.include) or get_meta(db, "include").splitlines()
    exclude = list(request.exclude) or get_meta(db, "exclude").splitlines()
    limit, files = limit_to(request.only, roots), writer.files()
    found = scan_within(limit, roots, include, exclude, files)
    # Only now that all could be opened are they remembered: a mistyped path must not stay.
    writer.add_roots(given)
    set_meta(db, "include", "\n".join(include))
    set_meta(db, "exclude", "\n".join(exclude))
    return found, plan(found, files, versions, limit)
