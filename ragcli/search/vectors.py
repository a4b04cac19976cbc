"""Finds the nearest vectors by inner product, exactly. This is the only module that uses FAISS.

Vectors are stored as 16-bit floats in one memory-mapped file. That halves the memory and changes
scores of unit vectors by less than 0.001. Opening takes the same time at any size, and several
processes share the pages. Every vector is compared, so the result is exact.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray

from ragcli.errors import StoreDamaged

# FAISS computes one query in one thread. Other threads only spin, and on a busy machine the query
# waits for them: 10 to 40 ms instead of 0.4 ms for 10,000 vectors.
faiss.omp_set_num_threads(1)

# FAISS's stubs describe the C++ signatures, not the Python wrappers that take arrays.
_faiss: Any = faiss

Vectors = NDArray[np.float16] | NDArray[np.float32]

_METRIC = faiss.METRIC_INNER_PRODUCT
_ADD_ROWS = 16_384
_HINT = "run: ragcli inspect check"


def write_index(path: Path, vectors: Vectors) -> None:
    """Write ``vectors``, shape (n, d), n >= 0, as an index file, in the same order.

    The file is not synced: its folder becomes visible as a whole later (store/derived.py).
    """
    if vectors.ndim != 2 or vectors.shape[1] == 0:
        raise ValueError(f"vectors must have shape (n, d) with d > 0, found {vectors.shape}")
    index = _empty(vectors.shape[1])
    for start in range(0, len(vectors), _ADD_ROWS):  # limits the float32 copy that FAISS needs
        index.add(np.ascontiguousarray(vectors[start : start + _ADD_ROWS], dtype=np.float32))
    try:
        faiss.write_index(index, str(path))
    except RuntimeError as error:  # FAISS raises no other type; callers expect OSError
        raise OSError(f"cannot write {path}: {error}") from error


def stored_vectors(path: Path) -> NDArray[np.float16]:
    """Return the vectors of an index file, shape (n, d), n > 0, memory-mapped.

    Raises StoreDamaged like ``VectorIndex.open``.
    """
    rows, dim = _check_header(path)
    codes = np.memmap(path, np.uint8, "r", offset=_HEADER).view(np.ndarray)
    return codes.view(np.float16).reshape(rows, dim)


def _empty(dim: int) -> Any:
    return _faiss.IndexScalarQuantizer(dim, faiss.ScalarQuantizer.QT_fp16, _METRIC)


class VectorIndex:
    """The vectors of one index file, read-only. Several threads may search it."""

    def __init__(self, index: Any) -> None:
        """Wrap an open FAISS index; use ``VectorIndex.open``."""
        self._index = index

    @classmethod
    def open(cls, path: Path) -> VectorIndex:
        """Map the file into memory; read only its header.

        Raises StoreDamaged if it is missing, truncated, or not an index file of ragcli.
        """
        _check_header(path)
        try:
            index = _faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC)
        except RuntimeError as error:
            raise StoreDamaged(f"{path} is not a valid vector index", _HINT) from error
        return cls(index)

    def __len__(self) -> int:
        """Number of vectors."""
        return int(self._index.ntotal)

    @property
    def dim(self) -> int:
        """The number of dimensions."""
        return int(self._index.d)

    def search(
        self,
        query: NDArray[np.float32],
        k: int,
        allowed: NDArray[np.integer[Any]] | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the best rows for ``query``, shape (d,), among ``allowed`` rows (all when None).

        The result is rows and inner products, both of shape (m,), m = min(k, number of
        candidates), sorted by falling score. Equal scores are sorted by rising row, also where
        the result is cut off.
        """
        selector, candidates = _select(len(self), allowed)
        k = min(k, candidates)
        if k <= 0:
            return np.empty(0, np.int64), np.empty(0, np.float32)
        if query.shape != (self.dim,):
            raise ValueError(f"query must have shape ({self.dim},), found {query.shape}")
        batch = np.ascontiguousarray(query, dtype=np.float32)[None]
        parameters = _faiss.SearchParameters(sel=selector) if selector else None
        # One extra row shows whether the result is cut off between equal scores.
        width = min(k + 1, candidates)
        scores, rows = self._index.search(batch, width, params=parameters)
        if width > k and scores[0, k] == scores[0, k - 1]:
            below = float(np.nextafter(scores[0, k], np.float32(-np.inf)))
            _, scores, rows = self._index.range_search(batch, below, params=parameters)
        return _ordered(rows.ravel(), scores.ravel(), k)


def _check_header(path: Path) -> tuple[int, int]:
    """Return rows and dimension of a file if its header is one that ``write_index`` writes.

    FAISS trusts the sizes in a header, so one flipped bit makes it allocate terabytes. This
    function compares the header with that of an empty index, except for the two counts, which
    must match the size of the file. Raises StoreDamaged if anything differs.
    """
    try:
        with path.open("rb") as file:
            head = file.read(16)
            dim = int.from_bytes(head[4:8], "little")
            rows = int.from_bytes(head[8:16], "little")
            size = path.stat().st_size
            whole = 0 < dim < 2**20 and _header(dim, rows) == head + file.read(_HEADER - 16)
    except OSError as error:
        raise StoreDamaged(f"{path} cannot be read: {error.strerror}", _HINT) from error
    if not whole or size != _HEADER + 2 * rows * dim:
        raise StoreDamaged(f"{path} is not a valid vector index, or is truncated", _HINT)
    return rows, dim


# type (4 bytes), d (4), ntotal (8), ..., then the number of code bytes (8) before the codes
_HEADER = 81


def _header(dim: int, rows: int) -> bytes:
    """Return the first bytes of an index file of ``rows`` vectors."""
    bare: bytes = _faiss.serialize_index(_empty(dim)).tobytes()
    codes = 2 * rows * dim % 2**64
    return bare[:8] + rows.to_bytes(8, "little") + bare[16:-8] + codes.to_bytes(8, "little")


def _select(total: int, allowed: NDArray[np.integer[Any]] | None) -> tuple[Any, int]:
    """Return a FAISS selector (None = every row) and the number of selected rows.

    The selector is a bitmap: its cost per compared row does not depend on how many are allowed.
    """
    if allowed is None:
        return None, total
    mask = np.zeros(total, dtype=bool)
    mask[allowed] = True
    bits = np.packbits(mask, bitorder="little")
    return _faiss.IDSelectorBitmap(bits), int(mask.sum())


def _ordered(
    rows: NDArray[np.int64], scores: NDArray[np.float32], k: int
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return the k best by falling score and rising row, without FAISS's -1 for "no row"."""
    real = rows >= 0
    rows, scores = rows[real], scores[real]
    order = np.lexsort((rows, -scores))[:k]
    return rows[order], scores[order]
