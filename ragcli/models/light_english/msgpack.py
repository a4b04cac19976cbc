"""Read MessagePack, the format of a spaCy pipeline's files, without importing spaCy.

Format: https://github.com/msgpack/msgpack/blob/master/spec.md. Arrays of numbers stand in it as
msgpack-numpy writes them: a map of "nd", "type", "shape" and "data". Extension types do not occur
in a pipeline's files and are refused.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

# Formats of fixed size: code -> (struct format, bytes).
_NUMBERS = {
    code: (form, struct.calcsize(form))
    for code, form in enumerate((">f", ">d", ">B", ">H", ">I", ">Q", ">b", ">h", ">i", ">q"), 0xCA)
}
_CONSTANTS = {0xC0: None, 0xC2: False, 0xC3: True}
# Code -> bytes of the length that follows it.
_BYTES = {0xC4: 1, 0xC5: 2, 0xC6: 4}
_STRINGS = {0xD9: 1, 0xDA: 2, 0xDB: 4}
_LISTS = {0xDC: 2, 0xDD: 4}
_MAPS = {0xDE: 2, 0xDF: 4}


def unpack(data: bytes) -> Any:
    """The value that ``data`` holds. Raises ValueError when it is cut off or no MessagePack."""
    try:
        value, end = _value(data, 0)
    except (IndexError, struct.error) as error:
        raise ValueError(f"MessagePack of {len(data)} bytes is cut off") from error
    if end != len(data):
        raise ValueError(f"MessagePack ends at byte {end} of {len(data)}")
    return value


def _value(data: bytes, at: int) -> tuple[Any, int]:
    """The value at ``at`` and where the next begins."""
    code = data[at]
    at += 1
    if code < 0x80:
        return code, at
    if code < 0x90:
        return _map(data, at, code & 15)
    if code < 0xA0:
        return _list(data, at, code & 15)
    if code < 0xC0:
        return _string(data, at, code & 31)
    if code >= 0xE0:
        return code - 256, at
    if code in _CONSTANTS:
        return _CONSTANTS[code], at
    if code in _NUMBERS:
        form, size = _NUMBERS[code]
        return struct.unpack_from(form, data, at)[0], at + size
    for sizes, read in ((_BYTES, _blob), (_STRINGS, _string), (_LISTS, _list), (_MAPS, _map)):
        if code in sizes:
            start = at + sizes[code]
            return read(data, start, int.from_bytes(data[at:start]))
    raise ValueError(f"MessagePack type {code:#x} at byte {at - 1} is not known here")


def _blob(data: bytes, at: int, length: int) -> tuple[bytes, int]:
    if at + length > len(data):
        raise IndexError
    return data[at : at + length], at + length


def _string(data: bytes, at: int, length: int) -> tuple[str, int]:
    raw, end = _blob(data, at, length)
    return raw.decode(), end


def _list(data: bytes, at: int, length: int) -> tuple[list[Any], int]:
    """A list; short strings, of which there are long lists of words, are read in place."""
    items: list[Any] = []
    append = items.append
    for _ in range(length):
        code = data[at]
        if 0xA0 <= code < 0xC0:
            end = at + code - 0x9F
            append(data[at + 1 : end].decode())
            at = end
        else:
            item, at = _value(data, at)
            append(item)
    return items, at


def _map(data: bytes, at: int, length: int) -> tuple[Any, int]:
    pairs: dict[Any, Any] = {}
    for _ in range(length):
        key, at = _value(data, at)
        pairs[key], at = _value(data, at)
    if "nd" in pairs or b"nd" in pairs:
        return _array({k if isinstance(k, str) else k.decode(): v for k, v in pairs.items()}), at
    return pairs, at


def _array(parts: dict[str, Any]) -> Any:
    """An array or a single number, as msgpack-numpy writes them."""
    flat = np.frombuffer(parts["data"], np.dtype(parts["type"]))
    return flat.reshape(parts["shape"]) if parts["nd"] else flat[0]
