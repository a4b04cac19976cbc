"""Stores the vectors of a table's rows in layers: each segment has new vectors and removed rows.

Every layer is searched without the rows that a newer layer replaces or removes. The results are
merged, so the ranking equals that of one index over all rows. (Among more than ``vectors.MANY``
rows codes choose what is compared in the large layers. A code depends on its row only, so layers
find at least what one index finds.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragcli.errors import StoreDamaged
from ragcli.search import arrays
from ragcli.search.arrays import Arrays
from ragcli.search.level_codes import CodeIndex, Codes, stored_codes
from ragcli.search.level_codes import write_codes as write_levels
from ragcli.search.vectors import (
    CODED,
    Scale,
    VectorIndex,
    stored_vectors,
    write_codes,
    write_index,
)

Int = NDArray[np.int64]
Stored = NDArray[np.float16] | Codes

ARRAYS = "arrays"

# The weight of a row: the bytes of a vector of 384 numbers.
_VECTOR = 768


@dataclass(frozen=True, slots=True)
class VectorLayer:
    """Rows (n,), rising, with their vectors (n, dim), and removed rows (m,), rising.

    Where a set is coded, ``vectors`` are codes (n, bytes).
    """

    rows: Int
    vectors: Stored
    gone: Int

    @property
    def weight(self) -> int:
        """The approximate bytes. A removed row counts as much as the vector it makes useless."""
        return _VECTOR * (len(self.rows) + len(self.gone))

    def write(self, folder: Path, name: str) -> Arrays:
        """Write the vectors into a segment's folder; return the arrays to store with them."""
        if self.vectors.dtype == np.uint8:
            if len(self.rows):
                write_levels(_levels(folder, name), np.asarray(self.vectors, np.uint8))
        elif len(self.rows):
            vectors = np.asarray(self.vectors, np.float16)
            write_index(folder / f"{name}.faiss", vectors)
            if len(self.rows) > CODED:
                write_codes(folder / f"{name}.faiss", vectors)
        return {f"{name}.rows": self.rows, f"{name}.gone": self.gone}

    @classmethod
    def read(cls, folder: Path, name: str, found: Arrays) -> VectorLayer:
        """Return the layer of a segment; its vectors are memory-mapped."""
        rows = found[f"{name}.rows"]
        vectors: Stored = np.empty((0, 1), np.float16)
        if len(rows) and _levels(folder, name).exists():
            vectors = stored_codes(_levels(folder, name), len(rows))
        elif len(rows):
            vectors = stored_vectors(folder / f"{name}.faiss")
        return cls(rows, vectors, found[f"{name}.gone"])


def _levels(folder: Path, name: str) -> Path:
    """The file of codes of a coded set."""
    return folder / f"{name}.levels"


def merge(layers: Sequence[VectorLayer], whole: bool) -> VectorLayer:
    """Merge layers, oldest first; ``whole``: the first is the oldest, so no row is removed."""
    live = [np.flatnonzero(alive) for alive in living([(x.rows, x.gone) for x in layers])]
    rows = np.concatenate([x.rows[at] for x, at in zip(layers, live, strict=True)])
    parts: list[Any] = [x.vectors[at] for x, at in zip(layers, live, strict=True) if len(at)]
    order = np.argsort(rows, kind="stable")
    vectors = np.concatenate(parts)[order] if parts else np.empty((0, 1), np.float16)
    gone = np.unique(np.concatenate([x.gone for x in layers]))
    gone = gone[:0] if whole else gone[~np.isin(gone, rows)]
    return VectorLayer(rows[order], vectors, gone)


def living(layers: Sequence[tuple[Int, Int]]) -> list[NDArray[np.bool_]]:
    """Return for the (rows, gone) of each layer, oldest first, which rows no newer one replaces."""
    alive = [np.ones(len(rows), dtype=bool) for rows, _ in layers]
    for i, (rows, _) in enumerate(layers[:-1]):
        for newer, gone in layers[i + 1 :]:
            for replaced in (newer, gone):
                # Newer layers are smaller than this one, so look their rows up in it.
                at = np.minimum(np.searchsorted(rows, replaced), max(len(rows) - 1, 0))
                alive[i][at[rows[at] == replaced] if len(rows) else at[:0]] = False
    return alive


def stored(layers: Sequence[VectorLayer], wanted: Int) -> tuple[NDArray[np.bool_], Stored]:
    """Return which of the wanted rows (n,) have a vector in layers, oldest first, and the vectors,
    shape (n, dim); those of other rows are undefined."""
    kinds = [(x.vectors.shape[1], x.vectors.dtype) for x in layers if len(x.rows)]
    dim, kind = kinds[0] if kinds else (1, np.dtype(np.float16))
    out: Stored = np.empty((len(wanted), dim), kind)
    found = np.zeros(len(wanted), dtype=bool)
    left = np.arange(len(wanted))
    for layer in reversed(layers):
        at, here = _placed(layer.rows, wanted[left])
        out[left[here]] = layer.vectors[at[here]]
        found[left[here]] = True
        left = left[~here & ~_placed(layer.gone, wanted[left])[1]]
    return found, out


def _placed(rows: Int, wanted: Int) -> tuple[Int, NDArray[np.bool_]]:
    """Where the wanted rows are among rising ``rows``, and which of them are there."""
    if not len(rows):
        return np.zeros(len(wanted), np.int64), np.zeros(len(wanted), dtype=bool)
    at = np.minimum(np.searchsorted(rows, wanted), len(rows) - 1)
    return at, rows[at] == wanted


