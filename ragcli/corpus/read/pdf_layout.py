"""Puts the lines of PDF pages together: paragraphs, headings, words cut at a line's end.

A PDF has no paragraphs and no headings, only letters at places. Gaps between lines separate
paragraphs. A short line that is larger or bolder than the rest is a heading.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ragcli.corpus.normalised_text import PAGE, normalise
from ragcli.corpus.read.file_text import FileText, GrowingText, Heading
from ragcli.text.words import one_line
from ragcli.types import ScannedLine

# "exam-\nple" is a word divided at the end of a line; "Anglo-\nSaxon" keeps its hyphen. PDFium
# joins some divided words itself and leaves a character in place of the hyphen.
_MARK = r"[\ufffe\x02]"
_CUT = re.compile(rf"(?<=[a-zà-ÿ])(?:{_MARK}\n?|-[ \t]*\n[ \t]*)(?P<right>[a-zà-ÿ][^\W\d_]*)")
_LEFT = re.compile(r"(?<![^\W\d_])[^\W\d_]+\Z")
_LONGEST_PART = 40
_JOINED = re.compile(rf"{_MARK}\n?")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_DIGITS = re.compile(r"\d+")
_TRAILING = re.compile(r"(?<![ \t])[ \t]+$", re.MULTILINE)

# A first or last line that occurs on this share of the pages, numbers ignored, is page furniture.
_RUNNING = 0.5
_FEWEST_PAGES = 4
# A gap of this many usual distances between two lines ends a paragraph.
_GAP = 1.3
_LARGER = 1.12
_LONGEST_HEADING = 120
_MOST_LEVELS = 4
_LETTER = re.compile(r"[^\W\d_]")
_SIGN = re.compile(r"\w")
_NO_HEADING_END = tuple(".,;:-")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a page; ``size`` in points, ``top`` and ``bottom`` from the page's lower edge.

    ``table`` numbers the ruled tables of a document: the line is a row of one. 0: it is text.
    ``scan``: the line was read from a picture; the confidence, left, top, right and bottom are as
    in ``ParsedDocument.scanned``.
    """

    text: str
    size: float
    top: float
    bottom: float
    bold: bool
    table: int = 0
    scan: tuple[int, ...] = ()


def lay_out(pages: Sequence[Sequence[Line]]) -> tuple[FileText, tuple[ScannedLine, ...]]:
    """Return the pages as text, with its tables protected, and its lines from pictures.

    Running heads, feet and page numbers are left out.
    """
    kept = _without_running_lines(pages)
    levels = _levels(kept)
    grouped = [_paragraphs(lines, levels) for lines in kept]
    hyphens = kept_hyphens(
        ["\n".join(line.text for line in group) for page in grouped for group in page]
    )
    whole = GrowingText()
    headings: list[Heading] = []
    tables: list[tuple[int, int]] = []
    scanned: list[ScannedLine] = []
    for number, paragraphs in enumerate(grouped):
        whole.add(f"\n{PAGE}" if number else "")
        for paragraph in paragraphs:
            text = _tidy("\n".join(line.text for line in paragraph), hyphens)
            if not text:
                continue
            if whole.length and not whole.parts[-1].endswith(PAGE):
                whole.add("\n\n")
            at = whole.add(text)
            if paragraph[0].table:
                tables.append((at, whole.length))
            elif (level := levels.get(_look(paragraph[0]))) and _may_head(paragraph):
                headings.append((at, level, one_line(text)))
            scanned += _scanned(paragraph, text, at)
    shown = str(whole).rstrip(f"\n{PAGE}")
    return FileText(shown, headings=tuple(headings), protected=tuple(tables)), tuple(scanned)


def _scanned(paragraph: Sequence[Line], text: str, start: int) -> Iterator[ScannedLine]:
    """The lines from pictures in a paragraph whose ``text`` begins at an offset.

    Joining divided words changes no letter, so letters show where a line begins.
    """
    if not any(line.scan for line in paragraph):
        return
    letters = [match.start() for match in _SIGN.finditer(text)]
    at = 0
    for line in paragraph:
        count = len(_SIGN.findall(line.text))
        if line.scan and count:
            confidence, left, top, right, bottom = line.scan
            first, last = letters[at], letters[at + count - 1] + 1
            yield start + first, start + last, confidence, left, top, right, bottom
        at += count


def kept_hyphens(texts: Sequence[str]) -> set[str]:
    """Return the words divided at the end of a line whose hyphen belongs to them, in lower case.

    So it is if the word occurs undivided elsewhere, or if both its parts are words of the document
    and the same holds for half of all divided words: the program that wrote it divides none.

    >>> sorted(kept_hyphens(["a road-\\nmender mends the road. The mender ..."]))
    ['road-mender']
    >>> sorted(kept_hyphens(["exam-\\nple for-\\nward com-\\nputer", "for ward"]))
    []
    """
    divided = [_parts(cut) for text in texts for cut in _CUT.finditer(text)]
    if not divided:
        return set()
    words = Counter(
        word for text in texts for word in _WORD.findall(_CUT.sub(_apart, text).lower())
    )
    words.subtract(part for parts in divided for part in parts)
    whole = {f"{a}-{b}" for a, b in divided if words[f"{a}-{b}"]}
    both = {f"{a}-{b}" for a, b in divided if words[a] > 0 and words[b] > 0 and not words[a + b]}
    many = sum(f"{a}-{b}" in whole | both for a, b in divided)
    return whole | both if 2 * many >= len(divided) else whole


def _parts(cut: re.Match[str]) -> tuple[str, str]:
    """Return both parts of a divided word in lower case."""
    before = cut.string[max(0, cut.start() - _LONGEST_PART) : cut.start()]
    left = _LEFT.search(before)
    return left[0].lower() if left else "", cut["right"].lower()


def _apart(cut: re.Match[str]) -> str:
    return f"\n{cut['right']}"


def _tidy(text: str, hyphens: Container[str]) -> str:
    def mended(cut: re.Match[str]) -> str:
        return f"{'-' if '-'.join(_parts(cut)) in hyphens else ''}{cut['right']}"

    text = normalise(_JOINED.sub("-", _CUT.sub(mended, text)))[0]
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
