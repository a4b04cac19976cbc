"""The hierarchy of a snapshot: entities at level 0, aggregated entities above."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ragcli.store import cluster_links, relations
from ragcli.store.queries import Queries, marks

# Most questions read no hierarchy, and its records take 8 ms to make.
if TYPE_CHECKING:
    from ragcli.store.hierarchy import ClusterNode

# (level, row): an entity of the store at level 0, an aggregated entity above.
Place = tuple[int, int]


class LevelRelation(NamedTuple):
    """A relation between two rows of one level.

    It aggregates ``links`` relations of the level below and ``weight`` sentences; ``text`` is a
    model's description, if there is one.
    """

    a: int
    b: int
    links: int
    weight: int
    text: str | None


class Hierarchy(Queries):
    """Queries about the hierarchy; without a hierarchy they return no rows."""

    def is_built(self) -> bool:
        """Whether the store has a hierarchy."""
        from ragcli.store import hierarchy

        return hierarchy.is_built(self._db)

    def is_member(self, entity: int) -> bool:
        """Whether an entity is in the hierarchy."""
        query = "SELECT 1 FROM hierarchy_members WHERE entity = ?"
        return self._first(query, (entity,)) is not None

    def chunk_behind(self, entity: int) -> int | None:
        """The chunk of whose document a member's description was taken; None: of its profile."""
        chunk = self._value("SELECT chunk FROM hierarchy_members WHERE entity = ?", (entity,))
        return None if chunk is None else int(chunk)

    def parent(self, place: Place) -> int | None:
        """The row of a node's parent, one level up; None at the top."""
        level, row = place
        table, key = ("hierarchy_nodes", "id") if level else ("hierarchy_members", "entity")
        parent = self._value(f"SELECT parent FROM {table} WHERE {key} = ?", (row,))
        return None if parent is None else int(parent)

    def described(self, level: int, rows: Sequence[int]) -> dict[int, tuple[str, str]]:
        """Row -> (name, description) of nodes of one level, in the order given."""
        return cluster_links.described(self._db, level, rows)

    def relations_among(self, level: int, rows: Sequence[int]) -> list[LevelRelation]:
        """The relations between nodes of one level, strongest first."""
        if not level:
            known = relations.among(self._db, np.array(rows, dtype=np.int64))
            order = np.lexsort((known.keys, -known.counts))
            ends = (x[order].tolist() for x in (*known.ends, known.counts))
            return [LevelRelation(a, b, 1, n, None) for a, b, n in zip(*ends, strict=True)]
        return self._records(
            LevelRelation,
            f"SELECT a, b, links, weight, text FROM hierarchy_relations WHERE a IN ({marks(rows)})"
            f" AND b IN ({marks(rows)}) ORDER BY 4 DESC, a, b",
            (*rows, *rows),
        )

    def links_below(self, level: int, a: int, b: int, k: int) -> list[tuple[str, str, int]]:
        """(name, name, sentences) of the k strongest relations between members of two nodes."""
        strongest = cluster_links.strongest(self._db, level, a, b, k)
        return cluster_links.named(self._db, level - 1, strongest)

    def listing(self) -> dict[str, Any]:
        """The object that ``inspect hierarchy --json`` prints; {} if there is no hierarchy."""
        from ragcli.store import hierarchy

        return hierarchy.listing(self._db)

    def nodes(self) -> Iterator[ClusterNode]:
        """All aggregated entities, from the lowest level up."""
        from ragcli.store import hierarchy

        return hierarchy.nodes(self._db)

    def relations(self, limit: int) -> list[tuple[int, int, int, int]]:
        """(level, a, b, sentences) of the strongest aggregated relations."""
        return self._all(
            "SELECT level, a, b, weight FROM hierarchy_relations"
            " ORDER BY weight DESC, a, b LIMIT ?",
            (limit,),
        )
