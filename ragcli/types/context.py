"""What an answer may be made of: parts of documents, and facts of the graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Part:
    """One stretch of a document: ``text == document.text[start:end]``.

    ``n`` is its number in the context, from 1, best first. ``line_start`` and ``line_end`` are
    lines of the original file, 1-based and inclusive; ``page`` is where it begins, if anywhere.
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


@dataclass(frozen=True, slots=True)
class Fact:
    """What the graph says of an entity, or of two: knowledge that is no quotation of a document.

    ``level`` is 0 for entities of the documents, higher for aggregated ones and for summaries;
    ``row``: an entity's in its table, None for what is no entity of the store.
    """

    kind: Literal["entity", "relation"]
    level: int
    name: str
    text: str
    row: int | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """What an answerer may read. ``tokens`` is the sum over all texts in it.

    ``entities`` and ``relations`` are lines of what is known besides (LightRAG's modes); they
    guide an answer, and cannot be cited. ``behind`` are the sentences that facts were taken from,
    numbered after the parts and outside of them: these can be. Their tokens are the facts'.
    """

    parts: tuple[Part, ...]
    tokens: int
    entities: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    behind: tuple[Part, ...] = ()

    @property
    def documents(self) -> int:
        """How many documents the parts come from."""
        return len({part.doc for part in self.parts})
