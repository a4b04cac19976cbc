"""The cache by content: extractions and findings, each under a hash (content_keys)."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

from ragcli.store.packing import pack_data, plain_data
from ragcli.store.transaction import transaction

# Placeholders in one statement; SQLite allows more.
_AT_ONCE = 500


class ContentCache:
    """The table of extractions and findings."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def known(self, keys: Sequence[bytes]) -> set[bytes]:
        """Which of the keys have content."""
        found: set[bytes] = set()
        for at in range(0, len(keys), _AT_ONCE):
            part = keys[at : at + _AT_ONCE]
            marks = ",".join("?" * len(part))
            rows = self._db.execute(f"SELECT hash FROM extractions WHERE hash IN ({marks})", part)
            found.update(row[0] for row in rows)
        return found

    def keep(self, rows: Mapping[bytes, bytes]) -> None:
        """Save content by key, before its document is complete."""
        with transaction(self._db):
            self._db.executemany(
                "INSERT OR IGNORE INTO extractions VALUES (?, ?)",
                ((key, pack_data(data)) for key, data in rows.items()),
            )

    def get(self, key: bytes) -> bytes:
        """The content of a key. Raises KeyError if there is none."""
        query = "SELECT data FROM extractions WHERE hash = ?"
        row = self._db.execute(query, (key,)).fetchone()
        if row is None:
            raise KeyError(key)
        return plain_data(row[0]) or b""
