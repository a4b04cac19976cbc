"""Normalises the text of a document. All offsets in ragcli refer to the normalised text."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import accumulate

from ragcli.types import ParsedDocument

# Marks the start of each page except the first. It occurs only in documents with pages.
PAGE = "\f"

_CONTROLS = dict.fromkeys((*range(32), 127), " ") | {9: "\t", 10: "\n"}
_SURROGATE = re.compile("[\ud800-\udfff]")
_MOST_MARKS = 30
"""Combining marks that Unicode's stream-safe text format allows in a row (UAX #15)."""
# Twenty times as fast as the exact pattern, and true of no text in a Western script.
_MAYBE_LONG = re.compile(f"[^\0-\u02ff][^\0-\u02ff]{{{_MOST_MARKS}}}")
_LAST_MARK = 0x1E94A
"""The highest code point that combines; Unicode 17 has none beyond."""


def normalise(text: str) -> tuple[str, tuple[int, ...]]:
    r"""Return the normalised text, and the offset in it at which each line of ``text`` begins.

    Line ends, and nothing else, become "\n", so the lines of the text are the lines of the file.
    The text is composed (Unicode NFC), except where more than 30 combining marks follow each other:
    to order n of them takes n * n steps. Control characters other than the tab become spaces, and
    surrogates become U+FFFD. A byte order mark at the start is removed.

    >>> normalise("a\r\nb\fc\rd")
    ('a\nb c\nd', (0, 2, 6))
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    # No character composes with a newline, so lines can be counted after composing.
    text = _composed(text)
    return text.translate(_CONTROLS), line_starts(text)


def line_starts(text: str) -> tuple[int, ...]:
    """Return the offset at which each line of a text begins."""
    return (0, *_after_each("\n", text))


def _after_each(sign: str, text: str) -> Iterator[int]:
    """Yield the offset after each occurrence of a sign."""
    return accumulate(len(part) + 1 for part in text.split(sign)[:-1])


def _composed(text: str) -> str:
    if text.isascii():
        return text
    text = _replaced(text)
    if not _MAYBE_LONG.search(text) or not (long_runs := _long_runs()).search(text):
        return unicodedata.normalize("NFC", text)
    parts: list[str] = []
    end = 0
    for run in long_runs.finditer(text):
        parts += (unicodedata.normalize("NFC", text[end : run.start()]), run[0])
        end = run.end()
    return "".join((*parts, unicodedata.normalize("NFC", text[end:])))


@cache
def _long_runs() -> re.Pattern[str]:
    """A pattern for runs of more combining marks than any language writes."""
    marks = "".join(filter(unicodedata.combining, map(chr, range(0x300, _LAST_MARK + 1))))
    return re.compile(f"[{marks}]{{{_MOST_MARKS + 1},}}")


def without_surrogates(document: ParsedDocument) -> ParsedDocument:
    """Return a document in which U+FFFD stands for each surrogate: UTF-8 and SQL have none.

    Offsets stay.
    """
    texts = (document.id, document.title, document.text)
    headings, fields = document.headings, document.fields
    parts = (*texts, *(name for *_, name in headings), *(part for pair in fields for part in pair))
    if all(map(str.isascii, parts)) or not any(map(_SURROGATE.search, parts)):
        return document
    id_, title, text = map(_replaced, texts)
    return replace(
        document,
        id=id_,
        title=title,
        text=text,
        headings=tuple((at, level, _replaced(name)) for at, level, name in headings),
        fields=tuple((_replaced(name), _replaced(value)) for name, value in fields),
    )


def _replaced(text: str) -> str:
    return _SURROGATE.sub("\ufffd", text)


def page_breaks(document: ParsedDocument) -> list[int]:
    """Return the offsets of the page marks: one before each page except the first."""
    return [after - 1 for after in _after_each(PAGE, document.text)]


def page_of(breaks: Sequence[int], offset: int) -> int | None:
    """Return the 1-based page that contains ``offset``; None in a document without pages.

    ``breaks`` is the result of ``page_breaks``. Compute it once per document: searching 50 MB of
    text again for each chunk took a minute.
    """
    return 1 + bisect_left(breaks, offset) if breaks else None


def line_of(document: ParsedDocument, offset: int) -> int:
    """Return the 1-based line of the original file that contains ``offset``."""
    return document.first_line + max(bisect_right(document.line_starts, offset) - 1, 0)
