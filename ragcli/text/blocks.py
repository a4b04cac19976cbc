"""The blocks of a text as its lines lay them out: paragraphs, lists, tables and code."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ragcli.text.markup import is_heading, is_list_item

Kind = Literal["blank", "heading", "text", "list", "table", "code"]

DEEPER = 2
"""Columns by which a line is indented at least below the one that it belongs to."""

FENCE = re.compile(r"[ \t]*(```|~~~)")
_ROW = re.compile(r"[ \t]*\||[^\n]*[^\s|] \| ")
_ADORNMENT = re.compile(r"[ \t]*([=\-~^\"'`#*+_.:])\1{2,}[ \t]*\Z")
_CODE_FOLLOWS = re.compile(r"(?:[^\n]*::|[ \t]*\.\. (?:[\w-]*code[\w-]*|parsed-literal)::[^\n]*)\Z")


@dataclass(frozen=True, slots=True)
class LaidLine:
    """One line of a text: ``text[start:end]``, without its line end."""

    start: int
    end: int
    text: str

    @property
    def indent(self) -> int:
        """Columns before the first character."""
        return len(self.text) - len(self.text.lstrip())


@dataclass(frozen=True, slots=True)
class Block:
    """Lines ``first`` to ``last`` (inclusive) of a text that belong together."""

    kind: Kind
    first: int
    last: int


def lines_of(text: str) -> list[LaidLine]:
    """The lines of a text."""
    found, at = [], 0
    for line in text.split("\n"):
        found.append(LaidLine(at, at + len(line), line))
        at += len(line) + 1
    return found


def blocks_of(lines: Sequence[LaidLine], headings: Collection[int] = ()) -> list[Block]:
    """The blocks of a text in order, but for its blank lines.

    ``headings`` are offsets at which headings begin, besides those with a mark of their own.

    >>> text = "Run this:\\n\\n    make it\\n\\nThen:\\n- wait\\n  long\\n- go on"
    >>> [block.kind for block in blocks_of(lines_of(text))]
    ['text', 'code', 'text', 'list']
    """
    return list(_BlockWalk(lines, frozenset(headings)))


def code_lines(lines: Sequence[LaidLine]) -> frozenset[int]:
    """The numbers of the lines of code, with their fences; those inside of list items, too."""
    blocks = (block for block in blocks_of(lines) if block.kind == "code")
    found = {n for block in blocks for n in range(block.first, block.last + 1)}
    fenced = ""
    for n, line in enumerate(lines):
        mark = FENCE.match(line.text)
        if fenced or mark:
            found.add(n)
        if mark and (not fenced or mark[1] == fenced):
            fenced = "" if fenced else mark[1]
    return frozenset(found)


class _BlockWalk:
    """Walks over the lines of a text once."""

    def __init__(self, lines: Sequence[LaidLine], headings: frozenset[int]) -> None:
        self._lines = lines
        self._kinds = [self._kind(line, headings) for line in lines]

    def __iter__(self) -> Iterator[Block]:
        at, announcer = 0, -1
        while at < len(self._lines):
            kind = self._kinds[at]
            if kind == "blank":
                at += 1
                continue
            if kind == "text" and announcer >= 0 and self._announces_code(announcer, at):
                kind = "code"
            last = self._last(kind, at, announcer)
            yield Block(kind, at, last)
            announcer, at = last, last + 1

    @staticmethod
    def _kind(line: LaidLine, headings: frozenset[int]) -> Kind:
        if not line.text.strip():
            return "blank"
        marked = line.text.startswith("#") and is_heading(line.text)
        if marked or line.start in headings or line.start + line.indent in headings:
            return "heading"
        if FENCE.match(line.text):
            return "code"
        if _ROW.match(line.text):
            return "table"
        return "list" if is_list_item(line.text.strip()) else "text"

    def _announces_code(self, announcer: int, at: int) -> bool:
        """Whether deeper lines below a colon are code; lines about options are none."""
        above, line = self._lines[announcer], self._lines[at]
        if line.indent < above.indent + DEEPER:
            return False
        code = _CODE_FOLLOWS.match(above.text.rstrip()) is not None
        return code or (above.text.rstrip().endswith(":") and at > announcer + 1)

    def _last(self, kind: Kind, at: int, announcer: int) -> int:
        if kind == "code" and FENCE.match(self._lines[at].text):
            return self._fenced(at)
        if kind == "code":
            return self._deeper(at, self._lines[announcer].indent)
        if kind == "list":
            return self._list(at)
        if kind == "heading":
            below = self._text(at + 1)
            return at + 1 if _ADORNMENT.match(below) and below.strip() else at
        last = at
        while last + 1 < len(self._lines) and self._kinds[last + 1] == kind:
            last += 1
        return last

    def _text(self, at: int) -> str:
        return self._lines[at].text if at < len(self._lines) else ""

    def _fenced(self, at: int) -> int:
        """The line that closes a fence; the last one, if none does."""
        mark = FENCE.match(self._lines[at].text)
        for n in range(at + 1, len(self._lines)):
            closing = FENCE.match(self._lines[n].text)
            if closing and mark and closing[1] == mark[1]:
                return n
        return len(self._lines) - 1

    def _deeper(self, at: int, indent: int) -> int:
        """The last line of a stretch that is deeper than ``indent``; blank lines are inside."""
        last = at
        for n in range(at, len(self._lines)):
            if self._kinds[n] == "blank":
                continue
            if self._lines[n].indent <= indent or self._kinds[n] == "heading":
                break
            last = n
        return last

    def _list(self, at: int) -> int:
        """The last line of a list: items, and what is indented or goes on below them."""
        last, gap, own = at, False, self._lines[at].indent
        for n in range(at + 1, len(self._lines)):
            kind, line = self._kinds[n], self._lines[n]
            if kind == "blank":
                gap = True
                continue
            inside = line.indent > own
            item = kind == "list" and line.indent >= own
            if kind == "heading" or not (item or inside or (not gap and kind == "text")):
                break
            last, gap = n, False
        return last
