"""A stretch of a document as the reader reads it: rows of tables with the names of their columns.

A reader that learned from running text takes "Torque: 51; Unit: Nm." for what it says; of
"| 51 | Nm |" it would have to count columns, in a head that the passage may not even hold.
"""

from __future__ import annotations

from collections.abc import Iterator

from ragcli.answer.laid import Stretch
from ragcli.text.markup import unmarked, without_emphasis, without_page_lines
from ragcli.types import Part
from ragcli.types.blocks import Block

Piece = tuple[int, Stretch]
"""Where a stretch begins in a text to read, which has its characters or spaces for them."""


def rendered(stretch: Stretch) -> tuple[str, tuple[Piece, ...]]:
    """The text to read, and where the characters of the stretch are in it."""
    text = readable(stretch.text)
    read, pieces, at = "", [], stretch.start

    def take(start: int, end: int) -> None:
        nonlocal read
        if start < end:
            pieces.append((len(read), Stretch(stretch.part, start, end)))
            read += text[start - stretch.start : end - stretch.start]

    for row, names in _rows(stretch):
        take(at, row.start)
        for number, (name, cell) in enumerate(names):
            read += ("; " if number else "") + (f"{name}: " if name else "")
            take(cell.start, cell.end)
        read += "."
        at = row.end
    take(at, stretch.end)
    return read, tuple(pieces)


def readable(text: str) -> str:
    """A text without its marks, every other character in its place."""
    return unmarked(without_page_lines(text))


def _rows(stretch: Stretch) -> Iterator[tuple[Block, list[tuple[str, Block]]]]:
    """The rows of tables with a head that are whole in a stretch, and their cells with their
    columns' names; empty cells are left out."""
    for table in stretch.part.blocks:
        head = table.first("head")
        if table.kind != "table" or head is None:
            continue
        names = _names(stretch.part, head)
        for row in table.of("row"):
            cells = row.of("cell")
            if stretch.start <= row.start and row.end <= stretch.end and cells and any(names):
                padded = names + [""] * (len(cells) - len(names))
                told = zip(padded, cells, strict=False)
                yield row, [(name, cell) for name, cell in told if cell.start < cell.end]


def _names(part: Part, head: Block) -> list[str]:
    """The names of a table's columns."""
    words = without_emphasis(readable(part.words_of(head)))
    return [
        " ".join(words[cell.start - head.start : cell.end - head.start].split())
        for cell in head.of("cell")
    ]
