"""Reads files with suffixes of old office programs by what they are.

Many programs write RTF or HTML into files called ``.doc``, and tables of HTML or text into files
called ``.xls``, because office programs open them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragcli.corpus.read import csv_table, docx, html, sheets, text
from ragcli.corpus.read.decode import has_no_text, head_of
from ragcli.corpus.read.file_text import FileText, FormatReader, NoReader, documents_of
from ragcli.corpus.read.rare import rtf
from ragcli.types import ParsedDocument, Skipped, Source

_PAGE = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html|head|meta|style|table)\b", re.I)
_ZIPPED = b"PK\x03\x04"


def read_doc(content: bytes, path: str) -> FileText:
    """The text of a ``.doc`` file, unless it is in the format of old Word programs."""
    reader = docx.read if content.startswith(_ZIPPED) else _of_text(content, text.read)
    if reader is None:
        raise NoReader(".doc")
    return reader(content, path)


def read_xls(source: Source) -> Iterator[ParsedDocument | Skipped]:
    """Yield the sheets of an ``.xls`` file, or the table that it holds as text or HTML."""
    head = head_of(source)
    reader = None if head.startswith(_ZIPPED) else _of_text(head, csv_table.read)
    yield from documents_of(reader, source) if reader else sheets.read(source)


def _of_text(head: bytes, plain: FormatReader) -> FormatReader | None:
    """Return the reader for a file that begins with text; ``plain`` if it is no markup."""
    if head.startswith(b"{\\rtf"):
        return rtf.read
    if _PAGE.match(head):
        return html.read
    return None if not head or has_no_text(head) else plain
