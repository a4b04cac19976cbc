"""Reads PDF: the text of the pages, with a form feed before each page except the first.

The text of other documents contains no form feeds (``normalise``), so they mark the pages.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import groupby, islice
from typing import Any

from ragcli.corpus.normalised_text import PAGE
from ragcli.corpus.read.decode import EMPTY, bytes_of
from ragcli.corpus.read.ocr import Ocr, page_picture, unread
from ragcli.corpus.read.pdf_layout import Line
from ragcli.corpus.read.pdf_rows import TableRows
from ragcli.corpus.read.pdf_tables import tables
from ragcli.corpus.read.scanned_pages import ScannedPages
from ragcli.errors import ReadError
from ragcli.text.words import counted, one_line
from ragcli.types import ParsedDocument, Skipped, Source

_FONT_NAME = 200  # bytes of a font's name that are looked at
_MOST_PICTURES = 20  # on a page with text


def read(source: Source, ocr: Ocr | None = None) -> Iterator[ParsedDocument | Skipped | Source]:
    """Yield the document of a file, and a ``Skipped`` that lists its scanned pages, if any.

    ``ocr`` reads pages that hold only pictures; if it reads pictures inside documents, those of
    other pages follow as files. Raises ReadError if the file is damaged or needs a password.
    """
    raw = bytes_of(source)
    if not raw:
        yield Skipped(source.id, EMPTY)
        return
    pages, given, inside = _pages(source, raw, ocr)
    made = pages.document(source.id, raw)
    if not made.text:
        why = pages.problem or unread("scans") if pages.scans else "nor pictures"
        yield Skipped(source.id, f"no text in its {counted(len(pages.found), 'page')}, {why}")
    else:
        yield replace(made, title=_title(given, made.headings, made.text))
        if pages.scans:
            pages_of = f"page{'s' * (len(pages.scans) > 1)} {numbers(pages.scans)}"
            reason = f"no text on {pages_of}: only pictures, {pages.problem or unread('scans')}"
            yield Skipped(f"{source.id}:{pages.scans[0]}", reason)
    for name, content in inside:
        yield Source(f"{source.id}#{name}", name, len(content), source.mtime_ns, content)


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


def _pages(
    source: Source, raw: bytes, ocr: Ocr | None
) -> tuple[ScannedPages, str, list[tuple[str, bytes]]]:
    """Return what is on every page, the title that the file gives, and the pictures, as PNG, that
    are to be read on pages with text."""
    import pypdfium2  # takes 0.1 s, and most folders contain no PDF

    pages, rows = ScannedPages(), TableRows()
    inside: list[tuple[str, bytes]] = []
    try:
        with closing(pypdfium2.PdfDocument(raw)) as document:
            for number in range(1, len(document) + 1):
                with closing(document[number - 1]) as page:
                    pages.found.append(_lines(page, number, rows))
                    if any(line.text.strip() for line in pages.found[-1]):
                        inside += _inside(page, number, ocr)
                    elif _has_picture(page):
                        pages.look(number, ocr, partial(page_picture, page))
            return pages, document.get_metadata_value("Title"), inside
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise ReadError(f"{source.id} needs a password") from error
        reason = str(error).replace("Failed to load document (PDFium: ", "").rstrip(".)")
        raise ReadError(f"{source.id} is damaged or not a PDF: {reason}") from error


def _inside(page: Any, number: int, ocr: Ocr | None) -> Iterator[tuple[str, bytes]]:
    """Yield the pictures of a page with text, as (name, PNG), if they are to be read."""
    import pypdfium2.raw as pdfium

    if ocr is None or not ocr.inside:
        return
    page.set_rotation(0)  # the places of pictures are those without it
    box = page.get_cropbox()
    pictures = page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE])
    for n, picture in enumerate(islice(pictures, _MOST_PICTURES), start=1):
        left, bottom, right, top = picture.get_bounds()
        around = (left - box[0], bottom - box[1], box[2] - right, box[3] - top)
        if min(right, box[2]) - max(left, box[0]) >= 1 <= min(top, box[3]) - max(bottom, box[1]):
            shown = page_picture(page, ocr, crop=tuple(max(side, 0) for side in around))
            yield f"page-{number}-picture-{n}.png", shown.png()


def _lines(page: Any, number: int, rows: TableRows) -> list[Line]:
    """Return the lines of a page in the order in which the file draws them.

    The rows of a ruled table replace the lines in it.
    """
    import pypdfium2.raw as pdfium

    found: list[Line] = []
    with closing(page.get_textpage()) as text:
        ruled = tables(page, text)
        inserted: set[int] = set()
        at = 0
        for line in text.get_text_range().split("\n"):
            indent = len(line) - len(line.lstrip())
            words = line.strip("\r\n ")
            if words:
                index = max(pdfium.FPDFText_GetCharIndexFromTextIndex(text, at + indent), 0)
                left, bottom, _, top = text.get_charbox(index, loose=True)
                made = Line(words, top - bottom, top, bottom, _is_bold(text, index))
                place = left + 1, (top + bottom) / 2
                inside = next((n for n, one in enumerate(ruled) if one.grid.holds(*place)), None)
                if inside is None:
                    found.append(made)
                elif inside not in inserted:
                    inserted.add(inside)
                    found += rows.lines(ruled[inside], made, number)
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
