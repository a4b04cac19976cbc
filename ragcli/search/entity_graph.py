"""The graph of entities that occur in the same sentence; converts to igraph on demand.

Importing igraph takes 0.3 s, a third of the time for a first question. So this module counts short
hops itself. Other graph algorithms use ``to_igraph``.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragcli.search import arrays
from ragcli.search.edge_layers import Rows, from_arrays
from ragcli.search.vector_set import ARRAYS
from ragcli.store.relations import Relations

Int = NDArray[np.int64]


class EntityGraph:
    """Undirected weighted graph over rows of the table entities."""

    def __init__(self, edges: Rows, relations: Callable[[], Relations]) -> None:
        """Wrap edges, each stored from both of its ends; ``relations`` returns their weights."""
        self._edges = edges
        self._relations = relations

    @classmethod
    def open(cls, segments: Sequence[Path], relations: Callable[[], Relations]) -> EntityGraph:
        """Map the edges of some segments, oldest first. Raises StoreDamaged.

        ``relations`` returns all relations of the same generation.
        """
        found = [arrays.load(folder / ARRAYS) for folder in segments]
        return cls(Rows([from_arrays("relations", has) for has in found]), relations)

    def has(self, entity: int) -> bool:
        """Return whether an entity row has any neighbour."""
        return bool(self._edges.degrees(np.array([entity]))[0])

    def hops(self, source: int, targets: set[int], limit: int) -> dict[int, int]:
        """Return the fewest edges from ``source`` to each of ``targets`` within ``limit`` hops."""
        found: dict[int, int] = {}
        seen = np.zeros(max(self._edges.span, source + 1), dtype=bool)
        seen[source] = True
        frontier = np.array([source])
        wanted = {t for t in targets if t < len(seen)} - {source}
        for step in range(1, limit + 1):
            frontier = self._spread(frontier, seen)
            for target in [t for t in wanted if seen[t]]:
                found[target] = step
                wanted.discard(target)
            if not wanted or not len(frontier):
                break
        return found

    def _spread(self, frontier: Int, seen: NDArray[np.bool_]) -> Int:
        """Return the unseen neighbours of the frontier and mark them as seen."""
        fresh = np.zeros(len(seen), dtype=bool)
        fresh[self._edges.of(frontier)[1]] = True
        fresh &= ~seen
        seen |= fresh
        return np.flatnonzero(fresh)

    def shortest_path(self, source: int, target: int, poor: set[int]) -> list[int] | None:
        """Return the entity rows on the cheapest path, both ends included, or None.

        An edge costs one, slightly more if it is weak, and 0.6 more for each end in ``poor``. So a
        path takes a detour of one edge to avoid such an entity.
        """
        rows, graph = self.to_igraph()
        if not np.isin([source, target], rows).all():
            return None
        ends = np.searchsorted(rows, [source, target]).tolist()
        burden = np.isin(rows, list(poor)) * 0.6
        a, b = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2).T
        costs = 1 + 0.01 / (1 + np.array(graph.es["weight"])) + burden[a] + burden[b]
        with warnings.catch_warnings():
            # igraph warns if there is no path; the empty result says the same.
            warnings.simplefilter("ignore", RuntimeWarning)
            path = graph.get_shortest_path(*ends, weights=costs.tolist())
        return [int(rows[node]) for node in path] or None

    def to_igraph(self) -> tuple[Int, Any]:
        """Return the entity rows with edges, rising, and an igraph.Graph over their positions.

        Its edges have the attribute ``weight``.
        """
        import igraph

        known = self._relations()
        ends = np.column_stack(known.ends)
        rows = np.unique(ends)
        graph = igraph.Graph(n=len(rows), edges=np.searchsorted(rows, ends))
        graph.es["weight"] = known.weights.astype(np.float32).tolist()
        return rows, graph
