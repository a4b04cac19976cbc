"""Blocks: what a document is besides running text, as typed spans of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal, get_args

BlockKind = Literal[
    "table",
    "head",
    "row",
    "cell",
    "list",
    "item",
    "code",
    "drawn",
    "term",
    "field",
    "label",
    "value",
    "lead",
    "quote",
    "signature",
]
KINDS: tuple[BlockKind, ...] = get_args(BlockKind)

FlatBlock = tuple[int, int, int, int]
"""(depth, place of the kind in ``KINDS``, start, end): a list of them, parents first, is a tree."""


@dataclass(frozen=True, slots=True)
class Block:
    """A span of a document: ``text[start:end]``, of one kind, and what it consists of.

    "table": a "head", if it has one, and "row"s. Both have a "cell" for each column, in order; an
    empty cell has no characters. A row whose text names its columns has "field"s instead.
    "list": "item"s; an item may hold a "label", the term that it is about, and inner "list"s.
    "term": a "label" with what is below it. "field": a "label" and its "value".
    "code": code as it is in the file, with its fences. "drawn": the same that draws a table.
    "quote": what the writer of a mail quotes. "signature": what ends a mail below its text.
    Tables, lists, code and quotes may have a "lead": what announces them, or who wrote them.
    """

    kind: BlockKind
    start: int
    end: int
    parts: tuple[Block, ...] = ()

    def of(self, *kinds: BlockKind) -> tuple[Block, ...]:
        """The parts of some kinds."""
        return tuple(part for part in self.parts if part.kind in kinds)

    def first(self, kind: BlockKind) -> Block | None:
        """The first part of a kind; None without one."""
        return next(iter(self.of(kind)), None)

    def overlaps(self, start: int, end: int) -> bool:
        """Whether it has a character of ``[start:end]``."""
        return self.start < end and start < self.end


_ABOUT: tuple[BlockKind, ...] = ("head", "lead", "label")
_MOST_ABOUT = 600
"""Characters of the longest head, lead or label that is of use outside of its block."""


def abouts(blocks: Iterable[Block], start: int, end: int) -> Iterator[Block]:
    """What says what blocks in ``[start:end]`` are about, and is outside of it: the heads of
    tables, the labels of terms and items, and what announces a block."""
    for block in blocks:
        if block.kind in ("field", "row") or not block.overlaps(start, end):
            continue
        for part in block.of(*_ABOUT):
            if not (start <= part.start and part.end <= end) and _is_short(part):
                yield part
        yield from abouts(block.parts, start, end)


def _is_short(block: Block) -> bool:
    return block.end - block.start <= _MOST_ABOUT


def flat(blocks: Iterable[Block], depth: int = 0) -> list[FlatBlock]:
    """Blocks with all their parts, parents first."""
    found: list[FlatBlock] = []
    for block in blocks:
        found.append((depth, KINDS.index(block.kind), block.start, block.end))
        found += flat(block.parts, depth + 1)
    return found


def tree(rows: Sequence[FlatBlock]) -> tuple[Block, ...]:
    """The blocks of which ``flat`` made rows."""
    found: list[list[Block]] = [[]]
    for depth, kind, start, end in reversed(rows):
        found += [[] for _ in range(depth + 2 - len(found))]
        parts, found[depth + 1] = tuple(reversed(found[depth + 1])), []
        found[depth].append(Block(KINDS[kind], start, end, parts))
    return tuple(reversed(found[0]))


def joined(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """Blocks of which several pieces may be given, each as one, in order.

    >>> one, other = Block("row", 0, 2), Block("row", 3, 5)
    >>> joined([Block("table", 0, 5, (one,)), Block("table", 0, 5, (one, other))])[0].parts[1].start
    3
    """
    ordered = sorted(blocks, key=_order)
    groups = (list(group) for _, group in groupby(ordered, _order))
    return tuple(
        group[0]
        if len(group) == 1
        else replace(group[0], parts=joined(part for one in group for part in one.parts))
        for group in groups
    )


def _order(block: Block) -> tuple[int, int, int]:
    return block.start, -block.end, KINDS.index(block.kind)
