"""Builds the context of an answer from ranked hits: no character twice, never over budget.

Hits overlap (neighbouring passages share about 40 tokens) and are often adjacent. This module
merges them into *parts*: exact, disjoint spans of documents, ordered by their best rank.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ragcli.corpus.normalised_text import PAGE
from ragcli.text.sentences import sentences
from ragcli.types import Context, Hit, Part
from ragcli.types.blocks import joined
from ragcli.types.places import line_in

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class _Span:
    """A part before it has its number: its cost in tokens and its best rank (from 0)."""

    rank: int
    tokens: int
    part: Part


def fit(hits: Sequence[Hit], budget_tokens: int, count: Count) -> Context:
    """Add hits, best first, while they fit; adjacent hits of one document become one part.

    A hit is added whole or not at all (a shorter hit of lower rank may still fit). The only
    exception is the first hit: if it exceeds the budget, it is cut at the end of a sentence, so
    that a small budget still gives the best text. ``count`` returns the tokens of a text.
    """
    spans: list[_Span] = []
    spent = 0
    for rank, hit in enumerate(hits):
        span = _span(hit, rank, count)
        if rank == 0 and span.tokens > budget_tokens:
            span = _cut(span, budget_tokens, count)
        if not span.part.text:
            continue
        touching = [other for other in spans if _touch(span, other)]
        merged = _merge([span, *touching], count)
        total = spent - sum(other.tokens for other in touching) + merged.tokens
        if total <= budget_tokens:
            spans = [other for other in spans if other not in touching]
            spans.append(merged)
            spent = total
    spans.sort(key=lambda span: span.rank)
    parts = (replace(span.part, n=n) for n, span in enumerate(spans, start=1))
    return Context(tuple(parts), spent)


def line_at(part: Part, offset: int) -> int:
    """Return the line in the file of the character at document ``offset``."""
    lines = part.line_start, part.line_end
    return line_in(part.text, part.start, lines, part.lines, offset)


def page_at(part: Part, offset: int) -> int | None:
    """Return the page of the character at document ``offset``, if the document has pages."""
    if part.page is None:
        return None
    return part.page + part.text.count(PAGE, 0, offset - part.start)


def shorten(text: str, budget_tokens: int, count: Count) -> str:
    """Return the longest run of whole sentences from the start of ``text`` within budget.

    If no sentence fits, it ends after a word; "" if no word fits.
    """
    kept = _longest(text, [end for _, end in sentences(text)], budget_tokens, count)
    if kept:
        return kept
    words = [at for at, character in enumerate(text) if character.isspace()]
    return _longest(text, words, budget_tokens, count).rstrip()


def _span(hit: Hit, rank: int, count: Count) -> _Span:
    return _Span(rank, count(hit.text), part_of(hit, 0))


def part_of(hit: Hit, n: int) -> Part:
    """A hit as the n-th part of a context."""
    place = hit.start, hit.end, hit.line_start, hit.line_end
    text = hit.text, hit.page, hit.headings
    return Part(
        n,
        hit.doc,
        hit.title,
        *place,
        *text,
        path=hit.path,
        lines=hit.lines,
        blocks=hit.blocks,
        above=hit.above,
    )


def _touch(one: _Span, other: _Span) -> bool:
    """Return whether two spans overlap or touch, so that their union is one span."""
    a, b = one.part, other.part
    return a.doc == b.doc and a.start <= b.end and b.start <= a.end


def _merge(spans: list[_Span], count: Count) -> _Span:
    """Join spans that all touch the first into one; the text comes from the pieces."""
    if len(spans) == 1:
        return spans[0]
    parts = sorted((span.part for span in spans), key=lambda part: (part.start, part.end))
    text, end = "", parts[0].start
    for part in parts:
        # Text before `end` is already included; a span inside another adds nothing.
        text += part.text[end - part.start :]
        end = max(end, part.end)
    lines = min(part.line_start for part in parts), max(part.line_end for part in parts)
    headings = tuple(sorted({heading for part in parts for heading in part.headings}))
    marks = tuple(sorted({mark for part in parts for mark in part.lines}))
    whole = replace(
        parts[0],
        end=end,
        line_start=lines[0],
        line_end=lines[1],
        text=text,
        headings=headings,
        lines=marks,
        blocks=joined(block for part in parts for block in part.blocks),
        above=tuple(sorted({above for part in parts for above in part.above})),
    )
    return _Span(min(span.rank for span in spans), count(text), whole)


def _cut(span: _Span, budget_tokens: int, count: Count) -> _Span:
    """Shorten a span to what fits (see ``shorten``)."""
    part = span.part
    text = shorten(part.text, budget_tokens, count)
    line_end = line_at(part, part.start + max(len(text) - 1, 0))
    cut = replace(part, end=part.start + len(text), line_end=line_end, text=text)
    return _Span(span.rank, count(text), cut)


def _longest(text: str, ends: list[int], budget_tokens: int, count: Count) -> str:
    """Return the longest ``text[:end]`` of the ascending ``ends`` within budget, or ""."""
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high + 1) // 2
        if count(text[: ends[middle - 1]]) <= budget_tokens:
            low = middle
        else:
            high = middle - 1
    return text[: ends[low - 1]] if low else ""
