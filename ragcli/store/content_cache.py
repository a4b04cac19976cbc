"""The cache by content: extractions and findings, each under a hash (content_keys)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragcli.store.packing import pack_data, plain_data
from ragcli.store.queries import Queries, marks, parts
from ragcli.store.transaction import transaction


class ContentCache(Queries):
    """The table of extractions and findings."""

    def known(self, keys: Sequence[bytes]) -> set[bytes]:
        """Which of the keys have content."""
        query = "SELECT hash FROM extractions WHERE hash IN ({})"
        return {
            key for part in parts(keys) for key in self._column(query.format(marks(part)), part)
        }

    def keep(self, rows: Mapping[bytes, bytes]) -> None:
        """Save content by key, before its document is complete."""
        with transaction(self._db):
            self._db.executemany(
                "INSERT OR IGNORE INTO extractions VALUES (?, ?)",
                ((key, pack_data(data)) for key, data in rows.items()),
            )

    def get(self, key: bytes) -> bytes:
        """The content of a key. Raises KeyError if there is none."""
        data = self._value("SELECT data FROM extractions WHERE hash = ?", (key,))
        if data is None:
            raise KeyError(key)
        return plain_data(data) or b""
