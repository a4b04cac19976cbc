"""Compresses texts and extractions in the store; SQL reads them through two functions.

``plain_text(x)`` and ``plain_data(x)`` also take what is not packed, so a query may read either.
"""

from __future__ import annotations

import sqlite3
import zlib

import orjson

from ragcli.store.packed_rows import columns_of, rows_of

_LEVEL = 6
# zlib's first byte with any window; neither JSON nor a short text that is kept begins with it.
_ZLIB = 0x78
# The first byte of columns (packed_rows.py), which are compressed, too; no JSON begins with it.
_COLUMNS = b"\x01"
# Below this length a text is seldom shorter when it is packed.
_LEAST = 80
MOST = 1 << 30
"""Bytes that a packed value may have when unpacked: a store from elsewhere may be a trap."""


def pack_data(data: bytes) -> bytes:
    """Compress bytes that do not begin like a packed value, for example JSON."""
    columns = columns_of(data)
    if columns is None:
        return zlib.compress(data, _LEVEL)
    return _COLUMNS + zlib.compress(columns, _LEVEL)


def plain_data(data: bytes | None) -> bytes | None:
    """Return what ``pack_data`` packed; other bytes, and None, as they are.

    Raises ValueError for a damaged value and for one that is larger than ``MOST``.
    """
    if not data:
        return data
    if data[:1] == _COLUMNS:
        try:
            return rows_of(_inflated(data[1:]))
        except (TypeError, IndexError, orjson.JSONDecodeError) as error:
            raise ValueError(f"a packed value is damaged: {error}") from error
    return _inflated(data) if data[0] == _ZLIB else data


def packed_data(data: bytes) -> bytes:
    """Pack what an earlier format packed in another way, or did not pack.

    A damaged value stays as it is: reading it raises the error.
    """
    if data[:1] == _COLUMNS:
        return data
    try:
        return pack_data(plain_data(data) or b"")
    except ValueError:
        return data


def sound_data(data: bytes) -> bytes | None:
    """The same, but None for bytes that cannot be unpacked."""
    try:
        plain_data(data)
        return packed_data(data)
    except ValueError:
        return None


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


SQL_FUNCTIONS = frozenset(each.__code__ for each in (plain_text, plain_data, sound_data))
"""The code that SQLite calls: an exception in it comes out as an error of SQLite."""


def define_functions(db: sqlite3.Connection) -> None:
    """Let the SQL of a connection call ``plain_text``, ``plain_data`` and ``sound_data``."""
    db.create_function("plain_text", 1, plain_text, deterministic=True)
    db.create_function("plain_data", 1, plain_data, deterministic=True)
    db.create_function("sound_data", 1, sound_data, deterministic=True)
