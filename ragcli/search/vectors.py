"""Finds the nearest vectors by inner product. This is the only module that uses FAISS.

Vectors are stored as 16-bit floats in one memory-mapped file. That halves the memory and changes
scores of unit vectors by less than 0.001. Opening takes the same time at any size, and several
processes share the pages.

NumPy compares few vectors, FAISS many: importing FAISS takes as long as comparing 100,000. Both
compare every vector. Among very many, codes of one bit for each dimension (``bit_codes.py``) choose
which vectors are compared; the scores are those of an exact comparison.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ragcli.errors import StoreDamaged
from ragcli.search import arrays
from ragcli.search.arrays import distinct
from ragcli.search.bit_codes import BitCodes

if TYPE_CHECKING:
    from typing import Self

Vectors = NDArray[np.float16] | NDArray[np.float32]
Half = NDArray[np.float16]

FEW = 10_000
"""NumPy compares so many vectors in 6 ms the first time and in 1 ms when they are float32; FAISS
takes 0.5 ms, and 40 ms to import (processor time)."""

MANY = 50_000
"""Above so many vectors, codes choose what is compared. To compare 100,000 takes 77 MB of mapped
memory and FAISS's import; with codes 20 MB, and the results are the same (recall 1.000 for the ten
nearest up to a million vectors, docs/adr/search-at-size.md)."""

CODED = FEW
"""A file of more than so many vectors has codes beside it. In smaller ones all are compared."""

CANDIDATES = 4_000
CANDIDATES_EACH = 60
"""Vectors that codes choose for exact comparison: so many, or so many for each that is wanted."""

_BLOCK = 256
"""Vectors that are widened at once: 400 kB, which stay in the cache."""

_HINT = "run: ragcli inspect check"


def write_index(path: Path, vectors: Vectors) -> None:
    """Write ``vectors``, shape (n, d), n >= 0, as an index file of FAISS, in the same order.

    The file is not synced: its folder becomes visible as a whole later (store/derived.py).
    """
    if vectors.ndim != 2 or vectors.shape[1] == 0:
        raise ValueError(f"vectors must have shape (n, d) with d > 0, found {vectors.shape}")
    try:
        with path.open("wb") as file:
            file.write(_header(vectors.shape[1], len(vectors)))
            file.write(np.ascontiguousarray(vectors, dtype="<f2").data)
    except OSError as error:
        raise OSError(error.errno, f"cannot write {path}: {error.strerror}") from error


def write_codes(path: Path, vectors: Vectors) -> None:
    """Write the codes of ``vectors``, shape (n, d), n > 0, beside their index file ``path``."""
    BitCodes.of(vectors).write(_codes_of(path))


def _codes_of(path: Path) -> Path:
    return path.with_suffix(".codes")


def stored_vectors(path: Path) -> Half:
    """Return the vectors of an index file, shape (n, d), n > 0, memory-mapped.

    Raises StoreDamaged like ``VectorIndex.open``.
    """
    rows, dim = _check_header(path)
    codes = np.memmap(path, np.uint8, "r", offset=_HEADER.size).view(np.ndarray)
    return codes.view(np.float16).reshape(rows, dim)


class _Compared(Protocol):
    """The vectors of a file, and how they are compared."""

    def best(
        self, query: NDArray[np.float32], k: int, allowed: Allowed | None
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Rows and products of the k best of the allowed rows, and of all that equal the last."""
        ...


class Scale(Enum):
    """How vectors are compared, by how many there are altogether.

    The ways agree to about 1e-5, so files whose results are merged must be opened alike.
    """

    FEW = "NumPy compares all"
    SOME = "FAISS compares all"
    MANY = "codes, or FAISS, choose what NumPy compares"

    @classmethod
    def of(cls, vectors: int) -> Scale:
        """The scale of so many vectors."""
        return cls.FEW if vectors <= FEW else cls.SOME if vectors <= MANY else cls.MANY


