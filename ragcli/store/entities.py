"""The vectors of the entities' names."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class UnembeddedName:
    """An entity whose name has no vector, because it is new or has a new spelling."""

    entity: int
    name: str


class EntityNames:
    """Names and their vectors; everything happens inside the caller's transaction."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def without_vector(self) -> list[UnembeddedName]:
        """Names to be embedded, by row."""
        rows = self._db.execute(
            "SELECT id, name FROM entities WHERE kind = 'name' AND vector IS NULL ORDER BY id"
        )
        return [UnembeddedName(*row) for row in rows]

    def set_vectors(self, names: Sequence[UnembeddedName], vectors: Sequence[bytes]) -> None:
        """Save the hash of each name's vector."""
        self._db.executemany(
            "UPDATE entities SET vector = ? WHERE id = ?",
            [(key, n.entity) for n, key in zip(names, vectors, strict=True)],
        )

    def of(self, entity: int) -> str:
        """The name of an entity."""
        row = self._db.execute("SELECT name FROM entities WHERE id = ?", (entity,)).fetchone()
        return str(row[0])
