"""The normalised text of a document: what every offset in the house counts in."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from ragcli.types import ParsedDocument

# Stands before each page but the first in the text of a document that has pages, in no other.
PAGE = "\f"

_PAGE = re.compile(PAGE)
_NEWLINE = re.compile(r"\n")
_CONTROLS = dict.fromkeys((*range(32), 127), " ") | {9: "\t", 10: "\n"}


def normalise(text: str) -> tuple[str, tuple[int, ...]]:
    r"""Return the normalised text, and the offset in it at which each line of ``text`` begins.

    Line ends become "\n" and nothing else does, so that line breaks in the text and in the file
    are the same ones; the text is composed (Unicode NFC); control characters but the tab become
    spaces; a byte order mark at the start is gone.

    >>> normalise("a\r\nb\fc\rd")
    ('a\nb c\nd', (0, 2, 6))
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    # Nothing composes with a newline, so lines can be counted after composing.
    text = unicodedata.normalize("NFC", text)
    starts = (0, *(match.end() for match in _NEWLINE.finditer(text)))
    return text.translate(_CONTROLS), starts


def page_breaks(document: ParsedDocument) -> list[int]:
    """Return the offsets of the marks before all pages but the first; none without pages."""
    return [match.start() for match in _PAGE.finditer(document.text)]


def page_of(breaks: Sequence[int], offset: int) -> int | None:
    """Return the 1-based page on which ``offset`` lies; None in a document without pages.

    ``breaks`` as of ``page_breaks``, once for all pages that are asked for: looking for them in
    50 MB of text for each of its chunks took a minute.
    """
    return 1 + bisect_left(breaks, offset) if breaks else None


def line_of(document: ParsedDocument, offset: int) -> int:
    """Return the 1-based line of the original file on which ``offset`` lies."""
    return document.first_line + max(bisect_right(document.line_starts, offset) - 1, 0)
