"""What a question leads to: hits, citations, a reply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Via:
    """Why a hit is there: the strategy, its rank in that strategy's list (1-based), and words."""

    strategy: str
    rank: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """One retrieved stretch of text: ``text == document.text[start:end]``.

    ``score`` compares hits of one question only; ``rank`` is 1-based; ``page`` as in a Citation.
    """

    chunk: str
    doc: str
    title: str
    start: int
    end: int
    line_start: int
    line_end: int
    text: str
    score: float
    rank: int
    via: tuple[Via, ...] = ()
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Citation:
    """A quote true to the character: ``quote == document.text[start:end]``.

    ``page`` is where it begins, 1-based; None in a document without pages.
    """

    n: int
    doc: str
    path: str
    start: int
    end: int
    line_start: int
    line_end: int
    quote: str
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What an answerer gives: ``text`` carries ``[n]`` marks for ``citations``; abstained when "".

    ``note``: why it abstained, what was left out, names nothing was found about. Of ``written``
    sentences of a model that claim something, each counted once, its quotes bear ``kept`` out.
    """

    text: str
    citations: tuple[Citation, ...]
    by: Literal["extractive", "llm", "none"]
    abstained: bool = False
    note: str = ""
    written: int = 0
    kept: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """All that ``ask`` returns. ``facts``: what the graph added to the passages, in words."""

    question: str
    mode: str
    reply: Reply
    hits: tuple[Hit, ...]
    entities: tuple[str, ...]
    context_tokens: int
    timings_ms: dict[str, float]
    generation: int
    facts: tuple[str, ...] = ()