class Vectors:
    """The vectors of one generation, by row of their table; opened at the first search."""

    def __init__(self, segments: Sequence[Path], name: str) -> None:
        """Use the folders of the segments, oldest first. Raises StoreDamaged."""
        found = [(folder, arrays.load(folder / ARRAYS)) for folder in segments]
        self._folders = [folder for folder, has in found if f"{name}.rows" in has]
        self._name = name
        self._layers: list[tuple[Int, Int]] = [
            (has[f"{name}.rows"], has[f"{name}.gone"]) for _, has in found if f"{name}.rows" in has
        ]
        self._alive = living(self._layers)
        # By the rows that are there, so that a store that grew is searched like a new one.
        self._scale = Scale.of(len(self))
        self._files: dict[Path, VectorIndex | CodeIndex] = {}

    def __len__(self) -> int:
        """Number of vectors."""
        return sum(int(np.count_nonzero(alive)) for alive in self._alive)

    def only(self, hold: Callable[[Int], NDArray[np.bool_]]) -> Vectors:
        """Return these vectors without the rows that ``hold`` says no to; files are shared.

        ``hold`` maps rows (n,) to a mask of the same shape.
        """
        part = copy(self)
        part._alive = [
            alive & hold(rows) for (rows, _), alive in zip(self._layers, self._alive, strict=True)
        ]
        for name in ("ids", "_opened"):
            part.__dict__.pop(name, None)
        return part

    def open(self) -> None:
        """Map the vectors now; afterwards their files may be deleted."""
        _ = self._opened

    @cached_property
    def ids(self) -> Int:
        """Return all rows that have a vector, rising."""
        parts = [
            rows if alive.all() else rows[alive]
            for (rows, _), alive in zip(self._layers, self._alive, strict=True)
            if len(rows)
        ]
        if len(parts) == 1:
            return parts[0]
        return np.sort(np.concatenate([np.empty(0, np.int64), *parts]), kind="stable")

    @cached_property
    def _opened(self) -> list[tuple[Int, VectorIndex | CodeIndex, NDArray[np.bool_] | None]]:
        """Rows, index and mask of the valid rows (None: all) of every layer that has any."""
        return [
            (rows, self._file(folder, len(rows)), None if alive.all() else alive)
            for folder, (rows, _), alive in zip(
                self._folders, self._layers, self._alive, strict=True
            )
            if alive.any()
        ]

    def _file(self, folder: Path, rows: int) -> VectorIndex | CodeIndex:
        """The open file of a layer, which all parts of these vectors share."""
        if folder not in self._files:
            levels, vectors = _levels(folder, self._name), folder / f"{self._name}.faiss"
            self._files[folder] = (
                CodeIndex(stored_codes(levels, rows))
                if levels.exists()
                else VectorIndex.open(vectors, self._scale)
            )
        return self._files[folder]

    def search(self, vector: NDArray[np.float32], k: int) -> list[tuple[int, float]]:
        """Return the k nearest as (table row, inner product), best first; ties by rising row.

        The products of a coded set are estimates.
        """
        found: list[tuple[float, int]] = []
        for rows, index, alive in self._opened:
            at, scores = index.search(vector, k, alive)
            found += zip((-scores).tolist(), rows[at].tolist(), strict=True)
        return [(row, -score) for score, row in sorted(found)[:k]]

    def of(self, wanted: Int) -> NDArray[np.float32]:
        """Return the vectors of some table rows (n,), shape (n, dim), also of rows that ``only``
        leaves out; not of a coded set. Raises StoreDamaged when one of the rows has no vector."""
        wanted = np.asarray(wanted, np.int64)
        layers = [
            VectorLayer(rows, self._file(folder, len(rows)).stored, gone)
            for folder, (rows, gone) in zip(self._folders, self._layers, strict=True)
            if len(rows)
        ]
        found, vectors = stored(layers, wanted)
        if vectors.dtype == np.uint8:
            raise TypeError(f"of {self._name} there are only codes")
        for layer in layers:
            arrays.release(layer.vectors)
        if not found.all():
            raise self._lacks(int(wanted[~found][0]))
        return vectors.astype(np.float32)

    def similarities(self, vector: NDArray[np.float32], wanted: Int) -> NDArray[np.float32]:
        """Return the inner products with the vectors of some table rows, in their order.

        Raises StoreDamaged when one of the rows has no vector.
        """
        wanted, back = np.unique(wanted, return_inverse=True)
        out = np.empty(len(wanted), dtype=np.float32)
        left = np.arange(len(wanted))
        for rows, index, alive in reversed(self._opened):
            place = np.minimum(np.searchsorted(rows, wanted[left]), len(rows) - 1)
            here = rows[place] == wanted[left]
            if alive is not None:
                here &= alive[place]
            at, scores = index.search(vector, int(here.sum()), place[here])
            out[left[here]] = scores[np.argsort(at)]  # both by rising row
            left = left[~here]
        if len(left):
            raise self._lacks(int(wanted[left[0]]))
        return out[back]

    def _lacks(self, row: int) -> StoreDamaged:
        return StoreDamaged(
            f"the files of vectors lack the one of row {row} of {self._name}",
            "run: ragcli inspect check",
        )
