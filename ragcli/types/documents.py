"""Records of the corpus: files, the documents in them, their chunks and passages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ragcli.types.blocks import FlatBlock


@dataclass(frozen=True, slots=True)
class Source:
    """One file that the scan found; it holds one document or many records.

    ``path`` opens the file. ``id`` is its POSIX path relative to the indexed root. A part of a
    file (an attachment, a member of an archive) has its ``content`` here, and ``path`` is its name.
    ``named``: the user gave this very file, so it must be read or reported as a failure. ``real``:
    the path without links that the scan has looked at, so that a link that takes the place of the
    file is not followed; "" if no scan found it.
    """

    id: str
    path: str
    size: int
    mtime_ns: int
    content: bytes | None = field(default=None, repr=False, compare=False)
    named: bool = field(default=False, compare=False)
    real: str = field(default="", repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A path that the scan or a file reader left out, and why (one sentence, no full stop).

    ``unreadable``: there may be a document, but it cannot be read at the moment.
    """

    id: str
    reason: str
    unreadable: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """One document as a store lists it.

    ``doc`` is the document's id, as in hits and citations. ``status`` is "failed" if the last run
    could not read the file; ``error`` then gives the reason, and the document keeps the text of
    the last successful run, if any. ``size`` counts characters. Times are in ISO 8601.
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


ScannedLine = tuple[int, int, int, int, int, int, int]
"""(start, end, confidence, left, top, right, bottom): a line that was read from a picture.

``text[start:end]`` is what was read, without signs at its ends; ``confidence`` is how sure that is,
in thousandths. The other four are its box on its page, in thousandths of the page's width and
height, from the upper left corner."""


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """A document as a file reader returns it.

    ``id`` is the POSIX path below the indexed root. A document inside a file has the file's id,
    "#" and its own: ``file.jsonl#_id``, ``book.xlsx#Sheet``, ``letter.eml#attachment.pdf``.
    ``sha256`` hashes ``title`` and ``text`` of a record, and the bytes of a file.
    ``title`` comes from the content only ("" when it has none), so a rename never changes it.
    ``line_starts[i]`` is the offset in ``text`` at which line ``first_line + i`` begins.
    ``headings`` are ``(offset, level, title)`` in order of offset; a title "" only ends the
    sections of that level and below. ``protected`` are the spans of code blocks and tables, which
    chunking keeps whole if it can. ``blocks`` are those that the reader of the format knows, as
    ``blocks.flat`` gives them; others are found in the text. ``fields`` are (name, value) pairs of
    the front matter, by which a scope selects documents; a list gives a pair for each value.
    ``scanned`` are the lines that were read from pictures, in order.
    """

    id: str
    sha256: str
    title: str
    text: str
    line_starts: tuple[int, ...] = (0,)
    first_line: int = 1
    headings: tuple[tuple[int, int, str], ...] = ()
    protected: tuple[tuple[int, int], ...] = ()
    blocks: tuple[FlatBlock, ...] = ()
    fields: tuple[tuple[str, str], ...] = ()
    scanned: tuple[ScannedLine, ...] = ()


@dataclass(frozen=True, slots=True)
class Passage:
    """A window of about 200 tokens that begins and ends at sentence boundaries.

    Passages are the units that are embedded and searched. ``start`` and ``end`` are offsets into
    the document's text.
    """

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A span of a document of at most about 1200 tokens; ``document.text[start:end] == text``.

    Neighbouring chunks overlap. ``owned`` (``start <= owned < end``) is the offset at which text
    begins that no earlier chunk contains. The owned parts ``[owned, end)`` tile the document, so
    a count over them counts nothing twice. ``heading`` is the path of the headings above the
    chunk, joined by " > "; ``headings`` are ``(offset, path)`` of those that begin in its owned
    part. ``lines`` are ``(offset, line)`` of the lines of the file that begin in its owned part; ()
    where each line of the text is one of the file. ``page`` is the page on which the chunk begins,
    1-based; None in a document without pages. ``blocks`` are those with a character in its owned
    part, flat: of each, the parts that are there, and always its head and its lead.
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
    headings: tuple[tuple[int, str], ...] = ()
    lines: tuple[tuple[int, int], ...] = ()
    blocks: tuple[FlatBlock, ...] = ()
