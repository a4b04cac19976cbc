"""Builds the text of a formatted document from paragraphs, lines, headings and table cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ragcli.corpus.normalised_text import PAGE, normalise
from ragcli.corpus.read.file_text import FileText, GrowingText, Heading
from ragcli.corpus.read.rows import head_at
from ragcli.text.words import one_line
from ragcli.types.blocks import Block, joined

TERM = 8
"""Level of a term in a definition list; lists inside lists have lower levels."""

_SPACE = re.compile(r"[ \t\n\r\f\v]+")


class Outline:
    """Collects text. An empty line separates paragraphs; " | " separates the cells of a row."""

    def __init__(self) -> None:
        self._text = GrowingText()
        self._headings: list[Heading] = []
        self._break = ""  # separator to write before the next text
        self._space = False
        self._level = 0  # level of the open heading; 0: none
        self._opened: tuple[int, int] | None = None  # offset and part at which its text begins
        self._cells = 0
        self._rows: list[list[list[int]]] = []  # [start, end] of each cell with text
        self._opens_cell = self._row_open = False
        self._codes: list[list[int]] = []  # [start, end] of each block of code
        self._in_code = False
        self._line_starts: list[int] = []  # of the lines of the file, as far as they are known

    def write(self, text: str, keep_space: bool = False, line: int = 0) -> None:
        """Add running text; a run of white space becomes one space unless ``keep_space``.

        ``line`` is the 1-based line of the file on which the text begins, 0 if it has no lines.
        With ``line``, text with several lines must keep its space.
        """
        if keep_space and text.strip():
            self._write_lines(text, line)
        if keep_space:
            if not text.strip() and not self._at_line_start():
                self._put(normalise(text)[0])  # white space between two marked words of code
            return
        text = normalise(text)[0]
        words = _SPACE.sub(" ", text)
        if not words.strip():
            self._space = self._space or bool(words)
            return
        spaced = words.startswith(" ") or self._space
        space = " " if spaced and not self._at_line_start() else ""
        self._put(f"{space}{words.strip(' ')}", line)
        self._space = words.endswith(" ")

    def _write_lines(self, text: str, line: int) -> None:
        """Add preformatted text with its line ends."""
        text = normalise(text)[0]
        shown = text.strip("\n") if self._break else text
        line += (len(text) - len(text.lstrip("\n"))) if self._break and line else 0
        for number, part in enumerate(shown.splitlines(keepends=True)):
            self._put(part, line and line + number)

    def _at_line_start(self) -> bool:
        """Return whether the next text needs no space before it, because a line begins."""
        return (
            bool(self._break)
            or not self._text.parts
            or self._text.parts[-1].endswith(("\n", " ", PAGE))
        )

    def _put(self, text: str, line: int = 0) -> None:
        if self._break and self._text.parts and not self._text.parts[-1].endswith(PAGE):
            self._text.add(self._break)
        elif self._break:
            self._text.add(self._break.lstrip("\n"))
        self._break = ""
        if self._level and self._opened is None:
            self._opened = (self._text.length, len(self._text.parts))
        # Lines of the file without text begin where the next text does.
        self._line_starts += [self._text.length] * (line - len(self._line_starts))
        if self._cells:
            self._note_cell(len(text))
        if self._in_code:
            self._codes[-1] = self._codes[-1] or [self._text.length, 0]
            self._codes[-1][1] = self._text.length + len(text)
        self._text.add(text)

    def _note_cell(self, length: int) -> None:
        """Note the place of the text that is added next to a cell."""
        at = self._text.length
        if not self._opens_cell:
            self._rows[-1][-1][1] = at + length
            return
        row = self._rows[-1] if self._rows and self._row_open else []
        if not row:
            self._rows.append(row)
        row += [[at, at] for _ in range(len(row) + 1, self._cells)]  # cells without text
        row.append([at, at + length])
        self._opens_cell, self._row_open = False, True

    def line(self, mark: str = "") -> None:
        """Begin a line; write ``mark`` before its text."""
        if not self._break.startswith("\n\n"):
            self._break = f"\n{mark}"
        elif mark:
            self._break = f"\n\n{mark}"
        self._space = False
        self._cells, self._row_open = 0, False

    def paragraph(self) -> None:
        """Begin a paragraph, except after the mark of a list item or inside a cell."""
        if self._cells:
            self._space = True
            return
        if not self._break.endswith("- "):
            self._break = "\n\n"
        self._space = False

    def page(self) -> None:
        """Begin a page, which may be a slide, a cell or a chapter; the first begins by itself."""
        self.close_heading()
        self._text.add(f"\n\n{PAGE}")
        self._break, self._space, self._cells, self._row_open = "", False, 0, False

    def cell(self) -> None:
        """Begin a cell of a table row."""
        self._space = False
        if self._cells and not self._break.startswith("\n"):
            self._break = " | "
        self._cells += 1
        self._opens_cell = True

    def code(self, begins: bool) -> None:
        """Begin or end a block of code."""
        if begins and not self._in_code:
            self._codes.append([])
        self._in_code = begins

    def open_heading(self, level: int) -> None:
        """Begin a heading; level 1 is the highest.

        Levels 1 to 6 are those of headings; terms of definition lists and heads of tables have
        lower levels.
        """
        self.close_heading()
        self._level = level

    def heading(self, level: int, text: str, line: int = 0) -> None:
        """Write a heading; ``line`` as in ``write``."""
        self.open_heading(level)
        self.write(text, line=line)
        self.close_heading()

    def lines(self, text: str) -> None:
        """Write the rest of a line, and a line for each further one of a text."""
        for number, line in enumerate(text.split("\n")):
            if number:
                self.line()
            self.write(line)

    def row(self, cells: Iterable[str]) -> None:
        """Write a row of a table."""
        self.line()
        for cell in cells:
            self.cell()
            self.write(cell)

    def end_section(self, level: int) -> None:
        """End the section of a heading of ``level``, of which no other begins here."""
        self.close_heading()
        _, last, title = self._headings[-1] if self._headings else (0, 0, "")
        if last > level or (last == level and title):
            self._headings.append((self._text.length, level, ""))

    def close_heading(self) -> None:
        """End the open heading; a heading without text is dropped."""
        if self._opened is not None:
            start, part = self._opened
            text = "".join(self._text.parts[part:])
            self._headings.append((start, self._level, one_line(text)))
        self._level, self._opened = 0, None
        self.paragraph()

    def file_text(self, title: str = "") -> FileText:
        """The collected text; its title defaults to the first heading of level 1."""
        self.close_heading()
        text = str(self._text).rstrip()
        first = next((name for _, level, name in self._headings if level == 1), "")
        title = one_line(normalise(title)[0]) or first
        code = [Block("code", span[0], span[1]) for span in self._codes if span]
        blocks = joined((*_tables(text, self._rows), *code))
        return FileText(text, title, tuple(self._headings), blocks, tuple(self._line_starts))


def _tables(text: str, rows: Sequence[Sequence[Sequence[int]]]) -> Iterator[Block]:
    """The tables that rows make, given as (start, end) of their cells: those on lines one below
    the other."""
    table: list[Block] = []
    for cells in rows:
        row = Block(
            "row", cells[0][0], cells[-1][1], tuple(Block("cell", c[0], c[1]) for c in cells)
        )
        if table and text[table[-1].end : row.start] != "\n":
            yield from _table(text, table)
            table = []
        table.append(row)
    yield from _table(text, table)


def _table(text: str, rows: Sequence[Block]) -> Iterator[Block]:
    """A table of several rows; the first is its head if it names columns."""
    words = [[text[cell.start : cell.end] for cell in row.parts] for row in rows]
    if len(rows) > 1 and any(len(row) > 1 for row in words):
        head = replace(rows[0], kind="head") if head_at(words[:20]) == 0 else rows[0]
        yield Block("table", head.start, rows[-1].end, (head, *rows[1:]))
