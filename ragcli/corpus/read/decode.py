"""Decodes bytes to text: byte order marks, UTF-8, UTF-16, and older one-byte encodings."""

from __future__ import annotations

import codecs
import io
import logging
import os
import re
import stat
import unicodedata
from collections.abc import Callable
from typing import BinaryIO

from ragcli.errors import ReadError
from ragcli.types import Source

_log = logging.getLogger(__name__)

BINARY = "binary file"
EMPTY = "empty file"

MOST_BYTES = 256 << 20
"""The largest file that is read as one document. A text takes several times its size in memory."""

_LOOKED_AT = 8192
_SAMPLE = 65536
"""Bytes of a file that are examined to detect binary data and the encoding."""

# The longest mark comes first, because the UTF-32 mark begins with the UTF-16 mark.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\x1b")) + b"\x7f"
_ASCII = bytes(range(128))
_NO_TEXT = ("Cn", "Co", "Cs")
_FEWEST = 8
"""Bytes beyond ASCII that are needed to detect the language: a single "£" is not enough."""
_HIGH = re.compile(r"[^\x00-\x7f\ufffd]")

# The encodings of https://encoding.spec.whatwg.org/, as Python names them.
_WEB_ENCODINGS = frozenset(
    "utf-8 utf-16-le utf-16-be cp866 iso8859-2 iso8859-3 iso8859-4 iso8859-5 iso8859-6 iso8859-7 "
    "iso8859-8 iso8859-10 iso8859-13 iso8859-14 iso8859-15 iso8859-16 koi8-r koi8-u mac-roman "
    "cp874 cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 mac-cyrillic gb18030 "
    "big5hkscs euc_jp iso2022_jp cp932 cp949".split()
)
_READ_AS = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "utf-16": "utf-8",  # a page whose declaration can be read is not UTF-16
}

# Languages that are usually encoded in cp1252. The detector often returns a similar encoding
# (cp1250) that differs only in signs such as "£".
_WESTERN = re.compile(
    "English|French|German|Spanish|Italian|Portuguese|Dutch|Swedish|Danish|Norwegian|Finnish"
    "|Icelandic|Catalan|Indonesian|Unknown|"
)


def bytes_of(source: Source) -> bytes:
    """Return the bytes of a file; raises ReadError with the system's reason.

    A file of more than ``MOST_BYTES`` is not read. One that grows meanwhile is read as far as it
    reached when it was opened.
    """
    if source.content is not None:
        return source.content
    with opened(source) as file:
        size = size_of(file)
        if size > MOST_BYTES:
            raise ReadError(f"{source.id} has {size:,} bytes; at most {MOST_BYTES:,} are read")
        return taken(source, file.read, size)


def head_of(source: Source) -> bytes:
    """Return the first bytes of a file, enough for ``is_binary``; raises ReadError."""
    with opened(source) as file:
        return taken(source, file.read, min(_SAMPLE, size_of(file)))


def taken(source: Source, read: Callable[[int], bytes], most: int) -> bytes:
    """Return what a method of an open file reads; raises ReadError with the system's reason."""
    try:
        return read(most)
    except OSError as error:
        raise _unreadable(source, error) from error


def opened(source: Source) -> BinaryIO:
    """Open a regular file; raises ReadError for any other, even if it has just taken its place.

    Opening never waits: a pipe that nobody writes to would stop the run.
    """
    if source.content is not None:
        return io.BytesIO(source.content)
    try:
        file = open(source.real or source.path, "rb", opener=_opener(source))  # noqa: SIM115
    except OSError as error:
        raise _unreadable(source, error) from error
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return file
    file.close()
    raise ReadError(f"cannot read {source.id}: it is no longer a regular file")


def size_of(file: BinaryIO) -> int:
    """Return the size of an open file, or of a part of a file in memory, in bytes."""
    if isinstance(file, io.BytesIO):
        return file.getbuffer().nbytes
    return os.fstat(file.fileno()).st_size


def _opener(source: Source) -> Callable[[str, int], int]:
    """Open without waiting, and no link where the scan has seen a file.

    Windows has none of these flags and no pipes in folders.
    """
    names = ("O_NONBLOCK", "O_NOCTTY", *(("O_NOFOLLOW",) if source.real else ()))
    more = sum(getattr(os, name, 0) for name in names)
    return lambda path, flags: os.open(path, flags | more)


