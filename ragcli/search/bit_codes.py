"""Codes of one bit for each dimension, which tell which vectors are worth an exact comparison.

RaBitQ (Gao, Long 2024) without clusters: vectors are turned by a fixed random rotation, and the
code of a vector has the signs of its coordinates. With the length of the projection of the vector
onto its code, the code estimates inner products without bias, with an error of about
0.75 / sqrt(dimensions). The question's vector is cut to four bits a coordinate, so an estimate
counts bits.

A code depends on its own vector only. So a store that grew has the codes of a store made anew, and
an update computes codes for its own rows. A million codes of 384 bits are 54 MB, and to estimate
them all takes about 30 ms of processor time (docs/adr/search-at-size.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragcli.errors import StoreDamaged
from ragcli.search import arrays

Float = NDArray[np.float32]

_SEED = 20_240_521
_WORD = 64
_BITS = 4
"""Bits of a coordinate of the question."""
_ZERO = 1e-6
_BLOCK = 32_768
"""Vectors that are coded or estimated at once: their part of a plane stays in the cache."""


@dataclass(frozen=True, slots=True)
class BitCodes:
    """The codes of n vectors of d dimensions.

    ``planes[i]``, shape (n,), has the signs ``64 i`` to ``64 i + 63`` of each vector; ``ones``
    counts the signs that are set; ``length`` is the inner product of a turned vector with the unit
    vector of its code.
    """

    rotation: Float
    planes: Sequence[NDArray[np.uint64]]
    ones: NDArray[np.uint16]
    length: Float

    @classmethod
    def of(cls, vectors: NDArray[np.float16] | Float) -> BitCodes:
        """Code vectors of shape (n, d), n > 0; a vector of zeros is estimated as 0."""
        rows, dim = vectors.shape
        rotation = _rotation(dim)
        planes = np.zeros((-(-dim // _WORD), rows), np.uint64)
        ones = np.empty(rows, np.uint16)
        length = np.empty(rows, np.float32)
        for part in _blocks(rows):
            turned = vectors[part].astype(np.float32) @ rotation
            signs = turned > 0
            planes[:, part] = _words(signs).T
            ones[part] = signs.sum(axis=1)
            length[part] = np.abs(turned).sum(axis=1) / np.float32(np.sqrt(dim))
        return cls(rotation, list(planes), ones, length)

    def __len__(self) -> int:
        """Number of vectors."""
        return len(self.ones)

    def write(self, path: Path) -> None:
        """Write the codes with their rotation, which other libraries might compute otherwise."""
        named: arrays.Arrays = {f"plane{i}": plane for i, plane in enumerate(self.planes)}
        named |= {"rotation": self.rotation.ravel(), "ones": self.ones, "length": self.length}
        arrays.save(path, named)

    @classmethod
    def open(cls, path: Path, rows: int, dim: int) -> BitCodes:
        """Map the codes of ``rows`` vectors of ``dim`` dimensions. Raises StoreDamaged."""
        found = arrays.load(path)
        words = -(-dim // _WORD)
        try:
            planes = [found[f"plane{i}"] for i in range(words)]
            rotation, ones, length = found["rotation"], found["ones"], found["length"]
            if any(len(x) != rows for x in (*planes, ones, length)) or rotation.size != dim * dim:
                raise ValueError("the numbers of rows differ")
        except (KeyError, ValueError) as error:
            raise StoreDamaged(
                f"{path} is damaged: {error}", "run: ragcli inspect check"
            ) from error
        return cls(rotation.reshape(dim, dim), planes, ones, length)

    def estimates(self, query: Float) -> Float:
        """Estimate the inner products of all vectors with ``query``, shape (d,) -> (n,)."""
        dim = len(query)
        turned = query @ self.rotation
        low = float(turned.min())
        step = max(float(turned.max()) - low, 1e-12) / (2**_BITS - 1)
        levels = np.rint((turned - low) / step).astype(np.uint8)
        asked = [_words((levels >> bit & 1).astype(bool)[None])[0] for bit in range(_BITS)]
        kind: Any = np.uint16 if dim * (2**_BITS - 1) < 2**16 else np.uint32
        out = np.empty(len(self), np.float32)
        for part in _blocks(len(self)):
            total = np.zeros(part.stop - part.start, kind)
            for word in range(len(self.planes)):
                signs = self.planes[word][part]
                for bit in range(_BITS):
                    total += np.bitwise_count(signs & asked[bit][word]).astype(kind) << bit
            sums = 2 * (np.float32(step) * total + np.float32(low) * self.ones[part])
            out[part] = (sums - np.float32(turned.sum())) / np.float32(np.sqrt(dim))
            arrays.release(self.ones)
        known = self.length > _ZERO
        np.divide(out, self.length, out=out, where=known)
        out[~known] = 0
        return out

    def likeliest(
        self, query: Float, count: int, allowed: NDArray[np.bool_] | None = None
    ) -> NDArray[np.int64]:
        """Return the rows with the highest estimates, rising: ``count``, or more if some are equal.

        ``allowed``: a mask of the rows that count, shape (n,); None: all.
        """
        found = self.estimates(query)
        if allowed is not None:
            found[~allowed] = -np.inf
            count = min(count, int(np.count_nonzero(allowed)))
        if count >= len(found):
            return np.arange(len(found))
        least = np.partition(found, len(found) - count)[len(found) - count]
        return np.flatnonzero(found >= least)


def _rotation(dim: int) -> Float:
    """A random orthogonal matrix, the same every time up to the last bits."""
    drawn = np.random.Generator(np.random.PCG64(_SEED)).standard_normal((dim, dim))
    turned, upper = np.linalg.qr(drawn)
    return np.asarray(turned * np.sign(np.diag(upper)), dtype=np.float32)


def _words(signs: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Pack signs, shape (n, d), into words of 64, shape (n, ceil(d / 64)); the rest is 0."""
    words = -(-signs.shape[1] // _WORD)
    packed = np.zeros((len(signs), 8 * words), np.uint8)
    some = np.packbits(signs, axis=1)
    packed[:, : some.shape[1]] = some
    return packed.view("<u8")


def _blocks(rows: int) -> Iterator[slice]:
    for start in range(0, rows, _BLOCK):
        yield slice(start, min(start + _BLOCK, rows))
