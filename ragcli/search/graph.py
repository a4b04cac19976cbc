"""The entity graph as memory-mapped arrays (compressed sparse rows), and as an igraph on demand.

Importing igraph takes 0.3 s, a third of what a cold question may cost, so short hops are counted
right here; everything that is a real graph algorithm goes through ``to_igraph``.
"""

from __future__ import annotations

import sqlite3
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Int = NDArray[np.int64]

_FILES = ("graph_ids", "graph_starts", "graph_ends", "graph_weights")


def write_graph(path: Path, db: sqlite3.Connection) -> None:
    """Write the relations of the store as arrays into the folder ``path``."""
    ids = np.array(
        db.execute("SELECT id FROM entities ORDER BY id").fetchall(), dtype=np.int64
    ).reshape(-1)
    rows = db.execute("SELECT a, b, weight FROM relations").fetchall()
    edges = np.array(rows, dtype=np.int64).reshape(-1, 3)
    a, b = np.searchsorted(ids, edges[:, 0]), np.searchsorted(ids, edges[:, 1])
    sources, targets = np.concatenate([a, b]), np.concatenate([b, a])
    order = np.lexsort((targets, sources))
    starts = np.searchsorted(sources[order], np.arange(len(ids) + 1))
    np.save(path / "graph_ids.npy", ids)
    np.save(path / "graph_starts.npy", starts.astype(np.int64))
    np.save(path / "graph_ends.npy", targets[order].astype(np.int32))
    np.save(path / "graph_weights.npy", np.tile(edges[:, 2], 2)[order].astype(np.float32))


class EntityGraph:
    """Undirected weighted graph over entities; nodes are positions in ``ids`` (entity rows)."""

    def __init__(self, path: Path) -> None:
        arrays = [np.load(path / f"{name}.npy", mmap_mode="r") for name in _FILES]
        self.ids: Int = arrays[0]
        self._starts, self._ends, self._weights = arrays[1:]

    def __len__(self) -> int:
        return len(self.ids)

    def position(self, entity: int) -> int:
        """The node of an entity row; KeyError when it has none."""
        at = int(np.searchsorted(self.ids, entity))
        if at == len(self.ids) or self.ids[at] != entity:
            raise KeyError(entity)
        return at

    def has(self, entity: int) -> bool:
        """Whether an entity row stands beside any other."""
        at = int(np.searchsorted(self.ids, entity))
        return at < len(self.ids) and self.ids[at] == entity and bool(self._degree(at))

    def _degree(self, node: int) -> int:
        return int(self._starts[node + 1] - self._starts[node])

    def neighbours(self, node: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Adjacent nodes and the weights of the edges to them, by node."""
        part = slice(self._starts[node], self._starts[node + 1])
        return self._ends[part], self._weights[part]

    def hops(self, source: int, targets: set[int], limit: int) -> dict[int, int]:
        """Fewest edges from ``source`` to each of ``targets`` that is at most ``limit`` away."""
        found: dict[int, int] = {}
        seen = np.zeros(len(self.ids), dtype=bool)
        seen[source] = True
        frontier = np.array([source])
        wanted = set(targets) - {source}
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
        fresh = np.zeros(len(self.ids), dtype=bool)
        for start, end in zip(self._starts[frontier], self._starts[frontier + 1], strict=True):
            fresh[self._ends[start:end]] = True
        fresh &= ~seen
        seen |= fresh
        return np.flatnonzero(fresh)

    def shortest_path(self, source: int, target: int, poor: set[int]) -> list[int] | None:
        """Entity rows along the cheapest way, both ends included; None without a way.

        An edge costs one, a little more the weaker it is, and 0.6 more for each end in ``poor``:
        a detour of one edge is worth not passing through such an entity.
        """
        graph = self.to_igraph()
        ends = [self.position(row) for row in (source, target)]
        burden = np.isin(self.ids, list(poor)) * 0.6
        a, b = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2).T
        costs = 1 + 0.01 / (1 + np.array(graph.es["weight"])) + burden[a] + burden[b]
        with warnings.catch_warnings():
            # igraph warns when there is no way; the empty path says as much.
            warnings.simplefilter("ignore", RuntimeWarning)
            path = graph.get_shortest_path(*ends, weights=costs.tolist())
        return [int(self.ids[node]) for node in path] or None

    def to_igraph(self) -> Any:
        """The whole graph as igraph.Graph with the edge attribute ``weight``."""
        import igraph

        sources = np.repeat(np.arange(len(self.ids)), np.diff(self._starts))
        once = sources < self._ends
        graph = igraph.Graph(
            n=len(self.ids), edges=np.column_stack([sources[once], self._ends[once]])
        )
        graph.es["weight"] = self._weights[once].tolist()
        return graph
