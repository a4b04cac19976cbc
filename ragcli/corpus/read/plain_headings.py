"""Finds headings in plain text, which marks them by layout only.

Six layouts are recognised: an underlined line, or two; stars ("* Release 1.2" above
"** Bug fixes"), or the marks of AsciiDoc, wikis and Markdown in their place ("== Release 1.2" above
"=== Bug fixes", "# Release 1.2" above "## 1.2.1"); a
short line above an indented block (the options of a manual page, the terms of a definition list,
the releases of a change log); a line by itself that begins with a section number ("2.2. How do I
...?"); and a line by itself with a version number ("version 1.30, 2017-12-17").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ragcli.corpus.read.file_text import Heading
from ragcli.text.lines import ADORNMENT
from ragcli.text.markup import is_list_item
from ragcli.text.words import one_line

_NUMBERED = re.compile(r"(?P<number>\d{1,2}(?:\.\d{1,2}){1,3})\.?[ \t]+[^\W\d_]")
_RELEASE = re.compile(
    r"(?:[^\W\d_][\w-]*[ \t]+){0,4}[\[(]?v?\d{1,4}\.\d[\w.+~-]*[\])]?"
    r"(?:[ \t:,(\[–—-].{0,60})?\Z"
)
_VERSION = re.compile(
    r"\d\.\d+\.\d|\b(?:version|release|changes|news?)\b|\bv\d|\b\d{4}\b", re.IGNORECASE
)
_STARS = re.compile(r"(\*{1,5}|={1,6}|#{1,6})[ ]+(?=[^\s=#])")
_STOPPED = (".", ",", ";", "!", "?")
_NO_TITLE = re.compile(r"\W[ \t]|\.\.|[>|{}<]|o[ \t]")  # bullets, directives, quotes, code
_MOST_WORDS = 12
_LONGEST = 100
_DEEPEST = 16
"""Columns that a heading is indented at most: centred lines are, as in a letter, indented more."""
_MOST_GAP = 2
"""Empty lines between a heading and its indented block."""
_DEEPER = 2
"""Columns by which a block must be indented to belong to the line above it."""
_INDENTED = 7
"""Level of a heading by indentation at column 0; numbered and underlined headings are above."""
_UNDERLINED_SHARE = 0.6
_RULE = 3
"""A line that is so many times longer than the text above it is no underline but a rule."""
_MOST_NUMBERS = 3
_WRAPPED = 70
"""A line whose next word would end beyond this column may be wrapped text."""


@dataclass(frozen=True, slots=True)
class _IndentedLine:
    """A line that is not empty: its offset, its text without spaces at the ends, and around it.

    ``indent`` and ``end`` are the columns of its first character and after its last. ``gap`` is
    the number of empty lines before it.
    """

    at: int
    text: str
    indent: int
    end: int
    gap: int


def headings_in(text: str) -> tuple[Heading, ...]:
    """Return ``(offset, level, title)`` of each heading of a plain text, in order of offset.

    A title "" ends the section of an indented block without beginning another.
    """
    lines = _lines(text)
    found: list[Heading] = []
    styles: list[tuple[str, bool]] = []
    open_blocks: list[int] = []
    outlined = _is_outline(lines)
    for i, line in enumerate(lines):
        while open_blocks and line.indent <= open_blocks[-1]:
            found.append((line.at, _INDENTED + open_blocks.pop(), ""))
        if style := _underline(lines, i):
            if style not in styles:
                styles.append(style)
            level = min(styles.index(style) + 1, _INDENTED - 1)
            if _second_line(lines, i) and not style[1]:
                first = lines[i - 1]
                found.append((first.at, level, f"{first.text} {line.text}"))
            else:
                found.append((line.at, level, line.text))
        elif outlined and (stars := _STARS.match(line.text)) and _alone(lines, i):
            found.append((line.at, len(stars[1]), line.text[stars.end() :]))
        elif number := _section_number(lines, i):
            found.append((line.at, number.count(".") + 1, line.text))
        elif _heads_block(lines, i, found):
            found.append((line.at, _INDENTED + line.indent, line.text))
            open_blocks.append(line.indent)
        elif line.indent == 0 and _alone(lines, i) and _is_release(line.text):
            found.append((line.at, _INDENTED, line.text))
    return tuple(_without_ends_before_headings(found))


def _lines(text: str) -> list[_IndentedLine]:
    found: list[_IndentedLine] = []
    at = gap = 0
    for raw in text.split("\n"):
        stripped = raw.strip()
        if stripped:
            body = raw.rstrip().expandtabs(8)
            indent = len(body) - len(body.lstrip())
            start = at + len(raw) - len(raw.lstrip())
            found.append(_IndentedLine(start, one_line(stripped), indent, len(body), gap))
            gap = 0
        else:
            gap += 1
        at += len(raw) + 1
    return found


def _without_ends_before_headings(found: Sequence[Heading]) -> list[Heading]:
    """Leave out ends of sections where a heading of the same or a higher level begins."""
    kept: list[Heading] = []
    for heading in found:
        while kept and not kept[-1][2] and kept[-1][0] == heading[0] and heading[1] <= kept[-1][1]:
            kept.pop()
        kept.append(heading)
    return kept


def _is_outline(lines: Sequence[_IndentedLine]) -> bool:
    """Return whether stars or "=" mark the headings: "* Release 1.2" above "** Bug fixes"."""
    levels = {
        len(stars[1])
        for i, line in enumerate(lines)
        if not line.indent and (stars := _STARS.match(line.text)) and _alone(lines, i)
    }
    return {1, 2} <= levels or {2, 3} <= levels


def _is_short(text: str) -> bool:
    return len(text) <= _LONGEST and len(text.split()) <= _MOST_WORDS


def _is_title(text: str) -> bool:
    """Return whether a line above an indented block may be its heading, by its words."""
    if not _is_short(text) or text.endswith(_STOPPED):
        return False
    if is_list_item(text) or _NO_TITLE.match(text) or _is_record(text):
        return False
    return any(map(str.isalnum, text))


def _is_record(text: str) -> bool:
    """Return whether a line is a row of figures, as in a log."""
    return sum(any(map(str.isdigit, word)) for word in text.split()) > _MOST_NUMBERS


def _underline(lines: Sequence[_IndentedLine], i: int) -> tuple[str, bool] | None:
    """Return the style of an underlined heading: the mark, and whether it is overlined too."""
    if i + 1 == len(lines) or not _is_short(lines[i].text) or ADORNMENT.match(lines[i].text):
        return None
    line, below = lines[i], lines[i + 1]
    mark = ADORNMENT.match(below.text)
    if not mark or below.gap or len(below.text) < _UNDERLINED_SHARE * len(line.text):
        return None
    over = i > 0 and not line.gap and lines[i - 1].text == below.text
    begins = i == 0 or line.gap > 0 or _second_line(lines, i)
    if not over and (not begins or len(below.text) > _RULE * len(line.text)):
        return None
    return mark[1], over


def _second_line(lines: Sequence[_IndentedLine], i: int) -> bool:
    """Return whether a line is the second of a title, as in "Date 2020-12-30", "Release 7.2"."""
    if i == 0 or lines[i].gap:
        return False
    first = lines[i - 1]
    begins = i == 1 or first.gap > 0
    return begins and first.indent == lines[i].indent == 0 and _is_title(first.text)


def _alone(lines: Sequence[_IndentedLine], i: int) -> bool:
    """Return whether a line is short and has empty lines before and after it."""
    before = i == 0 or lines[i].gap > 0
    after = i + 1 < len(lines) and lines[i + 1].gap > 0
    return before and after and _is_short(lines[i].text)


def _section_number(lines: Sequence[_IndentedLine], i: int) -> str:
    """Return the number of a numbered heading, "" for any other line."""
    found = _NUMBERED.match(lines[i].text) if _alone(lines, i) else None
    return found["number"] if found and not lines[i].text.endswith(_STOPPED[:-1]) else ""


def _is_release(text: str) -> bool:
    """Return whether a line is the heading of a release: a version, and a word or date with it."""
    sure = _VERSION.search(text) is not None
    return sure and not text.endswith(_STOPPED) and _RELEASE.match(text) is not None


def _heads_block(lines: Sequence[_IndentedLine], i: int, found: Sequence[Heading]) -> bool:
    """Return whether a line is a heading because the block below it is indented.

    The line must begin a block itself: below an empty line, a heading or a deeper block.
    """
    line = lines[i]
    if i + 1 == len(lines) or line.indent > _DEEPEST or not _is_title(line.text):
        return False
    below = lines[i + 1]
    if below.indent < line.indent + _DEEPER or below.gap > _MOST_GAP:
        return False
    if not below.gap and line.end + 1 + len(below.text.split()[0]) > _WRAPPED:
        return False
    # Text that is set in the middle has indented lines below indented ones, too.
    begun = any(level == _INDENTED + line.indent for _, level, _ in found)
    begins = i == 0 or line.gap > 0 or (begun and lines[i - 1].indent > line.indent)
    return begins or (bool(found) and found[-1][2] == lines[i - 1].text)
