"""Normalises the text of a document. All offsets in ragcli refer to the normalised text."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from ragcli.types import ParsedDocument

# Marks the start of each page except the first. It occurs only in documents with pages.
PAGE = "\f"

_PAGE = re.compile(PAGE)
_NEWLINE = re.compile(r"\n")
_CONTROLS = dict.fromkeys((*range(32), 127), " ") | {9: "\t", 10: "\n"}


def normalise(text: str) -> tuple[str, tuple[int, ...]]:
    r"""Return the normalised text, and the offset in it at which each line of ``text`` begins.

    Line ends, and nothing else, become "\n", so the lines of the text are the lines of the file.
    The text is composed (Unicode NFC). Control characters other than the tab become spaces. A byte
    order mark at the start is removed.

    >>> normalise("a\r\nb\fc\rd")
    ('a\nb c\nd', (0, 2, 6))
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    # No character composes with a newline, so lines can be counted after composing.
    text = unicodedata.normalize("NFC", text)
    starts = (0, *(match.end() for match in _NEWLINE.finditer(text)))
    return text.translate(_CONTROLS), starts


def page_breaks(document: ParsedDocument) -> list[int]:
    """Return the offsets of the page marks: one before each page except the first."""
    return [match.start() for match in _PAGE.finditer(document.text)]


def page_of(breaks: Sequence[int], offset: int) -> int | None:
    """Return the 1-based page that contains ``offset``; None in a document without pages.

    ``breaks`` is the result of ``page_breaks``. Compute it once per document: searching 50 MB of
    text again for each chunk took a minute.
    """
    return 1 + bisect_left(breaks, offset) if breaks else None


def line_of(document: ParsedDocument, offset: int) -> int:
    """Return the 1-based line of the original file that contains ``offset``."""
    return document.first_line + max(bisect_right(document.line_starts, offset) - 1, 0)
