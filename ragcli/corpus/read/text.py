"""Reads plain text, which has no title; its headings are found by layout."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace

from ragcli.corpus.normalised_text import normalise
from ragcli.corpus.read.decode import BINARY, EMPTY, bytes_of, decode
from ragcli.corpus.read.plain_headings import headings_in
from ragcli.types import ParsedDocument, Skipped, Source


def read(source: Source) -> Iterator[ParsedDocument | Skipped]:
    """Yield the document of a text file; raises ReadError if it cannot be read."""
    loaded = load(source)
    if not isinstance(loaded, Skipped):
        loaded = replace(loaded, headings=headings_in(loaded.text))
    yield loaded


def load(source: Source) -> ParsedDocument | Skipped:
    """Return a file as a document without title and structure; other formats build on it."""
    raw = bytes_of(source)
    decoded = decode(raw)
    if decoded is None:
        return Skipped(source.id, BINARY)
    text, line_starts = normalise(decoded)
    if not text.strip():
        return Skipped(source.id, EMPTY)
    return ParsedDocument(source.id, hashlib.sha256(raw).hexdigest(), "", text, line_starts)