def web_encoding(label: str) -> str:
    """Return Python's name of the encoding that a web page declares; "utf-8" for any other label.

    Python knows codecs that are no encodings of text: one of them runs escapes, another always
    raises. Browsers read Latin-1 as Windows-1252.

    >>> web_encoding("ISO-8859-1"), web_encoding("unicode_escape")
    ('cp1252', 'utf-8')
    """
    try:
        name = codecs.lookup(label).name
    except LookupError:
        return "utf-8"
    name = _READ_AS.get(name, name)
    return name if name in _WEB_ENCODINGS else "utf-8"


def _unreadable(source: Source, error: OSError) -> ReadError:
    """Return the error for a file that the system does not let us read."""
    reason = error.strerror or str(error)
    return ReadError(f"cannot read {source.id}: {reason}", "check the file's permissions")


def is_binary(raw: bytes) -> bool:
    """Return whether ``raw``, a file or its start, is not text in any encoding."""
    if mark := _marked(raw):
        wide = mark[1] != "utf-8"
        return wide and _is_noise(raw[len(mark[0]) : _SAMPLE].decode(mark[1], "replace"))
    if _unmarked_utf16(raw):
        return False
    sample = raw[:_SAMPLE]
    # A single NUL in a text is acceptable. In compressed data one byte in ten is a control byte,
    # and compressed data is not UTF-8.
    limit = 0.1 if _is_utf8(sample) else 0.02
    return len(sample) - len(sample.translate(None, _CONTROLS)) > limit * len(sample)


def has_no_text(head: bytes) -> bool:
    """Return whether a file of an unknown format is not text: it has NUL bytes or is noise."""
    wide = any(head.startswith(mark) for mark, name in _MARKS if name != "utf-8")
    nul = b"\0" in head[:_LOOKED_AT] and not wide and _unmarked_utf16(head) is None
    return nul or is_binary(head)


def decode(raw: bytes) -> str | None:
    """Return the characters of ``raw`` without its byte order mark, or None if it is binary.

    Bytes that are invalid in the detected encoding become U+FFFD.
    """
    if mark := _marked(raw):
        return None if is_binary(raw) else raw[len(mark[0]) :].decode(mark[1], "replace")
    if encoding := _unmarked_utf16(raw):
        return raw.decode(encoding, "replace")
    if is_binary(raw):
        return None
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        _log.debug("not UTF-8 at byte %d: read as damaged UTF-8 or an older encoding", error.start)
        return _damaged_utf8(raw) or _one_byte(raw)


def _marked(raw: bytes) -> tuple[bytes, str] | None:
    """Return the byte order mark at the start of ``raw`` and its encoding."""
    return next((mark for mark in _MARKS if raw.startswith(mark[0])), None)


def _is_noise(text: str) -> bool:
    """Return whether decoded text is compressed data that only begins like a byte order mark.

    In such data one character in seven is one that text never contains.
    """
    bad = sum(c == "\ufffd" or unicodedata.category(c) in _NO_TEXT for c in text)
    return bad > 2 and bad > 0.05 * len(text)


def _unmarked_utf16(raw: bytes) -> str | None:
    """Return the byte order of Western UTF-16 without a mark: every second byte is NUL."""
    sample = raw[:_SAMPLE]
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if len(sample) < 4 or max(even, odd) * 2 < 0.7 * len(sample):
        return None
    if min(even, odd) * 2 > 0.05 * len(sample):
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def _is_utf8(sample: bytes) -> bool:
    """Return whether ``sample`` is UTF-8; the last character may be cut off."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        return False
    return True


def _damaged_utf8(raw: bytes) -> str | None:
    """Decode UTF-8 with invalid bytes; None if they outnumber the valid characters."""
    text = raw.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    return text if bad < len(_HIGH.findall(text)) else None


def _one_byte(raw: bytes) -> str:
    """Decode text in an older encoding: cp1252 unless the language suggests another."""
    from charset_normalizer import from_bytes  # takes 30 ms to import and is rarely needed

    sample = raw[:_SAMPLE]
    enough = len(sample.translate(None, _ASCII)) >= _FEWEST
    best = from_bytes(sample).best() if enough else None
    if best is not None and not _WESTERN.fullmatch(best.language):
        return raw.decode(best.encoding, "replace")
    try:
        return raw.decode("cp1252")
    except UnicodeDecodeError:
        return raw.decode("latin-1")
