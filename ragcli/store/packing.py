"""Compresses texts and extractions in the store; SQL reads them through two functions.

``plain_text(x)`` and ``plain_data(x)`` also take what is not packed, so a query may read either.
"""

from __future__ import annotations

import sqlite3
import zlib

_LEVEL = 6
# zlib's first byte with any window; neither JSON nor a short text that is kept begins with it.
_ZLIB = 0x78
# Below this length a text is seldom shorter when it is packed.
_LEAST = 80
MOST = 1 << 30
"""Bytes that a packed value may have when unpacked: a store from elsewhere may be a trap."""


def pack_data(data: bytes) -> bytes:
    """Compress bytes that do not begin like a packed value, for example JSON."""
    return zlib.compress(data, _LEVEL)


def plain_data(data: bytes | None) -> bytes | None:
    """Return what ``pack_data`` packed; other bytes, and None, as they are.

    Raises ValueError for a damaged value and for one that is larger than ``MOST``.
    """
    if not data or data[0] != _ZLIB:
        return data
    return _inflated(data)


def pack_text(text: str) -> bytes | str:
    """Compress a text, unless that does not make it shorter."""
    if len(text) < _LEAST:
        return text
    plain = text.encode("utf-8", "surrogatepass")
    packed = zlib.compress(plain, _LEVEL)
    return packed if len(packed) < len(plain) else text


def plain_text(value: bytes | str | None) -> str | None:
    """Return the text that ``pack_text`` packed. Raises ValueError as ``plain_data`` does."""
    if value is None or isinstance(value, str):
        return value
    return _inflated(value).decode("utf-8", "surrogatepass")


def _inflated(packed: bytes) -> bytes:
    stream = zlib.decompressobj()
    try:
        plain = stream.decompress(packed, MOST)
    except zlib.error as error:
        raise ValueError(f"a packed value is damaged: {error}") from error
    if not stream.eof:
        raise ValueError("a packed value is cut off or too large")
    return plain


def define_functions(db: sqlite3.Connection) -> None:
    """Let the SQL of a connection call ``plain_text`` and ``plain_data``."""
    db.create_function("plain_text", 1, plain_text, deterministic=True)
    db.create_function("plain_data", 1, plain_data, deterministic=True)
