"""Edges in a file: the ends of a row's edges as differences, and each weight named once.

The ends of a source rise, so each is kept as the difference to the one before, in one byte for each
seven bits; the highest bit of a byte says that more bytes follow. Only the rows that are asked for
are read and unpacked. An edge between common entities of a thousand documents takes 1.5 bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragcli.search.arrays import AT_ONCE, Arrays, release

Int = NDArray[np.int64]
Float = NDArray[np.float32]
Edges = tuple[Int, Int, Float]
"""Edges of some rows: position among the rows, other end, weight; each (edges,)."""

_MORE = 128
_SEVEN = 7
# Weights that are named by one byte, or by two.
_CODES = (1 << 8, 1 << 16)
# Edges that are packed at once: some tens of megabytes.
_BLOCK = 1 << 19


@dataclass(frozen=True, slots=True)
class PackedEdges:
    """Edges of the source rows ``sources``, shape (s,), rising, as arrays of a memory-mapped file.

    The differences of ``sources[i]`` are ``steps[places[i]:places[i + 1]]`` (uint8); the first is
    the first end itself. Its weights are ``weights[starts[i]:starts[i + 1]]``: positions in
    ``values`` if that is not empty. If ``values`` is a single one, all edges have that weight, and
    ``weights`` and ``starts`` are empty. ``degrees`` is the change to the number of edges of each
    source.
    """

    sources: NDArray[np.int32]
    places: NDArray[np.integer[Any]]
    steps: NDArray[np.uint8]
    starts: NDArray[np.integer[Any]]
    weights: NDArray[Any]
    values: Float
    degrees: NDArray[np.integer[Any]]

    def of(self, rows: Int) -> Edges:
        """Return all edges of some rows."""
        at, place = find(self.sources, rows)
        parts = [
            self._edges(at[start : start + AT_ONCE], place[start : start + AT_ONCE])
            for start in range(0, max(len(at), 1), AT_ONCE)
        ]
        if len(parts) == 1:
            return parts[0]
        places, ends, weights = (np.concatenate(part) for part in zip(*parts, strict=True))
        return places, ends, weights

    def add_degrees(self, rows: Int, to: Int) -> None:
        """Add this layer's change to the number of edges of each row to ``to``."""
        at, place = find(self.sources, rows)
        to[at] += self.degrees[place]

    def listed(self) -> Edges:
        """Return every entry as (source, end, weight), in order; each (edges,)."""
        sources = self.sources.astype(np.int64)
        at, ends, weights = self.of(sources)
        return sources[at], ends, weights

    def _edges(self, at: Int, place: Int) -> Edges:
        """Return the edges of the sources at ``place``, which are at ``at`` in the rows."""
        chosen, sizes = _spans(self.places, place)
        counts, ends = unpacked(self.steps[chosen], sizes)
        release(self.steps)
        if len(self.values) == 1:
            weights = np.full(len(ends), self.values[0])
        else:
            found = self.weights[_spans(self.starts, place)[0]]
            weights = self.values[found] if len(self.values) else found
        return np.repeat(at, counts), ends, weights

    def named(self, name: str) -> Arrays:
        """The arrays of a segment."""
        return {f"{name}.{f.name}": getattr(self, f.name) for f in fields(self)}

    @classmethod
    def of_file(cls, name: str, arrays: Arrays) -> PackedEdges:
        """The edges with a name in a segment's arrays; they must exist."""
        return cls(*(arrays[f"{name}.{f.name}"] for f in fields(cls)))


def packed(
    sources: Int,
    starts: Int,
    ends: NDArray[np.int32],
    weights: Float,
    degrees: NDArray[np.int32],
) -> PackedEdges:
    """Pack edges: those of ``sources[i]`` are ``ends[starts[i]:starts[i + 1]]``, rising."""
    places = np.zeros(len(starts), np.int64)
    steps = [np.empty(0, np.uint8)]
    written = 0
    for begin in range(0, len(ends), _BLOCK):
        stop = min(begin + _BLOCK, len(ends))
        first, last = np.searchsorted(starts[:-1], [begin, stop])
        part = np.diff(ends[begin:stop], prepend=ends[begin - 1] if begin else 0).astype(np.int64)
        here = starts[first:last] - begin
        part[here] = ends[begin:stop][here]
        lengths, data = _varints(part)
        before = written + np.cumsum(lengths) - lengths
        places[first:last] = before[here]
        steps.append(data)
        written += len(data)
    places[len(sources) :] = written
    values, codes = _named_once(weights)
    return PackedEdges(
        sources.astype(np.int32),
        narrowed(places),
        np.concatenate(steps),
        narrowed(starts if len(codes) else starts[:0]),
        codes,
        values,
        narrowed(degrees),
    )


