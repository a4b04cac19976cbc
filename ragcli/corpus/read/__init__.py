"""Reads the documents of a file.

In: a ``Source``, a file on disk. Out: its documents, and a ``Skipped`` for each part that is none.
The suffix selects the reader (``registry``); a file with an unknown suffix is read by its content.
Whatever a reader raises becomes a ``ReadError``. A reader may open no file but its own.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ragcli.corpus.encoded import blanked
from ragcli.corpus.normalised_text import without_surrogates
from ragcli.corpus.read import decode, mail, pictures, text
from ragcli.corpus.read.file_text import NO_READER, NoReader, Unreadable, documents_of
from ragcli.corpus.read.ocr import NO_TIME, Ocr
from ragcli.corpus.read.package import pictures_of
from ragcli.corpus.read.registry import Found, Registered, reader_of
from ragcli.errors import ReadError
from ragcli.text.terminal import harmless_line
from ragcli.types import ParsedDocument, Skipped, Source

_log = logging.getLogger(__name__)

# Files with these suffixes are reported as a format without a reader: PostScript is text, but a
# program that draws. All other files without a reader are read as text if they are text.
_DOCUMENT = re.compile(r"\.(?:ppt|pps|e?ps)")

MOST_UNKNOWN = 16 << 20
"""The largest file of an unknown format that is read as text: more is data for a program."""

_LONGEST_REASON = 300

_PICTURES, _PACKED = "pictures:read", "packed:read"
_SEES = frozenset(("pdf:read", _PICTURES))
"""Readers that take what reads pictures, too."""

_OFFICE = frozenset(("docx:read", "pptx:read", "opendocument:read", "epub:read"))
_ILLUSTRATED = frozenset(("pdf:read", "mail:read_eml", "mail:read_mbox", "outlook:read"))
"""Readers of documents that may have pictures in them."""

_DEEPEST = 3
"""Files inside files inside files; what is nested deeper is not read."""


def read(source: Source, ocr: Ocr | None = None) -> Iterator[ParsedDocument | Skipped]:
    """Yield the documents in ``source``, and a ``Skipped`` for each part that is not a document.

    ``ocr`` reads scanned pages and pictures; those inside documents only if it is to.

    Parts of a file that are files themselves (attachments, members of an archive) are read as
    files; those that are no documents are left out without a word if others are documents.

    Raises ReadError when the file cannot be opened or read, whatever its reader raises, and
    MemoryError.
    """
    found_any = False
    others: list[Skipped] = []
    ids: set[str] = set()
    for found in _read(source, 0, ocr):
        if isinstance(found, ParsedDocument):
            found = _checked(without_surrogates(found), ids)
        if isinstance(found, Skipped) and found.id != source.id and _is_no_document(found):
            others.append(found)
        else:
            found_any = True
            yield found
    if others and not found_any:
        reason = f"no documents in it; {others[0].id}: {others[0].reason}"
        yield Skipped(source.id, reason)


def _checked(found: ParsedDocument, ids: set[str]) -> ParsedDocument | Skipped:
    """Return a document, or why it cannot be one beside those whose ``ids`` are taken."""
    if found.id in ids:
        return Skipped(found.id, "another document of this file has the same id")
    if not found.text.strip():
        return Skipped(found.id, decode.EMPTY)
    text = blanked(found.text)
    if not text.strip():
        return Skipped(found.id, decode.BINARY)
    ids.add(found.id)
    return found if text == found.text else replace(found, text=text)


def _is_no_document(found: Skipped) -> bool:
    is_picture = found.reason.startswith(pictures.NO_TEXT) and NO_TIME not in found.reason
    is_other = found.reason.startswith(NO_READER)
    return found.reason in (decode.BINARY, decode.EMPTY) or is_picture or is_other


def _read(source: Source, depth: int, ocr: Ocr | None) -> Iterator[ParsedDocument | Skipped]:
    reader = reader_of(source.path)
    for found in _guarded(source, _found(source, reader, ocr)):
        if not isinstance(found, Source):
            yield found
        elif _is_left_out(found, reader, ocr):
            continue
        elif depth == _DEEPEST:
            yield Skipped(found.id, f"nested in more than {_DEEPEST} files")
        elif found.id == source.id:
            yield from _read(found, depth + 1, ocr)
        else:
            try:
                yield from _read(found, depth + 1, ocr)
            except ReadError as error:
                yield Skipped(found.id, error.message)


def _is_left_out(part: Source, reader: Registered | None, ocr: Ocr | None) -> bool:
    """Whether a part is a picture in a document, which is not to be read; archives hold files."""
    inside = ocr is not None and ocr.inside
    packed = reader is not None and reader.name == _PACKED
    return pictures.is_picture(part.path) and not packed and not inside


def _found(source: Source, reader: Registered | None, ocr: Ocr | None) -> Iterator[Found]:
    """Yield what a reader yields, and the pictures of an office document that are to be read."""
    if reader is None:
        yield from _by_content(source)
    elif reader.name in _SEES:
        yield from reader.read(source, ocr)
    else:
        yield from reader.read(source)
        if ocr is not None and ocr.inside and reader.name in _OFFICE:
            yield from pictures_of(source)


def _guarded(source: Source, documents: Iterator[Found]) -> Iterator[Found]:
    """Yield what a reader yields. A hostile file can raise any error in it: that is a ReadError."""
    try:
        yield from documents
    except (ReadError, MemoryError):
        raise
    except Unreadable as error:
        raise ReadError(f"{source.id} {error}") from error
    except Exception as error:
        _log.debug("the reader of %s failed", source.id, exc_info=True)
        reason = " ".join(str(error).split())[:_LONGEST_REASON]
        message = f"cannot read {source.id}: {type(error).__name__}: {reason}"
        raise ReadError(harmless_line(message)) from error


def _by_content(source: Source) -> Iterator[Found]:
    """Read a file of an unknown format as mail if it begins so, else as text if it is text."""
    suffix = Path(source.path).suffix.lower()
    head = decode.head_of(source)
    if _DOCUMENT.fullmatch(suffix):
        reason = str(NoReader(suffix))
    elif decode.has_no_text(head):
        reason = decode.BINARY
    elif mail_reader := mail.reader_of(head):
        yield from mail_reader(source)
        return
    elif source.size > MOST_UNKNOWN and not source.named:
        reason = f"more than {MOST_UNKNOWN >> 20} MB in an unknown format; name it to read it"
    else:
        yield from documents_of(text.read, source)
        return
    if source.named:
        raise ReadError(f"cannot read {source.id}: {reason}")
    yield Skipped(source.id, reason)


def is_plain(source: Source) -> bool:
    """Return whether a file is read without a parser: in linear time and limited memory."""
    reader = reader_of(source.path)
    if reader is not None:
        return reader.is_plain
    try:
        return mail.reader_of(decode.head_of(source)) is None
    except ReadError:
        return True  # its reader says why


def may_hold_pictures(path: str, inside: bool) -> bool:
    """Whether a file is a picture or may have some in it; ``inside``: also if it is a document.

    A PDF file reports its scanned pages, so it counts only with ``inside``.
    """
    reader = reader_of(path)
    names = {_PICTURES, _PACKED} | (_OFFICE | _ILLUSTRATED if inside else set())
    return reader is not None and reader.name in names
