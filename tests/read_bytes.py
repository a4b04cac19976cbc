"""Reading files that are only in memory."""

from __future__ import annotations

from ragcli.corpus.read import read
from ragcli.types import ParsedDocument, Skipped, Source


def every(name: str, content: str | bytes) -> list[ParsedDocument | Skipped]:
    """All that a file of this name and content gives."""
    raw = content.encode() if isinstance(content, str) else content
    return list(read(Source(name, name, len(raw), 0, raw)))


def one(name: str, content: str | bytes) -> ParsedDocument:
    """The only document in a file of this name and content."""
    (found,) = every(name, content)
    assert isinstance(found, ParsedDocument), found
    return found
