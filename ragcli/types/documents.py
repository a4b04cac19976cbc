"""What is read: files, the documents in them, and their parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Source:
    """One readable thing found by the scan: a file, or a file holding many records.

    ``path`` is where to open it; ``id`` is POSIX style and relative to the indexed root.
    """

    id: str
    path: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Skipped:
    """A path that the scan or a reader left out, and why (one sentence, no final stop).

    ``unreadable``: something may well be there, it just cannot be looked at now.
    """

    id: str
    reason: str
    unreadable: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """What a store knows of one document.

    ``doc`` is its id, the same as in hits and citations. ``status`` is "failed" if the file could
    not be read at the last run, and ``error`` says why; such a document keeps its last good text,
    if it had one. ``size`` counts characters; the times are in ISO 8601.
    """

    doc: str
    status: Literal["ok", "failed"]
    chunks: int
    sha256: str
    size: int
    created_at: str
    updated_at: str
    error: str
    summary: str


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """One readable document.

    ``id``: POSIX path below the indexed root; a JSON Lines record is ``file.jsonl#_id``.
    ``sha256`` is over ``title`` and ``text`` for records and over the file's bytes for files.
    ``title`` comes from the content only ("" when it has none), so a rename never changes it.
    ``line_starts[i]`` is the offset in ``text`` at which line ``first_line + i`` begins.
    ``headings`` are ``(offset, level, title)`` in order of offset.
    """

    id: str
    sha256: str
    title: str
    text: str
    line_starts: tuple[int, ...] = (0,)
    first_line: int = 1
    headings: tuple[tuple[int, int, str], ...] = ()
    protected: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Passage:
    """A window of about 200 tokens on sentence boundaries: what is embedded and searched.

    ``start``/``end`` are offsets into the document's text.
    """

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of a document of at most about 1200 tokens; ``document.text[start:end] == text``.

    Neighbouring chunks overlap. ``owned`` (``start <= owned < end``) is where the text begins
    that no earlier chunk holds: the owned parts ``[owned, end)`` tile the document, so counting
    in them counts nothing twice. ``heading`` is the path of headings above, joined by " > ";
    ``page`` the one it begins on, None in a document without pages.
    """

    id: str
    doc: str
    ordinal: int
    start: int
    end: int
    owned: int
    line_start: int
    line_end: int
    heading: str
    text: str
    tokens: int
    passages: tuple[Passage, ...] = ()
    page: int | None = None
