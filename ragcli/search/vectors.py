"""Exact nearest vectors by inner product: the one owner of FAISS.

Vectors are kept as 16-bit floats (half the memory; scores move by less than 0.001 for unit
vectors) in one memory-mapped file, so that opening costs the same at any size and readers in
several processes share the pages. Every vector is compared: the k rows found are the true ones.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray

from ragcli.errors import StoreDamaged

# One query is one thread's work in FAISS; the others would only spin beside it, and on a busy
# machine make it wait: 10 to 40 ms instead of 0.4 for 10,000 vectors.
faiss.omp_set_num_threads(1)

# FAISS's stubs describe the C++ signatures, not the Python wrappers that take arrays.
_faiss: Any = faiss

Vectors = NDArray[np.float16] | NDArray[np.float32]

_METRIC = faiss.METRIC_INNER_PRODUCT
_ADD_ROWS = 16_384
_HINT = "run: ragcli inspect check"


def write_index(path: Path, vectors: Vectors) -> None:
    """Write ``vectors``, shape (n, d), n >= 0, as an index file; row i of it is row i of them.

    Nothing is synced: the folder that the file is in becomes visible as a whole (store/derived.py).
    """
    if vectors.ndim != 2 or vectors.shape[1] == 0:
        raise ValueError(f"vectors must have shape (n, d) with d > 0, found {vectors.shape}")
    index = _empty(vectors.shape[1])
    for start in range(0, len(vectors), _ADD_ROWS):  # bounds the float32 copy that FAISS needs
        index.add(np.ascontiguousarray(vectors[start : start + _ADD_ROWS], dtype=np.float32))
    try:
        faiss.write_index(index, str(path))
    except RuntimeError as error:  # FAISS has no other kind; an OSError is understood upstairs
        raise OSError(f"cannot write {path}: {error}") from error


def stored_vectors(path: Path) -> NDArray[np.float16]:
    """The vectors of an index file as they were written, shape (n, d), n > 0, mapped.

    Raises StoreDamaged like ``VectorIndex.open``.
    """
    rows, dim = _check_header(path)
    codes = np.memmap(path, np.uint8, "r", offset=_HEADER).view(np.ndarray)
    return codes.view(np.float16).reshape(rows, dim)


def _empty(dim: int) -> Any:
    return _faiss.IndexScalarQuantizer(dim, faiss.ScalarQuantizer.QT_fp16, _METRIC)


class VectorIndex:
    """Vectors of one index file, read-only; safe to search from several threads."""

    def __init__(self, index: Any) -> None:
        """Wrap an open FAISS index; use ``VectorIndex.open``."""
        self._index = index

    @classmethod
    def open(cls, path: Path) -> VectorIndex:
        """Map the file into memory; nothing but its header is read.

        Raises StoreDamaged when it is missing, cut short, or no index of ours.
        """
        _check_header(path)
        try:
            index = _faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC)
        except RuntimeError as error:
            raise StoreDamaged(f"{path} is no usable vector index", _HINT) from error
        return cls(index)

    def __len__(self) -> int:
        """Number of vectors."""
        return int(self._index.ntotal)

    @property
    def dim(self) -> int:
        """Numbers in a vector."""
        return int(self._index.d)

    def search(
        self,
        query: NDArray[np.float32],
        k: int,
        allowed: NDArray[np.integer[Any]] | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The best rows for ``query``, shape (d,), among ``allowed`` rows (all when None).

        Returns rows and inner products, both of shape (m,), m = min(k, number of candidates),
        sorted by falling score, equal scores by rising row; also at the cut.
        """
        selector, candidates = _select(len(self), allowed)
        k = min(k, candidates)
        if k <= 0:
            return np.empty(0, np.int64), np.empty(0, np.float32)
        if query.shape != (self.dim,):
            raise ValueError(f"query must have shape ({self.dim},), found {query.shape}")
        batch = np.ascontiguousarray(query, dtype=np.float32)[None]
        parameters = _faiss.SearchParameters(sel=selector) if selector else None
        # One more than asked: it shows whether the cut falls between equal scores.
        width = min(k + 1, candidates)
        scores, rows = self._index.search(batch, width, params=parameters)
        if width > k and scores[0, k] == scores[0, k - 1]:
            below = float(np.nextafter(scores[0, k], np.float32(-np.inf)))
            _, scores, rows = self._index.range_search(batch, below, params=parameters)
        return _ordered(rows.ravel(), scores.ravel(), k)


def _check_header(path: Path) -> tuple[int, int]:
    """Rows and dimension of a file that is what ``write_index`` writes, to the last byte's place.

    Raises StoreDamaged when it is not.

    FAISS believes sizes in a header: one flipped bit makes it ask for terabytes. So the header is
    compared with that of an empty index, but for the two counts, which must fit the file's size.
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
        raise StoreDamaged(f"{path} is no usable vector index, or cut short", _HINT)
    return rows, dim


# type (4 bytes), d (4), ntotal (8), ..., then the number of code bytes (8) before the codes
_HEADER = 81


def _header(dim: int, rows: int) -> bytes:
    """First bytes of the index file of ``rows`` vectors."""
    bare: bytes = _faiss.serialize_index(_empty(dim)).tobytes()
    codes = 2 * rows * dim % 2**64
    return bare[:8] + rows.to_bytes(8, "little") + bare[16:-8] + codes.to_bytes(8, "little")


def _select(total: int, allowed: NDArray[np.integer[Any]] | None) -> tuple[Any, int]:
    """A FAISS selector (None = every row) and the number of rows that take part.

    A bitmap: constant time for each row compared, however many are allowed.
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
    """The k best, by falling score and rising row; FAISS's -1 for "no row" left out."""
    real = rows >= 0
    rows, scores = rows[real], scores[real]
    order = np.lexsort((rows, -scores))[:k]
    return rows[order], scores[order]
