"""The sources of a store: its folders, the files in them, and failures to read them."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path

from ragcli.errors import BundleError
from ragcli.store.meta import now
from ragcli.store.roots import (
    add_roots,
    forget_root,
    moved,
    moved_roots,
    replace_roots,
    roots,
)
from ragcli.store.transaction import transaction
from ragcli.types import Source

# A file changed within the last two seconds may change again without its size or time showing it.
_SETTLED_NS = 2_000_000_000


class SourceWriter:
    """Folders, files and failures of a store. Every method that writes is one transaction."""

    def __init__(self, db: sqlite3.Connection, home: Path) -> None:
        """``home``: the store's folder, which roots beside it are found from."""
        self._db = db
        self._home = home

    def roots(self) -> list[str]:
        """Absolute paths of the folders and files that the store is built from, in order of first
        use; they need not be there."""
        return roots(self._db, self._home)

    def add_roots(self, paths: Sequence[str]) -> None:
        """Remember folders and files that were given to be indexed."""
        add_roots(self._db, self._home, paths)

    def move_roots(self, paths: Sequence[Path]) -> None:
        """Put folders of this machine in the place of the store's own, in their order.

        None given: they keep their names. Raises BundleError when a folder is given twice.
        """
        if len({path.absolute() for path in paths}) < len(paths):
            raise BundleError("the same folder was given twice")
        replace_roots(self._db, [str(path.absolute()) for path in paths])

    def files(self) -> dict[str, Source]:
        """Source id -> the file as of the last look."""
        gone = moved_roots(self._db, self._home)
        rows = self._db.execute("SELECT source, path, size, mtime_ns FROM files")
        return {
            s: Source(s, moved(os.fsdecode(path), gone), size, time_)
            for s, path, size, time_ in rows
        }

    def saw(self, source: Source) -> None:
        """Note size and time of a file whose documents are up to date.

        The time of a file that has just changed is not trusted: it is read again next time.
        """
        fresh = time.time_ns() - source.mtime_ns < _SETTLED_NS
        changed = -1 if fresh else source.mtime_ns
        row = (source.id, os.fsencode(source.path), source.size, changed)
        with transaction(self._db):
            self._db.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)", row)
            # Failures of records in it stay, that of the file as a whole is over.
            self._db.execute("DELETE FROM failures WHERE doc = ?", (source.id,))

    def forget(self, source: str) -> None:
        """Forget a file that is gone."""
        with transaction(self._db):
            self._db.execute("DELETE FROM files WHERE source = ?", (source,))
            self._db.execute("DELETE FROM failures WHERE source = ?", (source,))
            self._db.execute("DELETE FROM failed_files WHERE source = ?", (source,))

    def failed(self, doc: str, source: Source, error: str) -> None:
        """Note why a document could not be read; its last good version stays."""
        with transaction(self._db):
            row = (doc, source.id, error, now())
            self._db.execute("INSERT OR REPLACE INTO failures VALUES (?, ?, ?, ?)", row)
            seen = (source.id, source.size, source.mtime_ns)
            self._db.execute("INSERT OR REPLACE INTO failed_files VALUES (?, ?, ?)", seen)

    def has_failed_before(self, doc: str, source: Source) -> bool:
        """Whether a document could not be read before, either, and its file has not changed."""
        row = self._db.execute(
            "SELECT EXISTS (SELECT 1 FROM failures f JOIN failed_files x ON x.source = f.source"
            " WHERE f.doc = ? AND x.source = ? AND x.size = ? AND x.mtime_ns = ?)",
            (doc, source.id, source.size, source.mtime_ns),
        ).fetchone()
        return bool(row[0])

    def failed_sources(self) -> set[str]:
        """Files of which something could not be read."""
        return {source for (source,) in self._db.execute("SELECT source FROM failures")}

    def forget_roots(self, paths: Sequence[str]) -> None:
        """Remove roots; their documents are the caller's to remove."""
        for path in paths:
            forget_root(self._db, self._home, path)
