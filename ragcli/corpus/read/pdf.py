"""Reads PDF: the text of the pages, with a form feed before each page except the first.

The text of other documents contains no form feeds (``normalise``), so they mark the pages.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import groupby
from typing import Any

from ragcli.corpus.normalised_text import PAGE
from ragcli.corpus.read.decode import EMPTY, bytes_of
from ragcli.corpus.read.pdf_layout import Line, lay_out
from ragcli.errors import ReadError
from ragcli.text.words import one_line
from ragcli.types import ParsedDocument, Skipped, Source

_FONT_NAME = 200  # bytes of a font's name that are looked at


def read(source: Source) -> Iterator[ParsedDocument | Skipped]:
    """Yield the document of a file, and a ``Skipped`` that lists its scanned pages, if any.

    Raises ReadError if the file is damaged or needs a password.
    """
    raw = bytes_of(source)
    if not raw:
        yield Skipped(source.id, EMPTY)
        return
    pages, scans, given = _pages(source, raw)
    laid = lay_out(pages)
    text = laid.text
    if not text.strip(f" \n\t{PAGE}"):
        yield Skipped(source.id, f"no text in its {len(pages)} pages; it may be a scan")
        return
    starts = (0, *(at + 1 for at, c in enumerate(text) if c == "\n"))
    sha256 = hashlib.sha256(raw).hexdigest()
    title = _title(given, laid.headings, text)
    yield ParsedDocument(source.id, sha256, title, text, starts, headings=laid.headings)
    if scans:
        pages_of = f"page{'s' * (len(scans) > 1)} {numbers(scans)}"
        reason = f"no text on {pages_of}: only pictures, which may be scans"
        yield Skipped(f"{source.id}:{scans[0]}", reason)


def numbers(pages: Sequence[int]) -> str:
    """Return ascending page numbers with runs joined.

    >>> numbers([1, 2, 3, 7, 9, 10])
    '1-3, 7, 9-10'
    """
    runs = []
    for _, run in groupby(enumerate(pages), lambda item: item[1] - item[0]):
        found = [page for _, page in run]
        runs.append(str(found[0]) if len(found) == 1 else f"{found[0]}-{found[-1]}")
    return ", ".join(runs)


def _pages(source: Source, raw: bytes) -> tuple[list[list[Line]], list[int], str]:
    """Return the lines of every page, the pages that hold only pictures, the title given."""
    import pypdfium2  # takes 0.1 s, and most folders contain no PDF

    try:
        with closing(pypdfium2.PdfDocument(raw)) as document:
            pages: list[list[Line]] = []
            scans: list[int] = []
            for number in range(len(document)):
                with closing(document[number]) as page:
                    pages.append(_lines(page))
                    if not any(line.text.strip() for line in pages[-1]) and _has_picture(page):
                        scans.append(number + 1)
            return pages, scans, document.get_metadata_value("Title")
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise ReadError(f"{source.id} needs a password") from error
        reason = str(error).replace("Failed to load document (PDFium: ", "").rstrip(".)")
        raise ReadError(f"{source.id} is damaged or not a PDF: {reason}") from error


def _lines(page: Any) -> list[Line]:
    """Return the lines of a page in the order in which the file draws them."""
    import pypdfium2.raw as pdfium

    found: list[Line] = []
    with closing(page.get_textpage()) as text:
        at = 0
        for line in text.get_text_range().split("\n"):
            indent = len(line) - len(line.lstrip())
            words = line.strip("\r\n ")
            if words:
                index = pdfium.FPDFText_GetCharIndexFromTextIndex(text, at + indent)
                _, bottom, _, top = text.get_charbox(max(index, 0), loose=True)
                found.append(Line(words, top - bottom, top, bottom, _is_bold(text, index)))
            at += len(line) + 1
    return found


def _is_bold(text: Any, index: int) -> bool:
    import pypdfium2.raw as pdfium

    name = ctypes.create_string_buffer(_FONT_NAME)
    pdfium.FPDFText_GetFontInfo(text, index, name, _FONT_NAME, None)
    return b"bold" in name.value.lower() or pdfium.FPDFText_GetFontWeight(text, index) >= 600


def _has_picture(page: Any) -> bool:
    import pypdfium2.raw as pdfium

    return any(True for _ in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE]))


def _title(given: str, headings: Sequence[tuple[int, int, str]], text: str) -> str:
    """Return the title in the metadata if the first page contains it, or else its main heading.

    Titles in metadata are often leftovers of another document.
    """
    first, _, _ = text.partition(PAGE)
    title = one_line(given)
    if title and title.casefold() in one_line(first).casefold():
        return title
    return next((name for at, level, name in headings if level == 1 and at < len(first)), "")