def unpacked(steps: NDArray[np.uint8], sizes: Int) -> tuple[Int, Int]:
    """Unpack runs of ``sizes`` bytes: how many ends each has, and all ends."""
    stops = np.flatnonzero(steps < _MORE)
    firsts = np.concatenate([[0], stops[:-1] + 1]) if len(stops) else stops
    ends = (steps[firsts] & (_MORE - 1)).astype(np.int64)
    longer, shift = np.flatnonzero(stops > firsts), 0
    while len(longer):
        shift += 1
        more = (steps[firsts[longer] + shift] & (_MORE - 1)).astype(np.int64)
        ends[longer] += more << (_SEVEN * shift)
        longer = longer[stops[longer] > firsts[longer] + shift]
    edges = np.concatenate([[0], np.cumsum(sizes)])
    bounds = np.searchsorted(stops, edges)
    counts = np.diff(bounds)
    sums = np.cumsum(ends)
    heads = bounds[:-1][counts > 0]
    return counts, sums - np.repeat(sums[heads] - ends[heads], counts[counts > 0])


def find(sources: NDArray[np.integer[Any]], rows: Int) -> tuple[Int, Int]:
    """Return which of the rows are among rising ``sources``, and their positions there."""
    if not len(sources):
        return rows[:0], rows[:0]
    # In the type of the sources: otherwise all of them would be converted.
    wanted = np.minimum(rows, np.iinfo(sources.dtype).max).astype(sources.dtype)
    place = np.minimum(np.searchsorted(sources, wanted), len(sources) - 1)
    at = np.flatnonzero(sources[place] == rows)
    return at, place[at]


def narrowed(numbers: NDArray[np.integer[Any]]) -> NDArray[np.integer[Any]]:
    """The same numbers in the narrowest signed type that holds them all."""
    most = int(np.abs(numbers).max(initial=0))
    for kind in (np.int8, np.int16, np.int32):
        if most <= np.iinfo(kind).max:
            return numbers.astype(kind)
    return numbers.astype(np.int64)


def _spans(bounds: NDArray[np.integer[Any]], place: Int) -> tuple[Int, Int]:
    """The positions in the runs ``bounds[p]:bounds[p + 1]``, in order, and the size of each run."""
    first = bounds[place].astype(np.int64)
    sizes = bounds[place + 1] - first
    last = np.cumsum(sizes)
    return np.arange(int(sizes.sum())) + np.repeat(first - (last - sizes), sizes), sizes


def _varints(numbers: Int) -> tuple[Int, NDArray[np.uint8]]:
    """The number of bytes of each number, at least 0, and all bytes."""
    lengths = np.ones(len(numbers), np.int64)
    while (longer := numbers >> (_SEVEN * lengths) > 0).any():
        lengths += longer
    at = np.cumsum(lengths) - lengths
    data = np.empty(int(lengths.sum()), np.uint8)
    for byte in range(int(lengths.max(initial=0))):
        here = np.flatnonzero(lengths > byte)
        bits = numbers[here] >> (_SEVEN * byte) & (_MORE - 1)
        data[at[here] + byte] = bits | np.where(lengths[here] > byte + 1, _MORE, 0)
    return lengths, data


def _named_once(weights: Float) -> tuple[Float, NDArray[Any]]:
    """The different weights, rising, and the position of each among them.

    No positions if there is one weight only; no values, and the weights themselves, if there are
    too many.
    """
    values = np.empty(0, np.float32)
    for at in range(0, len(weights), _BLOCK):
        values = np.unique(np.concatenate([values, weights[at : at + _BLOCK]]))
    if len(values) == 1:
        return values, np.empty(0, np.uint8)
    if len(values) > _CODES[1]:
        return np.empty(0, np.float32), weights.astype(np.float32)
    kind = np.uint8 if len(values) <= _CODES[0] else np.uint16
    return values, np.searchsorted(values, weights).astype(kind)
