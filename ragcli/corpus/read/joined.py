"""Joins documents to one whose pages they are: chapters of a book, cells of a notebook."""

from __future__ import annotations

from collections.abc import Sequence

from ragcli.corpus.normalised_text import PAGE
from ragcli.types import ParsedDocument
from ragcli.types.blocks import FlatBlock


def join_pages(
    id_: str, sha256: str, title: str, pages: Sequence[ParsedDocument | None]
) -> ParsedDocument:
    """Return one document with a page for each of ``pages``; None is a page without text.

    The title defaults to the first heading of level 1.
    """
    parts: list[str] = []
    length = 0
    headings: list[tuple[int, int, str]] = []
    protected: list[tuple[int, int]] = []
    blocks: list[FlatBlock] = []
    for number, page in enumerate(pages):
        between = f"\n\n{PAGE}" if number else ""
        length += len(between)
        parts.append(between)
        if page is not None:
            headings += [(at + length, level, name) for at, level, name in page.headings]
            protected += [(start + length, end + length) for start, end in page.protected]
            blocks += [(d, k, start + length, end + length) for d, k, start, end in page.blocks]
            parts.append(page.text)
            length += len(page.text)
    text = "".join(parts).rstrip()
    starts = (0, *(at + 1 for at, c in enumerate(text) if c == "\n"))
    first = next((name for _, level, name in headings if level == 1), "")
    return ParsedDocument(
        id_, sha256, title or first, text, starts,
        headings=tuple(headings), protected=tuple(protected), blocks=tuple(blocks),
    )  # fmt: skip
