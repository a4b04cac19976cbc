"""The blocks that a text lays out, without a reader that knows some."""

from __future__ import annotations

from ragcli.corpus.blocks import blocks_of
from ragcli.types import ParsedDocument
from ragcli.types.blocks import Block


def blocks_in(text: str, headings: tuple[tuple[int, str], ...] = ()) -> tuple[Block, ...]:
    """``headings`` are (offset, title) of those that the text has."""
    found = tuple((at, 1, title) for at, title in headings)
    return blocks_of(ParsedDocument("a.txt", "", "", text, headings=found))
