"""Builds a text whose line n comes from line n of the file, so that citations name its lines."""

from __future__ import annotations

from dataclasses import dataclass, field

from ragcli.corpus.normalised_text import normalise
from ragcli.corpus.read.file_text import FileText, GrowingText, Heading
from ragcli.text.words import one_line
from ragcli.types.blocks import Block

_LONGEST_LINE = 200
"""Values on one line of a file share a line of the text until it has this many characters."""


@dataclass(slots=True)
class LineText:
    """Collects pieces of text with their 1-based lines in the file, in ascending order.

    The text has an empty line for each line of the file without a piece.
    """

    _text: GrowingText = field(default_factory=GrowingText)
    _starts: list[int] = field(default_factory=lambda: [0])
    _on_line: int = 0
    _headings: list[Heading] = field(default_factory=list)
    _waiting: list[tuple[int, str]] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)

    def write(self, line: int, text: str) -> int:
        """Add a piece of text, on one line; several pieces of a line are separated by "; ".

        Returns where it begins in the text.
        """
        text = one_line(normalise(text)[0])
        if not text:
            return self._text.length
        while len(self._starts) < line:
            self._text.add("\n")
            self._starts.append(self._text.length)
            self._on_line = 0
        if self._on_line and self._on_line + len(text) > _LONGEST_LINE:
            self._text.add("\n")
            self._on_line = 0
        elif self._on_line:
            self._text.add("; ")
        for level, name in self._waiting:
            self._headings.append((self._text.length, level, name))
        self._waiting.clear()
        self._on_line += len(text) + 2
        return self._text.add(text)

    def heading(self, level: int, name: str) -> None:
        """Begin a section with the next piece; headings above it that have no piece are dropped."""
        self._waiting = [kept for kept in self._waiting if kept[0] < level]
        self._waiting.append((level, one_line(normalise(name)[0])))

    def file_text(self, title: str = "") -> FileText:
        """The collected text."""
        headings = tuple(self._headings)
        return FileText(str(self._text), title, headings, tuple(self.blocks), tuple(self._starts))
