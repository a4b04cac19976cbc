"""Pages of which some are pictures: what was read on them, and which of them nothing could read."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from ragcli.corpus.normalised_text import PAGE
from ragcli.corpus.read.ocr import UNREAD, GreyPicture, Ocr, OcrError
from ragcli.corpus.read.pdf_layout import Line, lay_out
from ragcli.types import ParsedDocument

_SIZE = 12.0
"""Points of a line where all pages are pictures."""


@dataclass(slots=True)
class ScannedPages:
    """What is on the pages: the lines ``found`` in the file, those ``seen`` in pictures, by page;
    the ``scans`` without any, and the ``problem`` with them."""

    found: list[list[Line]] = field(default_factory=list)
    seen: dict[int, list[Line]] = field(default_factory=dict)
    scans: list[int] = field(default_factory=list)
    problem: str = ""
    _hopeless: bool = False

    def look(self, number: int, ocr: Ocr | None, picture: Callable[[Ocr], GreyPicture]) -> None:
        """Read a page that is only a picture. ``number`` counts from 1."""
        lines: list[Line] = []
        if ocr is not None and not self._hopeless:
            try:
                lines = ocr.lines(picture(ocr))
                self.problem = self.problem or ("" if lines else "in which OCR finds no text")
            except OcrError as error:
                self._hopeless = not error.started
                again = f", {UNREAD} scans" if self._hopeless else ""
                self.problem = f"OCR: {error}{again}"
        if lines:
            self.seen[number] = lines
        else:
            self.scans.append(number)

    def document(self, id_: str, raw: bytes) -> ParsedDocument:
        """The text of all pages with its headings, tables and lines from pictures; no title."""
        laid, scanned = lay_out(self._lines())
        if not laid.text.strip(f" \n\t{PAGE}"):
            laid = replace(laid, text="")
        # What is read on a page may change while the file does not.
        seen = "\n".join(line.text for lines in self.seen.values() for line in lines)
        made = laid.document(id_, hashlib.sha256(raw + seen.encode()).hexdigest())
        return replace(made, scanned=scanned)

    def _lines(self) -> list[list[Line]]:
        """The lines of all pages; most of those from pictures look like most of the text."""
        looks = Counter(line.size for lines in self.found for line in lines)
        size = looks.most_common(1)[0][0] if looks else _SIZE
        pages = list(self.found)
        for number, lines in self.seen.items():
            pages[number - 1] = [
                replace(line, size=size * line.size, top=size * line.top, bottom=size * line.bottom)
                for line in lines
            ]
        return pages
