"""What a reply shows, and in which order: the same for all formats.

The short answer with its place; passages, each below its place; further places. A reply without
passages (one that a model wrote, a summary) is its text, then its sources with their quotes. The
formats say how a row looks (``cli/answer_text.py``, ``serve/brief.py``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ragcli.text.markup import restyled, without_bullet
from ragcli.text.readable import readable
from ragcli.text.shown_lines import shown_lines, shown_words
from ragcli.text.words import one_line
from ragcli.types import Citation, Located, Reply, ShortAnswer, ShownPassage

Look = Literal["", "answer", "dim", "place"]
Kind = Literal["short", "text", "source", "line", "code", "also", "gap"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a row. ``look`` "place": where ``found`` stands, which ``text`` is empty for."""

    text: str
    look: Look = ""
    found: Located | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a reply. A "line" or "code" belongs to the "source" above it, a "gap" is empty."""

    kind: Kind
    pieces: tuple[Piece, ...]


def laid_out(reply: Reply) -> Iterator[Row]:
    """The rows of a reply; its note is not among them."""
    for n, block in enumerate(_blocks(reply)):
        if n:
            yield Row("gap", ())
        yield from block


def _blocks(reply: Reply) -> Iterator[list[Row]]:
    if reply.short:
        yield [_short(reply.short, reply.citations)]
    if not reply.passages and reply.text:
        yield [Row("text", (Piece(one_line(readable(reply.text))),))]
    for passage in reply.passages:
        yield list(_shown(passage))
    if reply.citations and not reply.passages:
        yield list(_sources(reply))
    if reply.also:
        yield [_also(reply.also)]


def _sources(reply: Reply) -> Iterator[Row]:
    """The sources of a text, with what it does not quote itself."""
    for citation in reply.citations:
        yield source(citation)
        if restyled(one_line(citation.quote)) not in one_line(reply.text):
            yield from quote(citation.quote)


def source(found: Citation | ShownPassage) -> Row:
    """Where something stands: its number, place, store and heading."""
    store = f" in {found.store}" if found.store else ""
    above = f"  {shown_words(found.heading)}" if found.heading else ""
    return Row("source", (Piece(f"[{found.n}] "), _place(found), Piece(f"{store}{above}", "dim")))


def quote(text: str) -> Iterator[Row]:
    """The lines of a quote."""
    for line in shown_lines(text):
        yield Row("code" if line.code else "line", (Piece(line.text),))


def _short(short: ShortAnswer, citations: Sequence[Citation]) -> Row:
    words = restyled(without_bullet(shown_words(readable(short.text)) or one_line(short.text)))
    cited = next(one for one in citations if one.n == short.n)
    sure = Piece(f", confidence {short.confidence:.0%})", "dim")
    return Row("short", (Piece(words, "answer"), Piece("  (", "dim"), _place(cited), sure))


def _shown(passage: ShownPassage) -> Iterator[Row]:
    yield source(passage)
    if passage.head:
        yield Row("line", (Piece(f"{shown_words(passage.head.text)} …", "dim"),))
    marked = [(a - passage.start, b - passage.start) for a, b in passage.highlights]
    code = [(a - passage.start, b - passage.start) for a, b in passage.code]
    for line in shown_lines(passage.text, marked, code):
        pieces = tuple(Piece(words, "answer" if inside else "") for words, inside in line.runs)
        yield Row("code" if line.code else "line", pieces)


def _also(found: tuple[Citation, ...]) -> Row:
    pieces = [Piece("also: ", "dim")]
    for n, citation in enumerate(found):
        heading = shown_words(citation.heading.rpartition(" > ")[2])
        store = f" in {citation.store}" if citation.store else ""
        pieces += [Piece(", ")] if n else []
        pieces += [_place(citation), Piece(f"{store} ({heading})" if heading else store, "dim")]
    return Row("also", tuple(pieces))


def _place(found: Located) -> Piece:
    return Piece("", "place", found)
