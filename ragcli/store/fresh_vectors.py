"""Vectors on their way: by hash of embedder and text, until the files of a generation have them.

They are in a database of their own, ``vectors.sqlite``, which is attached to that of the writer and
removed at the end of a run. So a stopped run loses none, and the store does not grow by pages that
only a commit frees.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from functools import cached_property
from pathlib import Path

from ragcli.store.durable import remove_database
from ragcli.store.meta import has_pending
from ragcli.store.queries import marks, parts
from ragcli.store.transaction import transaction
from ragcli.store.vector_sets import VECTOR_SETS

FILE = "vectors.sqlite"
TABLE = "CREATE TABLE vectors (hash BLOB PRIMARY KEY, vector BLOB NOT NULL)"

_TABLES = tuple(s.table for s in VECTOR_SETS)

Row = tuple[bytes, bytes]


class FreshVectors:
    """The vectors that a run has computed since the last commit, in float16."""

    def __init__(self, db: sqlite3.Connection, folder: Path, *, readonly: bool = False) -> None:
        """The database of ``folder`` is attached to ``db`` at its first use.

        ``readonly``: write nothing; without the file, there are no vectors.
        """
        self._main = db
        self._path = folder / FILE
        self._readonly = readonly

    @cached_property
    def _db(self) -> sqlite3.Connection:
        """The connection, with the database attached; also within a transaction."""
        if any(name == "fresh" for _, name, _ in self._main.execute("PRAGMA database_list")):
            return self._main  # by an earlier writer over this connection
        if self._readonly and not self._path.exists():
            self._main.execute("ATTACH ':memory:' AS fresh")
            self._main.execute(TABLE.replace(" vectors", " fresh.vectors"))
            return self._main
        if not self._readonly:
            # Not by the other connection: a transaction that is rolled back would undo it.
            with closing(sqlite3.connect(self._path, isolation_level=None)) as own:
                own.execute("PRAGMA journal_mode = WAL")
                own.execute(TABLE.replace("TABLE", "TABLE IF NOT EXISTS"))
        mode = "ro" if self._readonly else "rw"
        uri = f"{self._path.absolute().as_uri()}?mode={mode}"
        self._main.execute("ATTACH ? AS fresh", (uri,))
        if not self._readonly and not self._main.in_transaction:
            self._main.execute("PRAGMA fresh.synchronous = NORMAL")
        return self._main

    def _is_there(self) -> bool:
        """Whether there may be any vector; without it, nothing need be attached."""
        return "_db" in self.__dict__ or self._path.exists()

    def known(self, keys: Sequence[bytes]) -> set[bytes]:
        """Which of the keys have a vector, here or in the files: each that a row names has one."""
        found: set[bytes] = set()
        for part in parts(keys):
            numbers = ",".join(f"?{n + 1}" for n in range(len(part)))
            queries = [f"SELECT vector FROM {t} WHERE vector IN ({numbers})" for t in _TABLES]
            if self._is_there():
                queries.append(f"SELECT hash FROM fresh.vectors WHERE hash IN ({numbers})")
            db = self._db if self._is_there() else self._main
            found.update(row[0] for row in db.execute(" UNION ".join(queries), part))
        return found

    def keep(self, rows: Mapping[bytes, bytes]) -> None:
        """Save vectors by key, before their document is complete."""
        self.take(rows.items())

    def take(self, rows: Iterable[Row]) -> None:
        """Save (key, vector) pairs."""
        with transaction(self._db):
            self._db.executemany("INSERT OR IGNORE INTO fresh.vectors VALUES (?, ?)", rows)

    def of(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The vectors of those keys that have one here."""
        found: dict[bytes, bytes] = {}
        for part in parts(keys) if self._is_there() else ():
            query = f"SELECT * FROM fresh.vectors WHERE hash IN ({marks(part)})"
            found.update(self._db.execute(query, part))
        return found

    def get(self, key: bytes) -> bytes:
        """The vector of a key. Raises KeyError if it is not here."""
        return self.of([key])[key]

    def missing(self) -> int:
        """The number of rows whose vector is not here."""
        query = "SELECT count(*) FROM {} WHERE vector NOT IN (SELECT hash FROM fresh.vectors)"
        return sum(self._db.execute(query.format(table)).fetchone()[0] for table in _TABLES)

    def count(self) -> int:
        """The number of vectors that no row of a pending document may need; see ``clear``."""
        if not self._is_there() or self.are_pending():
            return 0
        return int(self._db.execute("SELECT count(*) FROM fresh.vectors").fetchone()[0])

    def clear(self) -> int:
        """Delete all vectors, which the files have now, and return their number.

        Does nothing while documents are pending.
        """
        count = self.count()
        if count:
            with transaction(self._db):
                self._db.execute("DELETE FROM fresh.vectors")
        return count

    def are_pending(self) -> bool:
        """Whether a pending document may need vectors that the files do not have."""
        return has_pending(self._main)


def remove_fresh(folder: Path) -> None:
    """Delete the database and its log; no process may have it open."""
    remove_database(folder / FILE)
