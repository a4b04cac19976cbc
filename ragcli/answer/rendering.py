"""What is read of a stretch of a document: its characters, with words that say what they are about.

A row of a table comes with the heads of its columns ("Torque: 51; Unit: Nm").
"""

from __future__ import annotations

from collections.abc import Iterator

from ragcli.text.spans import Span
from ragcli.text.words import one_line
from ragcli.types import Part
from ragcli.types.blocks import Block

Rendered = str | Span
"""Words of no place, or a span of the document."""


def rendered(part: Part, start: int, end: int) -> Iterator[Rendered]:
    """What is read of ``[start:end]`` of a document, in order; its spans rise."""
    at = start
    for table in part.blocks:
        heads = _heads(part, table)
        for row in table.of("row") if heads else ():
            cells = row.of("cell")
            if len(cells) == len(heads) and at <= row.start and row.end <= end:
                yield at, row.start
                yield from _named(heads, cells)
                at = row.end
    yield at, end


def _heads(part: Part, table: Block) -> list[str]:
    """The heads of the columns of a table, [] without any."""
    head = table.first("head") if table.kind == "table" else None
    if head is None:
        return []
    words = part.words_of(head)
    return [one_line(words[c.start - head.start : c.end - head.start]) for c in head.of("cell")]


def _named(heads: list[str], cells: tuple[Block, ...]) -> Iterator[Rendered]:
    """The cells of a row that have words, each below the head of its column."""
    between = ""
    for head, cell in zip(heads, cells, strict=True):
        if cell.start < cell.end:
            yield f"{between}{head}: " if head else between
            yield cell.start, cell.end
            between = "; "
