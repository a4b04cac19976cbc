"""The vectors of the entities' names."""

from __future__ import annotations

from collections.abc import Iterable

from ragcli.store.queries import Queries


class EntityNames(Queries):
    """Names and their vectors; everything happens inside the caller's transaction."""

    def without_vector(self) -> dict[int, str]:
        """Row -> name of the entities whose name is new or has a new spelling, by row."""
        query = "SELECT id, name FROM entities WHERE kind = 'name' AND vector IS NULL ORDER BY id"
        return dict(self._all(query))

    def set_vectors(self, rows: Iterable[int], vectors: Iterable[bytes]) -> None:
        """Save the hash of each name's vector."""
        self._db.executemany(
            "UPDATE entities SET vector = ? WHERE id = ?", zip(vectors, rows, strict=True)
        )

    def of(self, entity: int) -> str:
        """The name of an entity."""
        return str(self._value("SELECT name FROM entities WHERE id = ?", (entity,)))
