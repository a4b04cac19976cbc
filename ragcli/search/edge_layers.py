"""Stores weighted edges between rows of the store in layers.

A layer consists of compressed sparse rows. The first layer contains every edge. Each later layer
contains the edges that were added, changed or removed since. So the cost of a change depends on
the changed edges, not on all edges of the rows concerned. Reading a row merges the layers; the
newest entry of an edge is valid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ragcli.search.arrays import Arrays, distinct
from ragcli.search.packed_edges import Edges, PackedEdges, find, packed

Int = NDArray[np.int64]
Float = NDArray[np.float32]

# The weight that marks a removed edge; weights are never negative.
GONE = np.float32(-1.0)

_MAX_ROW = 2**31


class ReadableLayer(Protocol):
    """A layer of edges, in memory or in a file."""

    @property
    def sources(self) -> NDArray[np.integer[Any]]:
        """The rows with edges, rising, (s,)."""
        ...

    @property
    def degrees(self) -> NDArray[np.integer[Any]]:
        """The change to the number of edges of each source, (s,)."""
        ...

    def of(self, rows: Int) -> Edges:
        """All edges of some rows: position in ``rows``, other end, weight; each (edges,)."""
        ...

    def add_degrees(self, rows: Int, to: Int) -> None:
        """Add the change to the number of edges of each row to ``to``."""
        ...

    def listed(self) -> Edges:
        """Every entry as (source, end, weight), in order; each (edges,)."""
        ...


@dataclass(frozen=True, slots=True)
class EdgeLayer:
    """Edges of the source rows ``sources``, shape (s,), rising.

    The edges of ``sources[i]`` are ``ends[starts[i]:starts[i + 1]]`` (int32, rising) with their
    ``weights`` (float32). ``degrees`` (int32) is the change to the number of edges of each source.
    In a file they are packed (packed_edges.py).
    """

    sources: Int
    starts: Int
    ends: NDArray[np.int32]
    weights: Float
    degrees: NDArray[np.int32]

    @property
    def weight(self) -> int:
        """About the bytes that the layer takes in a file."""
        return 2 * len(self.ends) + 16 * len(self.sources)

    def of(self, rows: Int) -> Edges:
        """Return all edges of some rows: position in ``rows``, other end, weight; each (edges,)."""
        at, place = find(self.sources, rows)
        first = self.starts[place]
        sizes = self.starts[place + 1] - first
        last = np.cumsum(sizes)
        edges = np.arange(int(sizes.sum())) + np.repeat(first - (last - sizes), sizes)
        return np.repeat(at, sizes), self.ends[edges].astype(np.int64), self.weights[edges]

    def add_degrees(self, rows: Int, to: Int) -> None:
        """Add this layer's change to the number of edges of each row to ``to``."""
        at, place = find(self.sources, rows)
        to[at] += self.degrees[place]

    def listed(self) -> Edges:
        """Return every entry as (source, end, weight), in order; each (edges,)."""
        sources = np.repeat(self.sources, np.diff(self.starts))
        return sources, self.ends.astype(np.int64), self.weights

    def arrays(self, name: str) -> Arrays:
        """Return the layer as named arrays of a segment; ``from_arrays`` reads them."""
        found = packed(self.sources, self.starts, self.ends, self.weights, self.degrees)
        return found.named(name)


def from_arrays(name: str, arrays: Arrays) -> PackedEdges:
    """Return the layer with a name in the arrays of a segment; it must exist."""
    return PackedEdges.of_file(name, arrays)


def layer(sources: Int, ends: Int, weights: Float, change: NDArray[np.integer]) -> EdgeLayer:
    """Make a layer of distinct edges in any order.

    ``change``, shape (edges,): 1 for a new edge, -1 for a removed one, else 0.
    """
    if len(sources) and max(int(sources.max()), int(ends.max())) >= _MAX_ROW:
        raise ValueError("row numbers of 2 ** 31 or more do not fit the files of edges")
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
    """Make a first layer, which contains all edges."""
    return layer(sources, ends, weights, np.ones(len(sources), dtype=np.int64))


def _newest(keys: Int) -> Int:
    """Return the positions of the first of equal keys, by rising key."""
    # The keys consist of a few rising runs, which a stable sort merges in about one pass.
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    first = np.ones(len(keys), dtype=bool)
    first[1:] = ordered[1:] != ordered[:-1]
    return order[first]


def merge(layers: Sequence[ReadableLayer], whole: bool) -> EdgeLayer:
    """Merge layers, oldest first; ``whole``: the first is the oldest, so GONE entries go."""
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
    """The valid edges, read from all layers."""

    def __init__(self, layers: Sequence[ReadableLayer]) -> None:
        """Read from ``layers``, oldest first."""
        self._layers = [x for x in reversed(layers) if len(x.sources)]
        self.span = max((int(x.sources[-1]) + 1 for x in self._layers), default=0)
        """One more than the highest row that has or had an edge."""

    def of(self, rows: Int) -> tuple[Int, Int, Float]:
        """Return all edges of some rows: position in ``rows``, other end, weight; each (edges,).

        They are sorted by position, then by other end.
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
        """Return the number of edges of each of some rows."""
        out = np.zeros(len(rows), dtype=np.int64)
        for x in self._layers:
            x.add_degrees(rows, out)
        return out

    def listed(self) -> tuple[Int, Int, Float]:
        """Return every edge as (source, end, weight), by source and end; each (edges,)."""
        none = np.empty(0, dtype=np.int64)
        sources = distinct(np.concatenate([none, *(x.sources for x in self._layers)]))
        at, ends, weights = self.of(sources)
        return sources[at], ends, weights
