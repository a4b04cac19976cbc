"""Reads safetensors files without importing a framework: header and memory-mapped tensors.

The format (https://huggingface.co/docs/safetensors) is: header length N in 8 bytes, little-endian;
N bytes of JSON ``{name: {dtype, shape, data_offsets}}``; the tensors' bytes. Offsets count from the
end of the header.
"""

from __future__ import annotations

import json
import mmap
import struct
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragcli.errors import ModelError

_DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "U8": "u1"}
_BYTES = {name: np.dtype(form).itemsize for name, form in _DTYPES.items()}
_LONGEST_HEADER = 100_000_000  # the limit of the format's own library


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """Where a tensor is; ``begin`` and ``end`` count bytes from the start of the file."""

    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int


def read_header(path: Path) -> dict[str, TensorInfo]:
    """Return the tensors of a safetensors file by name, in the order of their bytes.

    Raises ModelError when the file is not safetensors or is truncated.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        length = struct.unpack("<Q", file.read(8).ljust(8, b"\xff"))[0]
        if length > min(size - 8, _LONGEST_HEADER):
            raise ModelError(f"{path} is not a safetensors file", _HINT)
        text = file.read(length)
    try:
        entries: dict[str, Any] = json.loads(text)
        entries.pop("__metadata__", None)
        infos = {name: _info(entry, 8 + length) for name, entry in entries.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ModelError(f"{path} has a damaged header: {error}", _HINT) from error
    if any(info.end > size for info in infos.values()):
        raise ModelError(f"{path} is truncated: {size} bytes are fewer than it declares", _HINT)
    return dict(sorted(infos.items(), key=lambda item: item[1].begin))


_HINT = "copy the model's folder again from its source"


def _info(entry: dict[str, Any], origin: int) -> TensorInfo:
    begin, end = entry["data_offsets"]
    shape = tuple(entry["shape"])
    if not all(isinstance(n, int) and 0 <= n < 1 << 62 for n in (begin, end, *shape)):
        raise ValueError("numbers of a tensor must be whole and not negative")
    bytes_each = _BYTES.get(entry["dtype"], 0)
    if end < begin or (bytes_each and prod(shape) * bytes_each != end - begin):
        raise ValueError("a tensor does not have the bytes of its shape")
    return TensorInfo(entry["dtype"], shape, origin + begin, origin + end)


def open_tensors(path: Path) -> dict[str, NDArray[Any]]:
    """Return all tensors of ``path`` as read-only arrays over one memory map, without reading them.

    Tensors of a type that NumPy lacks (bfloat16) are left out. Raises ModelError like
    ``read_header``.
    """
    infos = read_header(path)
    with path.open("rb") as file:
        memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    tensors: dict[str, NDArray[Any]] = {}
    for name, info in infos.items():
        if info.dtype in _DTYPES:
            dtype = np.dtype(_DTYPES[info.dtype])
            count = (info.end - info.begin) // dtype.itemsize
            flat = np.frombuffer(memory, dtype, count, info.begin)
            tensors[name] = flat.reshape(info.shape)
    return tensors
