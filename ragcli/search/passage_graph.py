"""The graph of passages and the names in them, as memory-mapped arrays.

It is bipartite: a passage is joined to every name that it says or that its document's title is.
Both directions are kept as compressed sparse rows, so that a walk may start at either side and
read only what it passes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Int = NDArray[np.int64]
Float = NDArray[np.float32]

# A passage is about what its title names: that edge weighs three times a single mention's.
TITLE_WEIGHT = 2.0

# Edges read for a neighbourhood, hop by hop, for each passage that may be in it.
READ_AHEAD = 4

_ROWS = "SELECT passage, entity, count, title FROM passage_entities ORDER BY passage, entity"


@dataclass(frozen=True, slots=True)
class Rows:
    """Compressed sparse rows: row i holds ``ends[starts[i]:starts[i + 1]]`` and their weights.

    ``starts`` has shape (n + 1,); ``ends`` (int32) and ``weights`` (float32) have shape (edges,).
    """

    starts: Int
    ends: NDArray[np.int32]
    weights: Float

    def of(self, rows: Int) -> tuple[Int, Int, Float]:
        """All edges of some rows: position within ``rows``, other end, weight; each (edges,)."""
        first, last = self.starts[rows], self.starts[rows + 1]
        sizes = last - first
        at = np.repeat(np.arange(len(rows)), sizes)
        ends = np.cumsum(sizes)
        edges = np.arange(int(sizes.sum())) + np.repeat(first - (ends - sizes), sizes)
        return at, self.ends[edges].astype(np.int64), self.weights[edges]

    def degrees(self, rows: Int) -> Int:
        """Number of edges of each of some rows."""
        return np.asarray(self.starts[rows + 1] - self.starts[rows])


def edge_weight(count: NDArray[np.int64], title: NDArray[np.int64]) -> Float:
    """1 + ln(mentions), at least 1, and TITLE_WEIGHT more for the passage's own title."""
    said = 1.0 + np.log(np.maximum(count, 1))
    return (said + TITLE_WEIGHT * title).astype(np.float32)


def pack(sources: Int, targets: Int, weights: Float, n: int) -> Rows:
    """Edges as rows of their sources 0..n-1, the targets of a row in rising order."""
    order = np.lexsort((targets, sources))
    starts = np.searchsorted(sources[order], np.arange(n + 1)).astype(np.int64)
    return Rows(starts, targets[order].astype(np.int32), weights[order])


def write_passage_graph(path: Path, db: sqlite3.Connection, passages: Int, entities: Int) -> None:
    """Write the graph between these rows of passages and entities (rising) into a folder."""
    rows = np.array(db.execute(_ROWS).fetchall(), dtype=np.int64).reshape(-1, 4)
    rows = rows[np.isin(rows[:, 0], passages)]
    p, e = np.searchsorted(passages, rows[:, 0]), np.searchsorted(entities, rows[:, 1])
    weights = edge_weight(rows[:, 2], rows[:, 3])
    for side, part in (
        ("passage", pack(p, e, weights, len(passages))),
        ("entity", pack(e, p, weights, len(entities))),
    ):
        for name in ("starts", "ends", "weights"):
            np.save(path / f"{side}_graph_{name}.npy", getattr(part, name))


class PassageGraph:
    """Passages and names of one generation; nodes are positions in ``passages``, ``entities``."""

    def __init__(self, passages: Int, entities: Int, by_passage: Rows, by_entity: Rows) -> None:
        """From rows of the store, both rising, and the edges seen from either side."""
        self.passages = passages
        self.entities = entities
        self.by_passage = by_passage
        self.by_entity = by_entity

    @classmethod
    def open(cls, path: Path) -> PassageGraph:
        """Map the arrays that ``write_passage_graph`` wrote."""

        def load(name: str) -> NDArray[np.generic]:
            array: NDArray[np.generic] = np.load(path / f"{name}.npy", mmap_mode="r")
            return array.view(np.ndarray)  # a plain view of the map: memmap slices cost more

        def rows(side: str) -> Rows:
            parts = [load(f"{side}_graph_{name}") for name in ("starts", "ends", "weights")]
            return Rows(*parts)  # type: ignore[arg-type]

        ids = load("passages_ids"), load("graph_ids")
        return cls(ids[0], ids[1], rows("passage"), rows("entity"))  # type: ignore[arg-type]

    def positions(self, entities: Iterable[int]) -> Int:
        """Nodes of entity rows, in order; rows without a node are left out."""
        rows = np.array(list(entities), dtype=np.int64)
        if not len(self.entities):
            return rows[:0]
        at = np.minimum(np.searchsorted(self.entities, rows), len(self.entities) - 1)
        return np.asarray(at[self.entities[at] == rows])

    def around(self, passages: Int, entities: Int, limit: int) -> Int:
        """Passages near some nodes, rising, at most ``limit`` (or the given ones, if more).

        Breadth first: the passages of the entities, then those that share a name with a passage
        already there, and so on. Of names met at the same distance the rarest are followed first,
        since a name that stands everywhere says least; the first that does not fit ends it.
        """
        total = len(self.passages)
        if total <= limit:
            return np.arange(total)
        inside = np.zeros(total, dtype=bool)
        followed = np.zeros(len(self.entities), dtype=bool)
        new, fresh = np.unique(passages), np.unique(entities)
        inside[new] = True
        while len(new) or len(fresh):
            names = np.unique(np.concatenate([fresh, self.by_passage.of(new)[1]]))
            names = names[~followed[names]]
            followed[names] = True
            new = self._admit(names, inside, limit)
            fresh = names[:0]
        return np.flatnonzero(inside)

    def _admit(self, entities: Int, inside: NDArray[np.bool_], limit: int) -> Int:
        """Mark the passages of the entities, rarest first, while they fit; returns the new ones."""
        degrees = self.by_entity.degrees(entities)
        order = np.argsort(degrees, kind="stable")
        # Reading is bounded, too: common names lead everywhere.
        order = order[np.cumsum(degrees[order]) <= READ_AHEAD * limit]
        at, passages, _ = self.by_entity.of(entities[order])
        outside = ~inside[passages]
        at, passages = at[outside], passages[outside]
        _, first = np.unique(passages, return_index=True)
        room = limit - int(inside.sum())
        # Every new passage, in the order of the names that lead to it; whole names only.
        first = np.sort(first)
        if len(first) > room:
            first = first[at[first] < at[first[room]]] if room > 0 else first[:0]
        new = passages[first]
        inside[new] = True
        return np.sort(new)
