"""The caches by content: extractions, findings and vectors, each under a hash (content_keys)."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Literal

from ragcli.store.packing import pack_data, plain_data
from ragcli.store.transaction import transaction

# Placeholders in one statement; SQLite allows more.
_AT_ONCE = 500


class ContentCache:
    """One of the two tables of content: ``extractions`` (findings, too) and ``vectors``."""

    def __init__(self, db: sqlite3.Connection, table: Literal["extractions", "vectors"]) -> None:
        self._db = db
        self._table = table

    def known(self, keys: Sequence[bytes]) -> set[bytes]:
        """Which of the keys have content."""
        found: set[bytes] = set()
        for at in range(0, len(keys), _AT_ONCE):
            part = keys[at : at + _AT_ONCE]
            marks = ",".join("?" * len(part))
            rows = self._db.execute(f"SELECT hash FROM {self._table} WHERE hash IN ({marks})", part)
            found.update(row[0] for row in rows)
        return found

    def keep(self, rows: Mapping[bytes, bytes]) -> None:
        """Save content by key, before its document is complete."""
        packed = pack_data if self._table == "extractions" else bytes  # vectors do not get shorter
        with transaction(self._db):
            self._db.executemany(
                f"INSERT OR IGNORE INTO {self._table} VALUES (?, ?)",
                ((key, packed(data)) for key, data in rows.items()),
            )

    def get(self, key: bytes) -> bytes:
        """The content of a key. Raises KeyError if there is none."""
        query = f"SELECT * FROM {self._table} WHERE hash = ?"
        row = self._db.execute(query, (key,)).fetchone()
        if row is None:
            raise KeyError(key)
        return plain_data(row[1]) or b"" if self._table == "extractions" else bytes(row[1])
