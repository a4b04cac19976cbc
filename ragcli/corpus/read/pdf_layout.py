"""Puts the lines of PDF pages together: paragraphs, headings, words cut at a line's end.

A PDF has no paragraphs and no headings, only letters at places. Gaps between lines separate
paragraphs. A short line that is larger or bolder than the rest is a heading.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ragcli.corpus.normalised_text import PAGE, normalise
from ragcli.text.words import one_line

# "exam-\nple" is a word divided at the end of a line; "Anglo-\nSaxon" keeps its hyphen.
_CUT = re.compile(r"(?<=[a-zà-ÿ])-[ \t]*\n[ \t]*(?=[a-zà-ÿ])")
# PDFium joins a divided word itself and leaves this character in place of the hyphen.
_JOINED = re.compile(r"[\ufffe\x02]\n?(?P<lower>(?=[a-zà-ÿ]))?")
_DIGITS = re.compile(r"\d+")
_TRAILING = re.compile(r"[ \t]+$", re.MULTILINE)

# A first or last line that occurs on this share of the pages, numbers ignored, is page furniture.
_RUNNING = 0.5
_FEWEST_PAGES = 4
# A gap of this many usual distances between two lines ends a paragraph.
_GAP = 1.3
_LARGER = 1.12
_LONGEST_HEADING = 120
_MOST_LEVELS = 4
_LETTER = re.compile(r"[^\W\d_]")
_NO_HEADING_END = tuple(".,;:-")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a page; ``size`` in points, ``top`` and ``bottom`` from the page's lower edge.

    ``table`` numbers the ruled tables of a document: the line is a row of one. 0: it is text.
    """

    text: str
    size: float
    top: float
    bottom: float
    bold: bool
    table: int = 0


@dataclass(frozen=True, slots=True)
class Laid:
    """The text of all pages, a form feed before each but the first, its headings and tables."""

    text: str
    headings: tuple[tuple[int, int, str], ...]
    tables: tuple[tuple[int, int], ...] = ()


def lay_out(pages: Sequence[Sequence[Line]]) -> Laid:
    """Return the text of the pages, without running heads, feet and page numbers."""
    kept = _without_running_lines(pages)
    levels = _levels(kept)
    text = ""
    parts: list[str] = []
    length = 0
    headings: list[tuple[int, int, str]] = []
    tables: list[tuple[int, int]] = []
    for number, lines in enumerate(kept):
        parts.append(text := f"\n{PAGE}" if number else "")
        length += len(text)
        for paragraph in _paragraphs(lines, levels):
            text = _tidy("\n".join(line.text for line in paragraph))
            if not text:
                continue
            if length and not parts[-1].endswith(PAGE):
                parts.append("\n\n")
                length += 2
            if paragraph[0].table:
                tables.append((length, length + len(text)))
            elif (level := levels.get(_look(paragraph[0]))) and _may_head(paragraph):
                headings.append((length, level, one_line(text)))
            parts.append(text)
            length += len(text)
    return Laid("".join(parts).rstrip(f"\n{PAGE}"), tuple(headings), tuple(tables))


def _tidy(text: str) -> str:
    text = _JOINED.sub(lambda cut: "" if cut["lower"] is not None else "-", text)
    text = _CUT.sub("", normalise(text)[0])
    return _TRAILING.sub("", text).strip("\n")


def _without_running_lines(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Return the pages without page numbers and running heads, which would interrupt sentences.

    Left and right pages may have different ones.
    """
    split = [list(lines) for lines in pages]
    if len(pages) < _FEWEST_PAGES:
        return split
    for at in (0, -1):
        for _ in range(2):  # there may be both a running head and a page number
            for every in (split, split[::2], split[1::2]):
                _drop_common(every, at)
    return split


def _drop_common(pages: Sequence[list[Line]], at: int) -> None:
    """Delete the first or last lines that more than half of the pages share."""
    if len(pages) < _FEWEST_PAGES - 1:
        return
    common = Counter(_furniture(lines[at]) for lines in pages if lines)
    running = {line for line, n in common.items() if n > _RUNNING * len(pages)}
    for lines in pages:
        if lines and _furniture(lines[at]) in running:
            del lines[at]


def _furniture(line: Line) -> str:
    return _DIGITS.sub("#", line.text).strip()


def _look(line: Line) -> tuple[float, bool]:
    """Return the size, to half a point, and whether the line is bold."""
    return round(line.size * 2) / 2, line.bold


def _levels(pages: Sequence[Sequence[Line]]) -> dict[tuple[float, bool], int]:
    """Return the heading level of each look that is larger or bolder than most of the text."""
    letters: Counter[tuple[float, bool]] = Counter()
    for lines in pages:
        for line in lines:
            letters[_look(line)] += 0 if line.table else len(line.text)
    if not letters.total():
        return {}
    body, bold = letters.most_common(1)[0][0]
    # What fills a tenth of the document is text, whatever it looks like.
    most = letters.total() / 10 if len(letters) > 1 and letters.total() > 3000 else letters.total()
    above = [
        (size, heavy)
        for (size, heavy), count in letters.items()
        if count <= most and (size >= _LARGER * body or (size >= body and heavy and not bold))
    ]
    ranked = sorted(above, reverse=True)
    return {look: min(level, _MOST_LEVELS) for level, look in enumerate(ranked, start=1)}


def _may_head(paragraph: Sequence[Line]) -> bool:
    text = " ".join(line.text for line in paragraph).strip()
    return (
        len(paragraph) <= 3
        and len(text) <= _LONGEST_HEADING
        and not text.endswith(_NO_HEADING_END)
        and _LETTER.search(text) is not None
    )


def _paragraphs(lines: Sequence[Line], levels: dict[tuple[float, bool], int]) -> list[list[Line]]:
    """Group the lines of a page; a change between heading and text ends a group, too."""
    steps = sorted(
        above.top - below.top
        for above, below in pairwise(lines)
        if 0 < above.top - below.top < 4 * above.size
    )
    usual = steps[len(steps) // 4] if steps else 0.0
    groups: list[list[Line]] = []
    for line in lines:
        if not line.text.strip():
            continue
        last = groups[-1][-1] if groups else None
        if last is None or _is_apart(last, line, usual, levels):
            groups.append([line])
        else:
            groups[-1].append(line)
    return groups


def _is_apart(last: Line, line: Line, usual: float, levels: dict[tuple[float, bool], int]) -> bool:
    if last.table or line.table:
        return last.table != line.table
    step = last.top - line.top
    if levels.get(_look(last)) != levels.get(_look(line)):
        return True
    # A step upwards leads to the next column, where a sentence may go on.
    return usual > 0 and step > _GAP * max(usual, min(last.size, line.size))
