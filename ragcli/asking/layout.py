"""What a reply shows, and in which order: the same for all formats.

The short answer with its place; passages, each below its place; further places. A reply without
passages (one that a model wrote) is its text, then its sources with their quotes. A map is what
there is, then its parts. The formats say how a row looks (``cli/answer_text.py``,
``serve/brief.py``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ragcli.asking.maps import head
from ragcli.text.markup import is_list_item, restyled, without_bullet
from ragcli.text.readable import readable
from ragcli.text.shown_lines import ShownLine, shown_lines, shown_words
from ragcli.text.words import one_line
from ragcli.types import (
    Citation,
    Located,
    MapPart,
    Reply,
    ScanPlace,
    ShortAnswer,
    ShownPassage,
    WholeMap,
)

MOST_ITEMS = 20
"""Items of a list that are shown."""

Look = Literal["", "answer", "dim", "place"]
Kind = Literal["short", "text", "source", "line", "code", "also", "gap"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a row. ``look`` "place": where ``found`` is, which ``text`` is empty for."""

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
    for found in reply.maps:
        yield from mapped(found, reply.citations)
    if reply.maps:
        return
    if not reply.passages and reply.text:
        yield [Row("text", (Piece(one_line(readable(reply.text))),))]
    scans = {one.n: one.scan for one in reply.citations}
    for passage in reply.passages:
        yield list(_shown(passage, scans.get(passage.n)))
    if reply.citations and not reply.passages:
        yield list(_sources(reply))
    if reply.also:
        yield [_also(reply.also)]


def mapped(found: WholeMap, cited: Sequence[Citation]) -> Iterator[list[Row]]:
    """The rows of a map: what there is, then its parts."""
    by_number = {one.n: one for one in cited}
    store = f" in {found.store}" if found.store else ""
    rows = [Row("text", (Piece(head(found), "answer"), Piece(store, "dim")))]
    rows += _named("described", found.about and (found.about,))
    rows += _told(by_number.get(found.n))
    rows += _named("people", found.people)
    rows += _named("places", found.places)
    rows += _named("terms", found.terms)
    rows += _values("dates", found.dates)
    rows += _values("figures", found.figures)
    yield rows
    for part in found.parts:
        yield [*_part(part, by_number.get(part.n))]
    if found.more:
        yield [Row("text", (Piece(f"and {found.more:,} more", "dim"),))]


def _part(part: MapPart, said: Citation | None) -> Iterator[Row]:
    several = part.documents > 1
    count = f"  {part.documents:,} documents" if several else ""
    if part.name:
        yield Row("text", (Piece(shown_words(part.name), "answer"), Piece(count, "dim")))
    yield from _named("described", part.about and (part.about,))
    if said and shown_words(one_line(said.quote)) == shown_words(part.name):  # its heading
        yield Row("line", (_place(said),))
    else:
        yield from _told(said)
    left = part.documents - len(part.titles)
    more = (f"and {left:,} more",) if several and left else ()
    own = part.titles if several else tuple(one for one in part.titles if one not in part.name)
    yield from _named("", (*map(shown_words, own), *more), "; ")
    yield from _named("terms", part.terms)


def _told(said: Citation | None) -> Iterator[Row]:
    """A sentence with its place."""
    if said:
        words = restyled(without_bullet(shown_words(one_line(said.quote))))
        yield Row("line", (Piece(f"{words}  "), Piece(f"[{said.n}] ", "dim"), _place(said)))


def _named(what: str, names: Sequence[str], joint: str = ", ") -> Iterator[Row]:
    if names:
        yield Row("line", (Piece(f"{what}: " if what else "", "dim"), Piece(joint.join(names))))


def _values(what: str, cited: Sequence[Citation]) -> Iterator[Row]:
    """Dates or figures, each with its line."""
    if cited:
        pieces = [Piece(f"{what}: ", "dim")]
        for n, one in enumerate(cited):
            pieces += [Piece(", " if n else ""), Piece(one_line(one.quote))]
            pieces.append(Piece(f" (line {one.line_start})", "dim"))
        yield Row("line", tuple(pieces))


def _sources(reply: Reply) -> Iterator[Row]:
    """The sources of a text, with what it does not quote itself."""
    for citation in reply.citations:
        yield source(citation, citation.scan)
        if restyled(one_line(citation.quote)) not in one_line(reply.text):
            yield from quote(citation.quote)


def source(found: Citation | ShownPassage, scan: ScanPlace | None = None) -> Row:
    """Where something is: its number, place, store and heading; and that it was a picture."""
    store = f" in {found.store}" if found.store else ""
    above = f"  {shown_words(found.heading)}" if found.heading else ""
    seen = f"  (read from a picture, confidence {int(scan.confidence * 100)}%)" if scan else ""
    more = Piece(f"{store}{above}{seen}", "dim")
    return Row("source", (Piece(f"[{found.n}] "), _place(found), more))


def quote(text: str) -> Iterator[Row]:
    """The lines of a quote."""
    for line in shown_lines(text):
        yield Row("code" if line.code else "line", (Piece(line.text),))


def _short(short: ShortAnswer, citations: Sequence[Citation]) -> Row:
    words = restyled(without_bullet(shown_words(readable(short.text)) or one_line(short.text)))
    cited = next(one for one in citations if one.n == short.n)
    sure = Piece(f", confidence {short.confidence:.0%})", "dim")
    return Row("short", (Piece(words, "answer"), Piece("  (", "dim"), _place(cited), sure))


def _shown(passage: ShownPassage, scan: ScanPlace | None) -> Iterator[Row]:
    yield source(passage, scan)
    if passage.head:
        yield Row("line", (Piece(f"{shown_words(passage.head.text)} …", "dim"),))
    marked = [(a - passage.start, b - passage.start) for a, b in passage.highlights]
    code = [(a - passage.start, b - passage.start) for a, b in passage.code]
    lines = shown_lines(passage.text, marked, code)
    kept, left = _cut(lines)
    for line in kept:
        pieces = tuple(Piece(words, "answer" if inside else "") for words, inside in line.runs)
        yield Row("code" if line.code else "line", pieces)
    if left:
        yield Row("line", (Piece(f"and {left:,} more: ", "dim"), _place(passage)))
    elif passage.goes_on:
        yield Row("code" if lines[-1].code else "line", (Piece("…", "dim"),))


def _cut(lines: Sequence[ShownLine]) -> tuple[Sequence[ShownLine], int]:
    """The lines of at most MOST_ITEMS items of a list, and the number of items that are left."""
    texts = [line.text for line in lines if not line.code]
    level = min((_indent(text) for text in texts if is_list_item(text.strip())), default=0)
    items = [
        n
        for n, line in enumerate(lines)
        if not line.code and is_list_item(line.text.strip()) and _indent(line.text) == level
    ]
    if len(items) <= MOST_ITEMS:
        return lines, 0
    return lines[: items[MOST_ITEMS]], len(items) - MOST_ITEMS


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


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
