"""The vectors of the entities' names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragcli.store.queries import Queries


@dataclass(frozen=True, slots=True)
class UnembeddedName:
    """An entity whose name has no vector, because it is new or has a new spelling."""

    entity: int
    name: str


class EntityNames(Queries):
    """Names and their vectors; everything happens inside the caller's transaction."""

    def without_vector(self) -> list[UnembeddedName]:
        """Names to be embedded, by row."""
        return self._records(
            UnembeddedName,
            "SELECT id, name FROM entities WHERE kind = 'name' AND vector IS NULL ORDER BY id",
        )

    def set_vectors(self, names: Sequence[UnembeddedName], vectors: Sequence[bytes]) -> None:
        """Save the hash of each name's vector."""
        self._db.executemany(
            "UPDATE entities SET vector = ? WHERE id = ?",
            [(key, n.entity) for n, key in zip(names, vectors, strict=True)],
        )

    def of(self, entity: int) -> str:
        """The name of an entity."""
        return str(self._value("SELECT name FROM entities WHERE id = ?", (entity,)))
