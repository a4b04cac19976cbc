"""Reads PDF: the text of the pages, with a form feed before each page except the first.

The text of other documents contains no form feeds (``normalise``), so they mark the pages.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from ragcli.corpus.normalised_text import PAGE
from ragcli.corpus.read.decode import EMPTY, bytes_of
from ragcli.corpus.read.ocr import UNREAD, Ocr, OcrError
from ragcli.corpus.read.pdf_layout import Line, lay_out
from ragcli.corpus.read.pdf_rows import TableRows
from ragcli.corpus.read.pdf_tables import RuledTable, tables
from ragcli.errors import ReadError
from ragcli.text.words import counted, one_line
from ragcli.types import ParsedDocument, Skipped, Source

_FONT_NAME = 200  # bytes of a font's name that are looked at
_LINE_STEP = 12.0
"""Points from line to line of a page that an OCR program has read."""


def read(source: Source, ocr: Ocr | None = None) -> Iterator[ParsedDocument | Skipped]:
    """Yield the document of a file, and a ``Skipped`` that lists its scanned pages, if any.

    ``ocr`` reads pages that hold only pictures. Raises ReadError if the file is damaged or needs a
    password.
    """
    raw = bytes_of(source)
    if not raw:
        yield Skipped(source.id, EMPTY)
        return
    pages = _pages(source, raw, ocr)
    laid = lay_out(pages.lines())
    text = laid.text
    if not text.strip(f" \n\t{PAGE}"):
        why = pages.problem or UNREAD if pages.scans else "nor pictures"
        yield Skipped(source.id, f"no text in its {counted(len(pages.found), 'page')}, {why}")
        return
    starts = (0, *(at + 1 for at, c in enumerate(text) if c == "\n"))
    # What a program reads on a page may change while the file does not.
    seen = "".join(pages.seen.values()).encode()
    sha256 = hashlib.sha256(raw + seen).hexdigest()
    title = _title(pages.title, laid.headings, text)
    yield ParsedDocument(
        source.id, sha256, title, text, starts, headings=laid.headings, protected=laid.tables
    )
    if pages.scans:
        pages_of = f"page{'s' * (len(pages.scans) > 1)} {numbers(pages.scans)}"
        reason = f"no text on {pages_of}: only pictures, {pages.problem or UNREAD}"
        yield Skipped(f"{source.id}:{pages.scans[0]}", reason)


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


@dataclass(slots=True)
class _Pages:
    """What is on the pages: their lines; the text that OCR has ``seen``, by page; the ``scans``
    without any, and the ``problem`` with them."""

    found: list[list[Line]] = field(default_factory=list)
    seen: dict[int, str] = field(default_factory=dict)
    scans: list[int] = field(default_factory=list)
    problem: str = ""
    title: str = ""

    def look_at(self, page: Any, number: int, ocr: Ocr | None) -> None:
        """Read a page without text, if it holds pictures. ``number`` counts from 1."""
        if not _has_picture(page):
            return
        said = ""
        if ocr is not None and not self.problem.startswith("OCR: the command"):
            try:
                said = ocr.text(page)
                self.problem = self.problem or (
                    "" if said else "in which the OCR command finds no text"
                )
            except OcrError as error:
                again = "" if error.started else f", {UNREAD}"
                self.problem = f"OCR: {error}{again}"
        if said:
            self.seen[number] = said
        else:
            self.scans.append(number)

    def lines(self) -> list[list[Line]]:
        """The lines of all pages; those that OCR gave look like most of the text."""
        looks = Counter(line.size for lines in self.found for line in lines)
        size = looks.most_common(1)[0][0] if looks else _LINE_STEP
        pages = list(self.found)
        for number, said in self.seen.items():
            pages[number - 1] = [
                Line(text.strip(), size, -_LINE_STEP * n, -_LINE_STEP * n - size, False)
                for n, text in enumerate(said.split("\n"))
                if text.strip()
            ]
        return pages


def _pages(source: Source, raw: bytes, ocr: Ocr | None) -> _Pages:
    """Return what is on every page."""
    import pypdfium2  # takes 0.1 s, and most folders contain no PDF

    pages, rows = _Pages(), TableRows()
    try:
        with closing(pypdfium2.PdfDocument(raw)) as document:
            for number in range(1, len(document) + 1):
                with closing(document[number - 1]) as page:
                    pages.found.append(_lines(page, number, rows))
                    if not any(line.text.strip() for line in pages.found[-1]):
                        pages.look_at(page, number, ocr)
            pages.title = document.get_metadata_value("Title")
            return pages
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise ReadError(f"{source.id} needs a password") from error
        reason = str(error).replace("Failed to load document (PDFium: ", "").rstrip(".)")
        raise ReadError(f"{source.id} is damaged or not a PDF: {reason}") from error


def _lines(page: Any, number: int, rows: TableRows) -> list[Line]:
    """Return the lines of a page in the order in which the file draws them.

    The rows of a ruled table stand in place of the lines in it.
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
                inside = _around(ruled, left + 1, (top + bottom) / 2)
                if inside is None:
                    found.append(made)
                elif inside not in inserted:
                    inserted.add(inside)
                    found += rows.lines(ruled[inside], made, number)
            at += len(line) + 1
    return found


def _around(ruled: Sequence[RuledTable], x: float, y: float) -> int | None:
    """Return the number of the table around a point."""
    return next((n for n, table in enumerate(ruled) if table.grid.holds(x, y)), None)


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
