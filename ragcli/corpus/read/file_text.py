"""What the reader of a format takes and gives. Packages may add readers (``registry``).

A reader is one function. It takes the bytes of a file, which are not only white space, and its
path, of which it may use the suffix. It returns a ``FileText`` and opens nothing else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from ragcli.corpus.normalised_text import PAGE, line_starts
from ragcli.corpus.read.decode import BINARY, EMPTY, bytes_of, decode
from ragcli.errors import ReadError
from ragcli.text.words import one_line
from ragcli.types import ParsedDocument, Skipped, Source
from ragcli.types.blocks import Block, FlatBlock, flat, tree

NO_READER = "no reader for "

Heading = tuple[int, int, str]
"""Offset, level and title."""


class NoText(Exception):
    """A file holds no document; says why, without a full stop."""


class NoReader(NoText):
    """Nothing reads files of a format, which a suffix names."""

    def __init__(self, suffix: str) -> None:
        super().__init__(f"{NO_READER}{suffix} files yet")


class Unreadable(Exception):
    """A file cannot be read; goes on after its name: "needs a password"."""


def reason_of(error: Exception) -> str:
    """Return what an error says, on one line; its name if it says nothing."""
    return one_line(str(error)) or type(error).__name__


@contextmanager
def damage(what: str, raised: tuple[type[Exception], ...]) -> Iterator[None]:
    """Turn what a damaged file raises into Unreadable; ``what`` it should have been."""
    try:
        yield
    except ReadError as error:
        raise Unreadable(f"is not read: {error.message}") from error
    except raised as error:
        raise Unreadable(f"is damaged or not {what}: {reason_of(error)}") from error


@dataclass(frozen=True, slots=True)
class FileText:
    """The text of a file and the marks in it.

    ``text`` is normalised (``normalised_text.normalise``); a form feed begins a page. All offsets
    count its characters. ``headings`` are (offset, level, title) in order of offset; a title ""
    only ends the sections of that level and below. ``blocks`` are those that the format marks, in
    order; others are found in the text. ``line_starts[i]`` is the offset at which line i of the
    file begins; () if these are the lines of the text. ``protected`` are (start, end) of spans
    that chunks keep whole if they can. ``fields`` are (name, value) pairs, by which a scope
    selects.
    """

    text: str
    title: str = ""
    headings: tuple[Heading, ...] = ()
    blocks: tuple[Block, ...] = ()
    line_starts: tuple[int, ...] = ()
    protected: tuple[tuple[int, int], ...] = ()
    fields: tuple[tuple[str, str], ...] = ()

    def document(self, id_: str, sha256: str) -> ParsedDocument:
        """The document of a file."""
        return ParsedDocument(
            id_, sha256, self.title, self.text,
            self.line_starts or line_starts(self.text),
            headings=self.headings, protected=self.protected, blocks=tuple(flat(self.blocks)),
            fields=self.fields,
        )  # fmt: skip


class GrowingText:
    """A text that grows at its end; ``length`` counts its characters."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.length = 0

    def add(self, text: str) -> int:
        """Add a text; returns where it begins."""
        self.parts.append(text)
        self.length += len(text)
        return self.length - len(text)

    def __str__(self) -> str:
        return "".join(self.parts)


def join_pages(title: str, pages: Sequence[FileText]) -> FileText:
    """Return one text with a page for each of ``pages``, which may be empty.

    The title defaults to the first heading of level 1.
    """
    text = GrowingText()
    headings: list[Heading] = []
    protected: list[tuple[int, int]] = []
    blocks: list[FlatBlock] = []
    for number, page in enumerate(pages):
        text.add(f"\n\n{PAGE}" if number else "")
        at = text.add(page.text)
        headings += [(at + start, level, name) for start, level, name in page.headings]
        protected += [(at + start, at + end) for start, end in page.protected]
        blocks += [(d, k, at + start, at + end) for d, k, start, end in flat(page.blocks)]
    first = next((name for _, level, name in headings if level == 1), "")
    return FileText(
        str(text).rstrip(), title or first, tuple(headings), tree(blocks),
        protected=tuple(protected),
    )  # fmt: skip


FormatReader = Callable[[bytes, str], FileText]


def characters(content: bytes) -> str:
    """The characters of a file of text in any encoding. Raises NoText if it is binary."""
    decoded = decode(content)
    if decoded is None:
        raise NoText(BINARY)
    return decoded


def lines_of(content: bytes) -> list[str]:
    """The lines of a file of text, whatever ends them. Raises NoText if it is binary."""
    return characters(content).replace("\r\n", "\n").replace("\r", "\n").split("\n")


def documents_of(
    reader: FormatReader, source: Source, identity: str = ""
) -> Iterator[ParsedDocument | Skipped]:
    """Yield the document of a file, or why it is none. Raises ReadError and Unreadable.

    With an ``identity`` of the reader, its text is another document than that of another reader.
    """
    content = bytes_of(source)
    if not content or content.isspace():
        yield Skipped(source.id, EMPTY)
        return
    try:
        made = reader(content, source.path)
    except NoText as error:
        if source.named and isinstance(error, NoReader):
            raise ReadError(f"cannot read {source.id}: {error}") from error
        yield Skipped(source.id, str(error))
    else:
        sha256 = hashlib.sha256(content)
        sha256.update(identity.encode())
        document = made.document(source.id, sha256.hexdigest())
        yield document if made.text.strip() else Skipped(source.id, "no text in it")
