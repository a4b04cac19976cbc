"""Reads files with suffixes of old office programs by what they are.

Many programs write RTF or HTML into files called ``.doc``, and tables of HTML or text into files
called ``.xls``, because office programs open them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ragcli.corpus.read import csv_table, docx, html, rtf, sheets, text
from ragcli.corpus.read.decode import EMPTY, has_no_text, head_of
from ragcli.errors import ReadError
from ragcli.types import ParsedDocument, Skipped, Source

Reader = Callable[[Source], Iterator[ParsedDocument | Skipped]]

_PAGE = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html|head|meta|style|table)\b", re.I)
_ZIPPED = b"PK\x03\x04"


def read_doc(source: Source) -> Iterator[ParsedDocument | Skipped]:
    """Yield the document of a ``.doc`` file, unless it is in the format of old Word programs."""
    head = head_of(source)
    if not head:
        yield Skipped(source.id, EMPTY)
    elif head.startswith(_ZIPPED):
        yield from docx.read(source)
    elif (reader := _of_text(head, text.read)) is not None:
        yield from reader(source)
    elif source.named:
        raise ReadError(f"cannot read {source.id}: no reader for .doc files yet")
    else:
        yield Skipped(source.id, "no reader for .doc files yet")


def read_xls(source: Source) -> Iterator[ParsedDocument | Skipped]:
    """Yield the sheets of an ``.xls`` file, or the table that it holds as text or HTML."""
    head = head_of(source)
    reader = None if head.startswith(_ZIPPED) else _of_text(head, csv_table.read)
    yield from (reader or sheets.read)(source)


def _of_text(head: bytes, plain: Reader) -> Reader | None:
    """Return the reader for a file that begins with text; ``plain`` if it is no markup."""
    if head.startswith(b"{\\rtf"):
        return rtf.read
    if _PAGE.match(head):
        return html.read
    return None if not head or has_no_text(head) else plain