@dataclass(frozen=True, slots=True)
class Allowed:
    """Some rows of a file: their numbers, shape (n,), rising, or a mask of all rows."""

    numbers: NDArray[np.int64] | None
    mask: NDArray[np.bool_] | None
    count: int

    @classmethod
    def of(cls, given: NDArray[np.integer[Any]] | NDArray[np.bool_]) -> Allowed:
        """Rows in any order, or a mask."""
        if given.dtype == np.bool_:
            mask = np.asarray(given, np.bool_)
            return cls(None, mask, int(np.count_nonzero(mask)))
        numbers = distinct(np.asarray(given, np.int64))
        return cls(numbers, None, len(numbers))

    def listed(self) -> NDArray[np.int64]:
        """The numbers of the rows."""
        if self.numbers is not None:
            return self.numbers
        return np.flatnonzero(np.asarray(self.mask))

    def masked(self, total: int) -> NDArray[np.bool_]:
        """The mask of the rows, of ``total``."""
        if self.mask is not None:
            return self.mask
        mask = np.zeros(total, dtype=bool)
        mask[self.numbers] = True
        return mask


class VectorIndex:
    """The vectors of one index file, read-only. Several threads may search it."""

    def __init__(self, compared: _Compared, stored: Half) -> None:
        """Use ``VectorIndex.open``; ``stored`` are the vectors, shape (n, d), memory-mapped."""
        self._compared = compared
        self.stored = stored

    @classmethod
    def open(cls, path: Path, scale: Scale | None = None) -> Self:
        """Map the file into memory; read only its header.

        ``scale``: by default that of this file alone; see ``Scale``. Raises StoreDamaged if the
        file is missing, truncated, or not an index file of ragcli.
        """
        rows, dim = _check_header(path)
        scale = scale or Scale.of(rows)
        compared: _Compared
        if not rows or scale is Scale.FEW:
            compared = _ByNumpy(path, rows)
        elif scale is Scale.SOME:
            compared = _ByFaiss(path)
        elif (coded := _codes_of(path)).exists():
            compared = _Chosen(path, _ByCodes(BitCodes.open(coded, rows, dim)))
        else:  # A file of few rows, or of an earlier release.
            compared = _ByNumpy(path, rows) if rows <= FEW else _Chosen(path, _ByFaiss(path))
        stored = stored_vectors(path) if rows else np.empty((0, dim), np.float16)
        return cls(compared, stored)

    def __len__(self) -> int:
        """Number of vectors."""
        return len(self.stored)

    @property
    def dim(self) -> int:
        """The number of dimensions."""
        return int(self.stored.shape[1])

    def search(
        self,
        query: NDArray[np.float32],
        k: int,
        allowed: NDArray[np.integer[Any]] | NDArray[np.bool_] | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the best rows for ``query``, shape (d,), among ``allowed`` rows (all when None).

        ``allowed`` are rows in any order, or a mask of all rows. The result is rows and inner
        products, both of shape (m,), m = min(k, number of candidates), sorted by falling score.
        Equal scores are sorted by rising row, also where the result is cut off.
        """
        some = None if allowed is None else Allowed.of(allowed)
        k = min(k, len(self) if some is None else some.count)
        if k <= 0:
            return np.empty(0, np.int64), np.empty(0, np.float32)
        if query.shape != (self.dim,):
            raise ValueError(f"query must have shape ({self.dim},), found {query.shape}")
        rows, scores = self._compared.best(np.asarray(query, np.float32), k, some)
        order = np.lexsort((rows, -scores))[:k]
        return rows[order], scores[order]


class _ByNumpy:
    """Compares row by row, so that a vector has the same product in every file and every place."""

    def __init__(self, path: Path, rows: int) -> None:
        self._codes = stored_vectors(path) if rows else np.empty((0, 1), np.float16)
        self._wide: NDArray[np.float32] | None = None
        self._searched = False

    def best(
        self, query: NDArray[np.float32], k: int, allowed: Allowed | None
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        rows = np.arange(len(self._codes)) if allowed is None else allowed.listed()
        scores = np.empty(len(rows), np.float32)
        if self._searched and self._wide is None and len(self._codes) <= FEW:
            self._wide = self._codes.astype(np.float32)
        self._searched = True
        known: Vectors = self._codes if self._wide is None else self._wide
        for start in range(0, len(rows), _BLOCK):
            part = slice(start, start + _BLOCK)
            some = known[part] if allowed is None else known[rows[part]]
            # Not a matrix product: it sums a row differently at the end of a block.
            np.einsum("ij,j->i", some.astype(np.float32, copy=False), query, out=scores[part])
            arrays.release(self._codes)
        if k < len(rows):
            chosen = scores >= np.partition(scores, len(rows) - k)[len(rows) - k]
            return rows[chosen], scores[chosen]
        return rows, scores


class _ByFaiss:
    """Compares all with FAISS, which maps the file itself."""

    def __init__(self, path: Path) -> None:
        import faiss

        # FAISS computes one query in one thread. Other threads only spin, and on a busy machine
        # the query waits for them: 10 to 40 ms instead of 0.4 ms for 10,000 vectors.
        faiss.omp_set_num_threads(1)
        # FAISS's stubs describe the C++ signatures, not the Python wrappers that take arrays.
        self._faiss: Any = faiss
        try:
            self._index = self._faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC)
        except RuntimeError as error:
            raise StoreDamaged(f"{path} is not a valid vector index", _HINT) from error

    def best(
        self, query: NDArray[np.float32], k: int, allowed: Allowed | None
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        total = int(self._index.ntotal)
        parameters = None
        if allowed is not None:
            # A bitmap: its cost per compared row does not depend on how many are allowed.
            bits = np.packbits(allowed.masked(total), bitorder="little")
            selector = self._faiss.IDSelectorBitmap(bits)
            parameters = self._faiss.SearchParameters(sel=selector)
        batch = np.ascontiguousarray(query)[None]
        # One extra row shows whether the result is cut off between equal scores.
        width = min(k + 1, total if allowed is None else allowed.count)
        scores, rows = self._index.search(batch, width, params=parameters)
        if width > k and scores[0, k] == scores[0, k - 1]:
            below = float(np.nextafter(scores[0, k], np.float32(-np.inf)))
            _, scores, rows = self._index.range_search(batch, below, params=parameters)
        real = rows.ravel() >= 0
        return rows.ravel()[real], scores.ravel()[real]

    def choose(self, query: NDArray[np.float32], count: int, allowed: Allowed | None) -> Allowed:
        return Allowed.of(self.best(query, count, allowed)[0])


class _Shortlist(Protocol):
    """Chooses vectors of a file that are worth an exact comparison."""

    def choose(self, query: NDArray[np.float32], count: int, allowed: Allowed | None) -> Allowed:
        """About ``count`` of the allowed rows, those that are probably the best."""
        ...


class _ByCodes:
    """Estimates all products from codes."""

    def __init__(self, codes: BitCodes) -> None:
        self._codes = codes

    def choose(self, query: NDArray[np.float32], count: int, allowed: Allowed | None) -> Allowed:
        mask = None if allowed is None else allowed.masked(len(self._codes))
        return Allowed.of(self._codes.likeliest(query, count, mask))


class _Chosen:
    """Compares what a shortlist has chosen, and everything if it is as few."""

    def __init__(self, path: Path, shortlist: _Shortlist) -> None:
        self._exactly = _ByNumpy(path, 1)
        self._shortlist = shortlist

    def best(
        self, query: NDArray[np.float32], k: int, allowed: Allowed | None
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        count = max(CANDIDATES, CANDIDATES_EACH * k)
        if allowed is None or allowed.count > count:
            allowed = self._shortlist.choose(query, count, allowed)
        return self._exactly.best(query, k, allowed)


def _check_header(path: Path) -> tuple[int, int]:
    """Return rows and dimension of a file if its header is one that ``write_index`` writes.

    FAISS trusts the sizes in a header, so one flipped bit makes it allocate terabytes. The counts
    must match the size of the file. Raises StoreDamaged if anything differs.
    """
    try:
        with path.open("rb") as file:
            head = file.read(16)
            dim = int.from_bytes(head[4:8], "little")
            rows = int.from_bytes(head[8:16], "little")
            size = path.stat().st_size
            whole = 0 < dim < 2**20 and _header(dim, rows) == head + file.read(_HEADER.size - 16)
    except OSError as error:
        raise StoreDamaged(f"{path} cannot be read: {error.strerror}", _HINT) from error
    if not whole or size != _HEADER.size + 2 * rows * dim:
        raise StoreDamaged(f"{path} is not a valid vector index, or is truncated", _HINT)
    return rows, dim


_FP16 = 4
# The header of an IndexScalarQuantizer of FAISS: type, d, ntotal, two unused numbers, "trained",
# metric (inner product); type (fp16), two unused numbers, d, bytes a vector, no ranges, all bytes.
_HEADER = struct.Struct("<4siQqq?iiifqqqQ")


def _header(dim: int, rows: int) -> bytes:
    """Return the first bytes of an index file of ``rows`` vectors."""
    unused = 1 << 20
    quantizer = _FP16, 0, 0.0, dim, 2 * dim, 0
    codes = 2 * rows * dim % 2**64
    return _HEADER.pack(b"IxSQ", dim, rows, unused, unused, True, 0, *quantizer, codes)
