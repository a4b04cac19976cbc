"""The lines of a text, with where they begin."""

from __future__ import annotations

import re
from dataclasses import dataclass

DEEPER = 2
"""Columns by which a line is indented at least below the one that it belongs to."""

FENCE = re.compile(r"[ \t]*(```|~~~)")
"""A line that opens or closes a block of code."""

ADORNMENT = re.compile(r"([=\-~^\"'`#*+_.:])\1{2,}\Z")
"""The line below or above a title that has no mark of its own, without spaces around it."""


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line: ``text[start:end]``, without its line end."""

    start: int
    end: int
    text: str

    @property
    def indent(self) -> int:
        """Columns before the first character."""
        return len(self.text) - len(self.text.lstrip())

    @property
    def bare(self) -> str:
        """The line without white space at its ends."""
        return self.text.strip()

    @property
    def begin(self) -> int:
        """Where its first character is."""
        return self.start + self.indent

    @property
    def stop(self) -> int:
        """Where its last character ends."""
        return self.start + len(self.text.rstrip())


def lines_of(text: str) -> list[TextLine]:
    """The lines of a text."""
    found, at = [], 0
    for line in text.split("\n"):
        found.append(TextLine(at, at + len(line), line))
        at += len(line) + 1
    return found


def goes_on(text: str, after: str) -> bool:
    """Return whether the paragraph, list or block of code that ``text`` ends in goes on ``after``.

    >>> goes_on("- one\\n- two", "\\n- three"), goes_on("It rained.", "\\n\\nThen it stopped.")
    (True, False)
    >>> goes_on("```sh\\nmake", "\\n\\nmake test\\n```"), goes_on("```sh\\nmake", "\\n```\\n")
    (True, False)
    """
    if sum(FENCE.match(line) is not None for line in text.split("\n")) % 2:
        following = after.strip().split("\n", 1)[0]
        return bool(following) and FENCE.match(following) is None
    rest, _, below = after.partition("\n")
    return bool(rest.strip() or below.split("\n", 1)[0].strip())
