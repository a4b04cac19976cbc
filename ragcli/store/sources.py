"""The sources of a store: its folders, the files in them, and failures to read them."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path

import orjson

from ragcli.errors import BundleError
from ragcli.store import place
from ragcli.store.meta import now
from ragcli.store.queries import Queries
from ragcli.store.roots import (
    add_roots,
    forget_root,
    moved,
    moved_roots,
    replace_roots,
    roots,
)
from ragcli.store.transaction import transaction
from ragcli.types import Skipped, Source

# A file changed within the last two seconds may change again with the same size and time.
_SETTLED_NS = 2_000_000_000


class SourceWriter(Queries):
    """Folders, files and failures of a store. Every method that writes is one transaction."""

    def __init__(self, db: sqlite3.Connection, home: Path) -> None:
        """``home``: the store's folder, the base of relative roots."""
        super().__init__(db)
        self._home = home

    def roots(self) -> list[str]:
        """Absolute paths of the folders and files that the store is built from, in order of first
        use; they need not exist."""
        return roots(self._db, self._home)

    def unconfirmed(self) -> list[str]:
        """Roots that a run may read only if it names them; see ``place``."""
        return place.unconfirmed(self._db, self._home, self.roots())

    def confirm(self) -> None:
        """Let later runs read all roots."""
        with transaction(self._db):
            place.confirm(self._db, self._home)

    def add_roots(self, paths: Sequence[str]) -> None:
        """Add folders and files to the roots."""
        add_roots(self._db, self._home, paths)

    def move_roots(self, paths: Sequence[Path]) -> None:
        """Replace the roots with folders of this machine, in their order.

        Without folders, the roots are unchanged. Raises BundleError if a folder is given twice.
        """
        if len({path.absolute() for path in paths}) < len(paths):
            raise BundleError("the same folder was given twice")
        replace_roots(self._db, [str(path.absolute()) for path in paths])

    def files(self) -> dict[str, Source]:
        """Source id -> the file at the last scan."""
        gone = moved_roots(self._db, self._home)
        rows = self._db.execute("SELECT source, path, size, mtime_ns FROM files")
        return {
            s: Source(s, moved(os.fsdecode(path), gone), size, time_)
            for s, path, size, time_ in rows
        }

    def saw(self, source: Source, failed: Sequence[str] = ()) -> None:
        """Record size and time of a file whose documents are up to date.

        ``failed`` are the ids of its parts that could not be read; earlier failures are deleted.

        A file that changed within the last two seconds is read again next time.
        """
        fresh = time.time_ns() - source.mtime_ns < _SETTLED_NS
        changed = -1 if fresh else source.mtime_ns
        row = (source.id, os.fsencode(source.path), source.size, changed)
        with transaction(self._db):
            self._db.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)", row)
            self._db.execute(
                "DELETE FROM failures WHERE source = ?"
                " AND doc NOT IN (SELECT value FROM json_each(?))",
                (source.id, orjson.dumps(failed).decode()),
            )

    def forget(self, source: str) -> None:
        """Delete the entry of a removed file."""
        with transaction(self._db):
            for table in ("files", "failures", "failed_files", "unread_files"):
                self._db.execute(f"DELETE FROM {table} WHERE source = ?", (source,))

    def failed(self, doc: str, source: Source, error: str) -> None:
        """Record why a document could not be read; its last good version is kept."""
        with transaction(self._db):
            row = (doc, source.id, error, now())
            self._db.execute("INSERT OR REPLACE INTO failures VALUES (?, ?, ?, ?)", row)
            seen = (source.id, source.size, source.mtime_ns)
            self._db.execute("INSERT OR REPLACE INTO failed_files VALUES (?, ?, ?)", seen)

    def has_failed_before(self, doc: str, source: Source) -> bool:
        """Whether a document failed before and its file has not changed since."""
        return bool(
            self._value(
                "SELECT EXISTS (SELECT 1 FROM failures f JOIN failed_files x ON x.source = f.source"
                " WHERE f.doc = ? AND x.source = ? AND x.size = ? AND x.mtime_ns = ?)",
                (doc, source.id, source.size, source.mtime_ns),
            )
        )

    def distrust(self, sources: Sequence[str]) -> None:
        """Let the next run read these files again."""
        with transaction(self._db):
            self._db.executemany(
                "UPDATE files SET mtime_ns = -1 WHERE source = ?", [(s,) for s in sources]
            )

    def left_out(self, skipped: Sequence[Skipped], whole: bool) -> None:
        """Record what a scan has left out; ``whole``: the scan was not limited to some paths."""
        with transaction(self._db):
            if whole:
                self._db.execute("DELETE FROM unread_files WHERE scanned")
            self._db.executemany(
                "INSERT OR REPLACE INTO unread_files VALUES (?, ?, 1)",
                [(skip.id, skip.reason) for skip in skipped],
            )

    def unread(self, skipped: Skipped) -> None:
        """Record that a file was opened and is no document."""
        row = (skipped.id, skipped.reason)
        with transaction(self._db):
            self._db.execute("INSERT OR REPLACE INTO unread_files VALUES (?, ?, 0)", row)

    def failed_files(self) -> dict[tuple[str, int, int], str]:
        """(source id, size, time of change) of the files that could not be read -> the reason."""
        rows = self._db.execute(
            "SELECT x.source, x.size, x.mtime_ns, f.error FROM failed_files x"
            " JOIN failures f ON f.doc = x.source"
        )
        return {(source, size, changed): error for source, size, changed, error in rows}

    def with_reason(self, part: str) -> set[str]:
        """The files for which a reason not to read them, or a part of them, contains a text."""
        return set(
            self._column(
                "SELECT source FROM unread_files WHERE instr(reason, :part) UNION"
                " SELECT source FROM failures WHERE instr(error, :part)",
                {"part": part},
            )
        )

    def scanned(self) -> set[str]:
        """The files with lines that were read from pictures."""
        return set(
            self._column(
                "SELECT DISTINCT source FROM documents WHERE id IN (SELECT doc FROM scanned_lines)"
            )
        )

    def failures(self) -> list[tuple[str, str]]:
        """(document, its file) of every document that could not be read."""
        return self._all("SELECT doc, source FROM failures ORDER BY doc")

    def failed_sources(self) -> set[str]:
        """Files with failures."""
        return set(self._column("SELECT source FROM failures"))

    def forget_roots(self, paths: Sequence[str]) -> None:
        """Remove roots; the caller removes their documents."""
        for path in paths:
            forget_root(self._db, self._home, path)
