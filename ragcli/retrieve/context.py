"""From ranked hits to the text an answer is made of: no character twice, never over budget.

Hits overlap (neighbouring passages share some 40 tokens) and are often neighbours. Here they
become *parts*: exact, disjoint stretches of documents, ordered by the best rank they hold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ragcli.corpus.read.normal import PAGE
from ragcli.corpus.sentences import sentences
from ragcli.types import Hit

Count = Callable[[str], int]


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
class Context:
    """What an answerer may read. ``tokens`` is the sum over the parts' texts."""

    parts: tuple[Part, ...]
    tokens: int

    @property
    def documents(self) -> int:
        """How many documents the parts come from."""
        return len({part.doc for part in self.parts})


@dataclass(frozen=True, slots=True)
class _Span:
    """A part in the making, with its price in tokens and the best rank inside (0 is best)."""

    rank: int
    tokens: int
    doc: str
    title: str
    start: int
    end: int
    line_start: int
    line_end: int
    text: str
    page: int | None


def fit(hits: Sequence[Hit], budget_tokens: int, count: Count) -> Context:
    """Take hits best first while they fit; those of one document that touch become one part.

    A hit is taken whole or not at all (a shorter one further down may still fit), except the
    first: when it alone is over budget it is cut at a sentence end, so that a small budget
    still gives the best text there is. ``count`` gives the tokens of a text.
    """
    spans: list[_Span] = []
    spent = 0
    for rank, hit in enumerate(hits):
        span = _span(hit, rank, count)
        if rank == 0 and span.tokens > budget_tokens:
            span = _cut(span, budget_tokens, count)
        if not span.text:
            continue
        touching = [other for other in spans if _touch(span, other)]
        merged = _merge([span, *touching], count)
        total = spent - sum(other.tokens for other in touching) + merged.tokens
        if total <= budget_tokens:
            spans = [other for other in spans if other not in touching]
            spans.append(merged)
            spent = total
    spans.sort(key=lambda span: span.rank)
    return Context(tuple(_part(n, span) for n, span in enumerate(spans, start=1)), spent)


def line_at(part: Part, offset: int) -> int:
    """Return the line of the file on which the character at document ``offset`` stands.

    Counted by the newlines inside the part, and never past its last line: a JSON Lines record
    has all its text on one line of the file, whatever newlines the text holds.
    """
    newlines = part.text.count("\n", 0, offset - part.start)
    return min(part.line_start + newlines, part.line_end)


def page_at(part: Part, offset: int) -> int | None:
    """Return the page on which the character at document ``offset`` stands, if it has pages."""
    if part.page is None:
        return None
    return part.page + part.text.count(PAGE, 0, offset - part.start)


def shorten(text: str, budget_tokens: int, count: Count) -> str:
    """Return the longest run of whole sentences from the start of ``text`` within budget.

    When not even one sentence fits it ends after a word; "" when no word fits.
    """
    kept = _longest(text, [end for _, end in sentences(text)], budget_tokens, count)
    if kept:
        return kept
    words = [at for at, character in enumerate(text) if character.isspace()]
    return _longest(text, words, budget_tokens, count).rstrip()


def _span(hit: Hit, rank: int, count: Count) -> _Span:
    return _Span(
        rank=rank,
        tokens=count(hit.text),
        doc=hit.doc,
        title=hit.title,
        start=hit.start,
        end=hit.end,
        line_start=hit.line_start,
        line_end=hit.line_end,
        text=hit.text,
        page=hit.page,
    )


def _part(n: int, span: _Span) -> Part:
    return Part(
        n=n,
        doc=span.doc,
        title=span.title,
        start=span.start,
        end=span.end,
        line_start=span.line_start,
        line_end=span.line_end,
        text=span.text,
        page=span.page,
    )


def _touch(one: _Span, other: _Span) -> bool:
    """Tell whether two spans overlap or meet, so that their union is one exact stretch."""
    return one.doc == other.doc and one.start <= other.end and other.start <= one.end


def _merge(spans: list[_Span], count: Count) -> _Span:
    """Join spans that all touch the first into one; the text comes from the pieces."""
    if len(spans) == 1:
        return spans[0]
    in_order = sorted(spans, key=lambda span: (span.start, span.end))
    text, end = "", in_order[0].start
    for span in in_order:
        # What lies before `end` is already there; a span inside another adds nothing.
        text += span.text[end - span.start :]
        end = max(end, span.end)
    best = min(spans, key=lambda span: span.rank)
    return _Span(
        rank=best.rank,
        tokens=count(text),
        doc=best.doc,
        title=best.title,
        start=in_order[0].start,
        end=end,
        line_start=min(span.line_start for span in spans),
        line_end=max(span.line_end for span in spans),
        text=text,
        page=in_order[0].page,
    )


def _cut(span: _Span, budget_tokens: int, count: Count) -> _Span:
    """Shorten a span to what fits (see ``shorten``)."""
    text = shorten(span.text, budget_tokens, count)
    return replace(
        span,
        tokens=count(text),
        end=span.start + len(text),
        line_end=min(span.line_start + text.count("\n"), span.line_end),
        text=text,
    )


def _longest(text: str, ends: list[int], budget_tokens: int, count: Count) -> str:
    """Return the longest ``text[:end]`` of the rising ``ends`` within budget, "" if none is."""
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high + 1) // 2
        if count(text[: ends[middle - 1]]) <= budget_tokens:
            low = middle
        else:
            high = middle - 1
    return text[: ends[low - 1]] if low else ""
