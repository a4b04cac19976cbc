"""Weighted edges between rows of the store, in layers: what changed lies over what was there.

A layer is compressed sparse rows. The first holds every edge; each later one holds the edges that
came, changed or went since, so a change costs what it touches and not what the rows it touches
are joined to. Reading a row merges the layers: the newest says what holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from ragcli.search.arrays import Arrays

Int = NDArray[np.int64]
Float = NDArray[np.float32]

# The weight of an edge that is no more; weights are never negative.
GONE = np.float32(-1.0)

_MAX_ROW = 2**31


@dataclass(frozen=True, slots=True)
class EdgeLayer:
    """Edges of the source rows ``sources``, shape (s,), rising.

    Those of ``sources[i]`` are ``ends[starts[i]:starts[i + 1]]`` (int32, rising) with their
    ``weights`` (float32). ``degrees`` (int32) is what the layer adds to the number of edges.
    """

    sources: Int
    starts: Int
    ends: NDArray[np.int32]
    weights: Float
    degrees: NDArray[np.int32]

    def of(self, rows: Int) -> tuple[Int, Int, Float]:
        """All edges of some rows: position within ``rows``, other end, weight; each (edges,)."""
        at, place = self._find(rows)
        first = self.starts[place]
        sizes = self.starts[place + 1] - first
        last = np.cumsum(sizes)
        edges = np.arange(int(sizes.sum())) + np.repeat(first - (last - sizes), sizes)
        return np.repeat(at, sizes), self.ends[edges].astype(np.int64), self.weights[edges]

    def add_degrees(self, rows: Int, to: Int) -> None:
        """Add what this layer knows of the number of edges of each of some rows."""
        at, place = self._find(rows)
        to[at] += self.degrees[place]

    def _find(self, rows: Int) -> tuple[Int, Int]:
        """Which of the rows have edges here, and where in ``sources`` they are."""
        if not len(self.sources):
            return rows[:0], rows[:0]
        place = np.minimum(np.searchsorted(self.sources, rows), len(self.sources) - 1)
        at = np.flatnonzero(self.sources[place] == rows)
        return at, place[at]

    def listed(self) -> tuple[Int, Int, Float]:
        """Every entry as (source, end, weight), in order; each (edges,)."""
        sources = np.repeat(self.sources, np.diff(self.starts))
        return sources, self.ends.astype(np.int64), self.weights

    def arrays(self, name: str) -> Arrays:
        """The layer as named arrays of a segment."""
        return {f"{name}.{f.name}": getattr(self, f.name) for f in fields(self)}

    @classmethod
    def from_arrays(cls, name: str, arrays: Arrays) -> EdgeLayer:
        """What ``arrays`` gave; the name must be there."""
        return cls(*(arrays[f"{name}.{f.name}"] for f in fields(cls)))


def layer(sources: Int, ends: Int, weights: Float, change: NDArray[np.integer]) -> EdgeLayer:
    """Edges in any order, no two alike, as a layer.

    ``change``, shape (edges,): 1 for an edge that is new, -1 for one that went, else 0.
    """
    if len(sources) and max(int(sources.max()), int(ends.max())) >= _MAX_ROW:
        raise ValueError("row numbers from 2 ** 31 on do not fit the edges' files")
    order = np.argsort(sources << 32 | ends, kind="stable")
    keys, first = np.unique(sources[order], return_index=True)
    degrees = np.add.reduceat(change[order], first) if len(keys) else np.empty(0)
    return EdgeLayer(
        keys,
        np.append(first, len(sources)).astype(np.int64),
        ends[order].astype(np.int32),
        weights[order].astype(np.float32),
        degrees.astype(np.int32),
    )


def pack(sources: Int, ends: Int, weights: Float) -> EdgeLayer:
    """A first layer: these edges are all there are."""
    return layer(sources, ends, weights, np.ones(len(sources), dtype=np.int64))


def _newest(keys: Int) -> Int:
    """Positions of the first of equal keys, by rising key."""
    # The keys are a few rising runs, which a stable sort merges in about one pass.
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    first = np.ones(len(keys), dtype=bool)
    first[1:] = ordered[1:] != ordered[:-1]
    return order[first]


def merge(layers: Sequence[EdgeLayer], whole: bool) -> EdgeLayer:
    """Several layers, oldest first, as one; ``whole``: nothing lies below, so GONE can be left."""
    sources, ends, weights = (
        np.concatenate(parts) for parts in zip(*(x.listed() for x in reversed(layers)), strict=True)
    )
    kept = _newest(sources << 32 | ends)
    if whole:
        kept = kept[weights[kept] != GONE]
        return pack(sources[kept], ends[kept], weights[kept])
    none = np.zeros(len(kept), dtype=np.int64)
    made = layer(sources[kept], ends[kept], weights[kept], none)
    for part in layers:
        made.degrees[np.searchsorted(made.sources, part.sources)] += part.degrees
    return made


class Rows:
    """The edges that hold, read through all layers."""

    def __init__(self, layers: Sequence[EdgeLayer]) -> None:
        """From layers, oldest first."""
        self._layers = [x for x in reversed(layers) if len(x.sources)]
        self.span = max((int(x.sources[-1]) + 1 for x in self._layers), default=0)
        """One more than the highest row that has, or had, an edge."""

    def of(self, rows: Int) -> tuple[Int, Int, Float]:
        """All edges of some rows: position within ``rows``, other end, weight; each (edges,).

        By position, the ends of each rising.
        """
        parts = [part for x in self._layers if len((part := x.of(rows))[0])]
        if not parts:
            none = np.empty(0, dtype=np.int64)
            return none, none, np.empty(0, dtype=np.float32)
        at, ends, weights = (np.concatenate(p) for p in zip(*parts, strict=True))
        kept = _newest(at << 32 | ends) if len(parts) > 1 else np.arange(len(at))
        kept = kept[weights[kept] != GONE]
        return at[kept], ends[kept], weights[kept]

    def degrees(self, rows: Int) -> Int:
        """Number of edges of each of some rows."""
        out = np.zeros(len(rows), dtype=np.int64)
        for x in self._layers:
            x.add_degrees(rows, out)
        return out

    def listed(self) -> tuple[Int, Int, Float]:
        """Every edge as (source, end, weight), by source and end; each (edges,)."""
        none = np.empty(0, dtype=np.int64)
        sources = np.unique(np.concatenate([none, *(x.sources for x in self._layers)]))
        at, ends, weights = self.of(sources)
        return sources[at], ends, weights
