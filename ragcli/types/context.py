"""The context of an answer: parts of documents, and facts from the graph."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ragcli.types.blocks import Block


@dataclass(frozen=True, slots=True)
class Part:
    """One span of a document in a context: ``text == document.text[start:end]``.

    ``n`` is its number in the context, from 1, best first. ``line_start`` and ``line_end`` are
    lines of the original file, 1-based and inclusive. ``page`` is the page on which the part
    begins, 1-based; None in a document without pages. ``headings`` are ``(offset, path)`` of the
    headings over it in ascending order: a path ("Guide > Roads") holds from its offset on.
    ``path`` opens the file (see ``Citation``). ``lines``, ``blocks`` and ``above``: as in hits.
    """

    n: int
    doc: str
    title: str
    start: int
    end: int
    line_start: int
    line_end: int
    text: str
    page: int | None = None
    headings: tuple[tuple[int, str], ...] = ()
    path: str = ""
    lines: tuple[tuple[int, int], ...] = ()
    blocks: tuple[Block, ...] = field(default=(), compare=False)
    above: tuple[tuple[int, str], ...] = field(default=(), compare=False)

    def heading_at(self, offset: int) -> str:
        """Return the path of the headings over the character at document ``offset``, or ""."""
        above = [path for start, path in self.headings if start <= offset]
        return above[-1] if above else ""

    def words_of(self, block: Block) -> str:
        """The text of a block that is in the part or says what one of it is about; else ""."""
        if self.start <= block.start and block.end <= self.end:
            return self.text[block.start - self.start : block.end - self.start]
        return next((text for at, text in self.above if at == block.start), "")


@dataclass(frozen=True, slots=True)
class Fact:
    """A description from the graph of one entity or of a pair. It does not quote a document.

    ``level`` is 0 for entities of the documents, and higher for aggregates and summaries.
    ``row`` is the row of an entity in the store; None when the fact is not about one of those.
    """

    kind: Literal["entity", "relation"]
    level: int
    name: str
    text: str
    row: int | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """Everything that an answerer may read. ``tokens`` is the sum over all its texts.

    ``entities`` and ``relations`` are lines of background from the graph (LightRAG's modes). They
    guide an answer and cannot be cited. ``behind`` holds the sentences that support the facts.
    They lie outside the parts, are numbered after them, and can be cited; their tokens count as
    tokens of the facts.
    """

    parts: tuple[Part, ...]
    tokens: int
    entities: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    behind: tuple[Part, ...] = ()

    @property
    def documents(self) -> int:
        """The number of documents that the parts come from."""
        return len({part.doc for part in self.parts})
