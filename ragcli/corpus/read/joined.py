"""Joins texts to one whose pages they are: chapters of a book, cells of a notebook."""

from __future__ import annotations

from collections.abc import Sequence

from ragcli.corpus.normalised_text import PAGE
from ragcli.corpus.read.file_text import FileText
from ragcli.types.blocks import FlatBlock, flat, tree


def join_pages(title: str, pages: Sequence[FileText]) -> FileText:
    """Return one text with a page for each of ``pages``, which may be empty.

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
        headings += [(at + length, level, name) for at, level, name in page.headings]
        protected += [(start + length, end + length) for start, end in page.protected]
        blocks += [(d, k, start + length, end + length) for d, k, start, end in flat(page.blocks)]
        parts += (between, page.text)
        length += len(page.text)
    first = next((name for _, level, name in headings if level == 1), "")
    text = "".join(parts).rstrip()
    return FileText(text, title or first, tuple(headings), tree(blocks), protected=tuple(protected))
