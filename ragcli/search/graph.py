"""The graph of entities that stand in one sentence, and as an igraph on demand.

Importing igraph takes 0.3 s, a third of what a cold question may cost, so short hops are counted
right here; everything that is a real graph algorithm goes through ``to_igraph``.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragcli.search import arrays
from ragcli.search.edges import EdgeLayer, Rows
from ragcli.search.vector_set import ARRAYS

Int = NDArray[np.int64]


class EntityGraph:
    """Undirected weighted graph over rows of the table entities."""

    def __init__(self, edges: Rows) -> None:
        """From edges, each given from both of its ends."""
        self._edges = edges

    @classmethod
    def open(cls, segments: Sequence[Path]) -> EntityGraph:
        """Map the edges of some segments, oldest first. Raises StoreDamaged."""
        found = [arrays.load(folder / ARRAYS) for folder in segments]
        return cls(Rows([EdgeLayer.from_arrays("relations", has) for has in found]))

    def has(self, entity: int) -> bool:
        """Whether an entity row stands beside any other."""
        return bool(self._edges.degrees(np.array([entity]))[0])

    def neighbours(self, entity: int) -> tuple[Int, NDArray[np.float32]]:
        """Adjacent entity rows, rising, and the weights of the edges to them."""
        _, ends, weights = self._edges.of(np.array([entity]))
        return ends, weights

    def hops(self, source: int, targets: set[int], limit: int) -> dict[int, int]:
        """Fewest edges from ``source`` to each of ``targets`` that is at most ``limit`` away."""
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
        """Unseen neighbours of the frontier, marked as seen."""
        fresh = np.zeros(len(seen), dtype=bool)
        fresh[self._edges.of(frontier)[1]] = True
        fresh &= ~seen
        seen |= fresh
        return np.flatnonzero(fresh)

    def shortest_path(self, source: int, target: int, poor: set[int]) -> list[int] | None:
        """Entity rows along the cheapest way, both ends included; None without a way.

        An edge costs one, a little more the weaker it is, and 0.6 more for each end in ``poor``:
        a detour of one edge is worth not passing through such an entity.
        """
        rows, graph = self.to_igraph()
        if not np.isin([source, target], rows).all():
            return None
        ends = np.searchsorted(rows, [source, target]).tolist()
        burden = np.isin(rows, list(poor)) * 0.6
        a, b = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2).T
        costs = 1 + 0.01 / (1 + np.array(graph.es["weight"])) + burden[a] + burden[b]
        with warnings.catch_warnings():
            # igraph warns when there is no way; the empty path says as much.
            warnings.simplefilter("ignore", RuntimeWarning)
            path = graph.get_shortest_path(*ends, weights=costs.tolist())
        return [int(rows[node]) for node in path] or None

    def to_igraph(self) -> tuple[Int, Any]:
        """Entity rows with an edge, rising, and the igraph.Graph over their positions.

        Edges have the attribute ``weight``.
        """
        import igraph

        sources, ends, weights = self._edges.listed()
        rows = np.unique(sources)
        once = sources < ends
        graph = igraph.Graph(
            n=len(rows),
            edges=np.searchsorted(rows, np.column_stack([sources[once], ends[once]])),
        )
        graph.es["weight"] = weights[once].tolist()
        return rows, graph
