"""Stores weighted edges between rows of the store in layers.

A layer consists of compressed sparse rows. The first layer contains every edge. Each later layer
contains the edges that were added, changed or removed since. So the cost of a change depends on
the changed edges, not on all edges of the rows concerned. Reading a row merges the layers; the
newest entry of an edge is valid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields

import numpy as np
from numpy.typing import NDArray

from ragcli.search.arrays import AT_ONCE, Arrays, distinct, release

Int = NDArray[np.int64]
Float = NDArray[np.float32]

# The weight that marks a removed edge; weights are never negative.
GONE = np.float32(-1.0)

_MAX_ROW = 2**31
_CODES = 1 << 16


@dataclass(frozen=True, slots=True)
class EdgeLayer:
    """Edges of the source rows ``sources``, shape (s,), rising.

    The edges of ``sources[i]`` are ``ends[starts[i]:starts[i + 1]]`` (int32, rising) with their
    ``weights`` (float32). ``degrees`` (int32) is the change to the number of edges of each source.
    In a file there are few different weights: ``weights`` are then their positions (uint16) in
    ``values``, which is empty otherwise.
    """

    sources: Int
    starts: Int
    ends: NDArray[np.int32]
    weights: Float | NDArray[np.uint16]
    degrees: NDArray[np.int32]
    values: Float = field(default_factory=lambda: np.empty(0, np.float32))

    def of(self, rows: Int) -> tuple[Int, Int, Float]:
        """Return all edges of some rows: position in ``rows``, other end, weight; each (edges,)."""
        at, place = self._find(rows)
        parts = [
            self._edges(at[start : start + AT_ONCE], place[start : start + AT_ONCE])
            for start in range(0, max(len(at), 1), AT_ONCE)
        ]
        if len(parts) == 1:
            return parts[0]
        places, ends, weights = (np.concatenate(part) for part in zip(*parts, strict=True))
        return places, ends, weights

    def _edges(self, at: Int, place: Int) -> tuple[Int, Int, Float]:
        """Return the edges of the sources at ``place``, which are at ``at`` in the rows."""
        first = self.starts[place]
        sizes = self.starts[place + 1] - first
        last = np.cumsum(sizes)
        edges = np.arange(int(sizes.sum())) + np.repeat(first - (last - sizes), sizes)
        ends, weights = self.ends[edges].astype(np.int64), self._weights(edges)
        release(self.ends)
        return np.repeat(at, sizes), ends, weights

    def add_degrees(self, rows: Int, to: Int) -> None:
        """Add this layer's change to the number of edges of each row to ``to``."""
        at, place = self._find(rows)
        to[at] += self.degrees[place]

    def _find(self, rows: Int) -> tuple[Int, Int]:
        """Return which of the rows have edges in this layer, and their positions in ``sources``."""
        if not len(self.sources):
            return rows[:0], rows[:0]
        place = np.minimum(np.searchsorted(self.sources, rows), len(self.sources) - 1)
        at = np.flatnonzero(self.sources[place] == rows)
        return at, place[at]

    def listed(self) -> tuple[Int, Int, Float]:
        """Return every entry as (source, end, weight), in order; each (edges,)."""
        sources = np.repeat(self.sources, np.diff(self.starts))
        return sources, self.ends.astype(np.int64), self._weights(slice(None))

    def _weights(self, edges: Int | slice) -> Float:
        """The weights of some edges, float32."""
        found = self.weights[edges]
        return self.values[found] if len(self.values) else found.astype(np.float32, copy=False)

    def arrays(self, name: str) -> Arrays:
        """Return the layer as named arrays of a segment."""
        found: Arrays = {f"{name}.{f.name}": getattr(self, f.name) for f in fields(self)}
        values = np.unique(self._weights(slice(None)))
        if len(values) <= _CODES:
            codes = np.searchsorted(values, self._weights(slice(None)))
            found |= {f"{name}.weights": codes.astype(np.uint16), f"{name}.values": values}
        return found

    @classmethod
    def from_arrays(cls, name: str, arrays: Arrays) -> EdgeLayer:
        """Return the layer that ``arrays`` returned; the name must exist."""
        return cls(*(arrays[f"{name}.{f.name}"] for f in fields(cls)))


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


def merge(layers: Sequence[EdgeLayer], whole: bool) -> EdgeLayer:
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

    def __init__(self, layers: Sequence[EdgeLayer]) -> None:
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
