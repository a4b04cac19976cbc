"""Reads plain text, which has no title; its headings are found by layout."""

from __future__ import annotations

from dataclasses import replace

from ragcli.corpus.normalised_text import normalise
from ragcli.corpus.read.decode import EMPTY
from ragcli.corpus.read.file_text import FileText, NoText, characters
from ragcli.corpus.read.plain_headings import headings_in


def read(content: bytes, _path: str) -> FileText:
    """The text of a file with its headings."""
    loaded = load(content)
    return replace(loaded, headings=headings_in(loaded.text))


def load(content: bytes) -> FileText:
    """A file as a text without title and structure; other formats build on it."""
    text, line_starts = normalise(characters(content))
    if not text.strip():
        raise NoText(EMPTY)
    return FileText(text, line_starts=line_starts)
