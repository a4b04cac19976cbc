"""Finds headings in AsciiDoc: titles on one line or underlined, and the terms of labelled lists.

Options and settings are terms ("*-c*, *--cleanup*::"), so they are headings, as in other formats.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise

from ragcli.corpus.read.file_text import Heading
from ragcli.corpus.read.outline import TERM

_TITLE = re.compile(r"(?P<marks>={1,6}|#{1,6})[ \t]+(?=\S)")
_UNDERLINE = re.compile(r"([=\-~^+])\1+\Z")
_LEVELS = "=-~^+"
_UNEVEN = 3
"""Characters by which an underline may be longer or shorter than its title."""
_LITERAL = re.compile(r"(?:-{4,}|\.{4,}|\+{4,}|={4,}|/{4,}|`{3,})\Z")
_MOST_LINES = 300
"""Lines of a literal block: a delimiter without an end is none."""
_BLOCK = "--"
_TERM = re.compile(r"(?P<name>\S.{0,200}?)(?P<mark>:{2,4}|;;)(?:[ \t]+\S.*)?\Z")
_NO_TERM = re.compile(r"//|[|\[]|\w+::?\S*\[|\.\S|(?:ifn?def|ifeval|endif|include|image)::")
_MARKED = re.compile(r"<<(?:[^<>,]*,)?((?:(?!<<).)*?)>>|[*`]|(?<!\w)_|_(?!\w)")
_STAYS = (" ", "\t", "+", "[", "*", "-", ".", "=")
"""What begins a line, below an empty one, that still belongs to a term or is no paragraph."""


def headings_in(text: str) -> tuple[Heading, ...]:
    """Return ``(offset, level, title)`` of each title and term of a text, in order of offset.

    A title "" ends the text of a term without beginning another.
    """
    lines = text.split("\n")
    scan = _Titles(lines, _titles(lines))
    at = 0
    for number, line in enumerate(lines):
        scan.take(number, at, line)
        at += len(line) + 1
    return tuple(scan.found)


def _titles(lines: list[str]) -> dict[int, tuple[int, str]]:
    """Return the level and the name of underlined titles, by the number of their line."""
    found: dict[int, tuple[int, str]] = {}
    for number, (line, below) in enumerate(pairwise(lines)):
        under = _UNDERLINE.match(below.rstrip())
        name = line.strip()
        if not under or not any(map(str.isalnum, name)) or line[0].isspace():
            continue
        before = lines[number - 1].strip() if number else ""
        if abs(len(name) - len(below.rstrip())) <= _UNEVEN and (not before or before[0] == "["):
            found[number] = _LEVELS.index(under[1]) + 1, name
    return found


@dataclass(slots=True)
class _Titles:
    """The headings found so far, and where in the text the next line is.

    ``literal`` is the line that ends the literal block, 0 outside one. ``inside`` says whether an
    open block goes on, ``bare`` whether the last line is a term without text of its own.
    """

    lines: list[str]
    titles: dict[int, tuple[int, str]]
    found: list[Heading] = field(default_factory=list)
    literal: int = 0
    inside: bool = False
    opened: bool = False
    bare: bool = False

    def take(self, number: int, at: int, line: str) -> None:
        """Take in one line, which begins at offset ``at``."""
        if number <= self.literal and self.literal:
            return
        if title := self.titles.get(number) or _title(line):
            self.found.append((at, *title))
            self.opened = self.inside = self.bare = False
        elif _LITERAL.match(line.rstrip()) and number - 1 not in self.titles:
            self.literal = self._end_of(number)
        elif term := _term(line):
            self._add_term(at, line, *term)
        elif line.strip():
            self._add_text(number, at, line)

    def _end_of(self, number: int) -> int:
        """Return the line that ends the literal block begun here, 0 if none does."""
        mark = self.lines[number].rstrip()
        after = range(number + 1, min(number + _MOST_LINES, len(self.lines)))
        return next((n for n in after if self.lines[n].rstrip() == mark), 0)

    def _add_term(self, at: int, line: str, name: str, level: int) -> None:
        level += self.inside
        if self.bare and self.found and self.found[-1][1] == level:
            start, _, above = self.found[-1]
            self.found[-1] = start, level, f"{above}, {name}"
        else:
            self.found.append((at, level, name))
        self.bare, self.opened = line.rstrip().endswith((":", ";")), True

    def _add_text(self, number: int, at: int, line: str) -> None:
        """A line of text, or one that begins or ends an open block."""
        blank = number == 0 or not self.lines[number - 1].strip()
        if line.strip() == _BLOCK:
            if self.inside:
                self.found.append((at, TERM + 1, ""))
            self.inside = self.opened and not self.inside
        elif self.opened and blank and not self.inside and not line.startswith(_STAYS):
            self.found.append((at, TERM, ""))
            self.opened = False
        self.bare = False


def _title(line: str) -> tuple[int, str] | None:
    match = _TITLE.match(line)
    name = line[match.end() :].rstrip().rstrip("=").rstrip() if match else ""
    return (len(match["marks"]), name) if match and name else None


def _term(line: str) -> tuple[str, int] | None:
    """Return the term that a line begins with and its level, None if there is none."""
    body = line.strip()
    match = None if _NO_TERM.match(body) else _TERM.match(body)
    if match is None or "::" in match["name"] or "://" in match["name"]:
        return None
    name = _MARKED.sub(lambda mark: mark[1] or "", match["name"]).strip()
    deeper = 1 if match["mark"] == ";;" else len(match["mark"]) - 2
    return (name, TERM + deeper) if any(map(str.isalnum, name)) else None
