"""Stores several one-dimensional arrays in one file that is memory-mapped.

Layout: the header's length (8 bytes, little endian), the header (JSON: name -> type, offset,
length), then the arrays, each at a multiple of 64 bytes from where the header's padding ends.
"""

from __future__ import annotations

import mmap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from ragcli.errors import StoreDamaged

Arrays = dict[str, NDArray[Any]]

LARGE = 32 << 20
"""Files of so many bytes are not mapped as a whole."""

AT_ONCE = 256
"""Scattered rows that are read before ``release``: at most 16 MB of mapped memory."""

_ALIGN = 64
_LARGE = 256 << 20


def _padded(size: int) -> int:
    return -(-size // _ALIGN) * _ALIGN


def distinct(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """The different numbers, shape (n,) -> (m,), rising; ``np.unique`` would import numpy.ma, 8 ms.

    >>> distinct(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    rising: NDArray[np.int64] = np.sort(numbers)
    new = np.ones(len(rising), dtype=bool)
    new[1:] = rising[1:] != rising[:-1]
    return rising[new]


def release(array: NDArray[Any]) -> None:
    """Give back the memory through which a large mapped file was read.

    Linux maps 64 kB around each byte that is read, so a few thousand scattered rows would map the
    whole file into this process. The system keeps what it has read from the disk. Does nothing for
    small files, other arrays, and systems that cannot.
    """
    base: object = array
    while isinstance(base, np.ndarray):
        base = base.base
    if isinstance(base, mmap.mmap) and len(base) >= LARGE and hasattr(base, "madvise"):
        base.madvise(mmap.MADV_DONTNEED)


def room(shape: int | tuple[int, ...], kind: type[Any]) -> NDArray[Any]:
    """Return an array of zeros to fill.

    A large one is in a temporary file without a name: the system can write its pages out, so that
    memory does not grow with the store.
    """
    size = int(np.prod(shape)) * np.dtype(kind).itemsize
    if size < _LARGE:
        return np.zeros(shape, kind)
    # Only an index of many documents needs it; ``ask`` starts without.
    from tempfile import TemporaryFile

    return np.memmap(TemporaryFile(), dtype=kind, mode="w+", shape=shape).view(np.ndarray)


def save(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write the arrays, each of shape (n,), n >= 0, to a file."""
    places: dict[str, tuple[str, int, int]] = {}
    at = 0
    for name, array in arrays.items():
        places[name] = (array.dtype.str, at, len(array))
        at += _padded(array.nbytes)
    header = orjson.dumps(places)
    with path.open("wb") as file:
        file.write(len(header).to_bytes(8, "little") + header)
        file.write(b"\0" * (_padded(8 + len(header)) - 8 - len(header)))
        for array in arrays.values():
            file.write(np.ascontiguousarray(array).data)
            file.write(b"\0" * (_padded(array.nbytes) - array.nbytes))


def load(path: Path) -> Arrays:
    """Return the arrays of a file, read-only and memory-mapped.

    The arrays are plain views of the map, because slices of numpy's memmap are slower. Raises
    StoreDamaged if the file is not what ``save`` wrote.
    """
    try:
        data = np.memmap(path, np.uint8, "r").view(np.ndarray)
        size = int.from_bytes(data[:8].tobytes(), "little")
        places = orjson.loads(data[8 : 8 + size].tobytes())
        body = data[_padded(8 + size) :]
        out: Arrays = {}
        for name, (kind, at, length) in places.items():
            dtype = np.dtype(kind)
            out[name] = body[at : at + length * dtype.itemsize].view(dtype)
            if len(out[name]) != length:
                raise ValueError(f"{name} is truncated")
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise StoreDamaged(f"{path} is damaged: {error}", "run: ragcli inspect check") from error
    return out
