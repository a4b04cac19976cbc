"""What is around a place of a part, by the blocks of its document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragcli.text.spans import Span
from ragcli.types import Part
from ragcli.types.blocks import Block


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a part: offsets into the document."""

    part: Part
    start: int
    end: int

    @property
    def text(self) -> str:
        """The exact characters."""
        return self.part.text[self.start - self.part.start : self.end - self.part.start]


@dataclass(frozen=True, slots=True)
class RowPlace:
    """A row of a table, or the head itself."""

    table: Block
    row: Block

    @property
    def is_head(self) -> bool:
        """Whether it names the columns."""
        return self.row.kind == "head"


def code_spans(part: Part) -> list[Span]:
    """Where code is, as offsets into the document."""
    return [(block.start, block.end) for block in part.blocks if block.kind == "code"]


def row_at(part: Part, offset: int) -> RowPlace | None:
    """The row of a table that holds a character of the document; None outside of rows."""
    for table in part.blocks:
        if table.kind == "table" and table.start <= offset < table.end:
            for row in table.of("head", "row"):
                if row.start <= offset < row.end:
                    return RowPlace(table, row)
    return None


def items_at(part: Part, offset: int) -> list[Block]:
    """The items of lists that hold a character of the document, outermost first."""
    return list(_items(part.blocks, offset))


def _items(blocks: Sequence[Block], offset: int) -> Iterator[Block]:
    for block in blocks:
        if block.kind in ("list", "item") and block.start <= offset < block.end:
            if block.kind == "item":
                yield block
            yield from _items(block.parts, offset)


def term_at(part: Part, offset: int) -> Block | None:
    """The nearest term or item, that begins before a character of the document, around it."""
    terms = [b for b in part.blocks if b.kind == "term" and b.start < offset < b.end]
    around = [*terms, *(item for item in items_at(part, offset) if item.start < offset)]
    return max(around, key=lambda block: block.start, default=None)
