"""The passages of a reply: the sentences that answer, in as much of the file as explains them.

A passage is what a page of search results would show: three to eight lines of one section, a list
or a block of code whole, with the line that announces it. What it is part of and is too far
above it, the head of a table or the word that is defined, is its ``head``.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ragcli.answer.candidates import heading_over
from ragcli.answer.laid import term_at
from ragcli.retrieve.context import line_at, page_at
from ragcli.text.lines import ADORNMENT, DEEPER, lines_of
from ragcli.text.markup import is_heading
from ragcli.text.sentences import sentences
from ragcli.text.spans import Span
from ragcli.text.words import plain
from ragcli.types import Citation, Part, PassageHead, ShownPassage
from ragcli.types.blocks import Block

FEWEST, MOST = 3, 8
"""Rows of a passage; more only where something is shown whole."""

LONGEST = 24
"""Rows of a list or a block of code that is shown whole."""

WIDTH = 80
"""Characters of a row: a longer line counts as several."""

PartAround = Callable[[str, str, int, int], Part]
"""(store, doc, start, end) -> the part of a document around ``[start:end]``."""


def passages(cited: Sequence[Citation], part_around: PartAround) -> tuple[ShownPassage, ...]:
    """The passages that show some quotes, those of near quotes as one, in the order given."""
    groups: list[tuple[list[Citation], ShownPassage]] = []
    for citation in cited:
        for at, (group, _) in enumerate(groups):
            if joined := _joined([*group, citation], part_around):
                groups[at] = [*group, citation], joined
                break
        else:
            around = part_around(citation.store, citation.doc, citation.start, citation.end)
            groups.append(([citation], _passage([citation], around)))
    return tuple(passage for _, passage in groups)


def _joined(cited: Sequence[Citation], part_around: PartAround) -> ShownPassage | None:
    """One passage for quotes of a document that are near each other; None for others."""
    if len({(one.doc, one.store) for one in cited}) > 1:
        return None
    start, end = min(one.start for one in cited), max(one.end for one in cited)
    if end - start > LONGEST * WIDTH:
        return None
    part = part_around(cited[0].store, cited[0].doc, start, end)
    if part.heading_at(start) != part.heading_at(end - 1):
        return None
    made = _passage(cited, part)
    whole = _rows(made.text) <= MOST + FEWEST
    return made if whole or made.end <= _passage(cited[:-1], part).end else None


def _passage(cited: Sequence[Citation], part: Part) -> ShownPassage:
    first = cited[0]
    extent = extent_of(part, min(one.start for one in cited), max(one.end for one in cited))
    return ShownPassage(
        n=first.n,
        doc=first.doc,
        path=first.path,
        start=extent.start,
        end=extent.end,
        line_start=line_at(part, extent.start),
        line_end=line_at(part, extent.end - 1),
        heading=first.heading or heading_over(part, extent.start),
        text=_text(part, extent.start, extent.end),
        highlights=tuple(sorted((one.start, one.end) for one in cited)),
        head=extent.head,
        page=page_at(part, extent.start),
        store=first.store,
        code=_code(part, extent),
    )


def _code(part: Part, extent: Extent) -> tuple[Span, ...]:
    return tuple(
        (max(block.start, extent.start), min(block.end, extent.end))
        for block in part.blocks
        if block.kind in ("code", "drawn") and block.overlaps(extent.start, extent.end)
    )


@dataclass(frozen=True, slots=True)
class Extent:
    """What is shown of a document: ``[start:end]``, and a line above it."""

    start: int
    end: int
    head: PassageHead | None = None


def extent_of(part: Part, start: int, end: int) -> Extent:
    """How much of a part is shown for ``[start:end]`` of its document."""
    found = _Layout(part)
    first, last = found.around(start - part.start, end - part.start)
    return Extent(part.start + first, part.start + last, found.head(first, last))


def _at(part: Part, start: int, path: str) -> bool:
    """Whether a heading is at ``start``: the first of a part may be before it."""
    if start > part.start:
        return True
    line = plain(part.text.lstrip().split("\n", 1)[0])
    return bool(line) and plain(path.rpartition(" > ")[2]) == line


def _text(part: Part, start: int, end: int) -> str:
    return part.text[start - part.start : end - part.start]


def _rows(text: str) -> int:
    return sum(-(-max(1, len(line)) // WIDTH) for line in text.split("\n") if line.strip())


_Kind = Literal["heading", "text", "list", "table", "code"]
_SHOWN: dict[str, _Kind] = {"list": "list", "table": "table", "code": "code", "drawn": "code"}


@dataclass(frozen=True, slots=True)
class _PassageBlock:
    """Lines ``first`` to ``last`` (inclusive) of a part that belong together: paragraphs and
    headings, too. ``block``: what they are of the document."""

    kind: _Kind
    first: int
    last: int
    block: Block | None = None


class _Layout:
    """The lines of a part, and which of them belong together."""

    def __init__(self, part: Part) -> None:
        self._part = part
        self._text = part.text
        self._lines = lines_of(part.text)
        self._blocks = sorted(self._laid(), key=lambda laid: laid.first)

    def _laid(self) -> Iterator[_PassageBlock]:
        free = [bool(line.bare) for line in self._lines]
        for block in self._part.blocks:
            kind = _SHOWN.get(block.kind)
            inside = self._inside(block) if kind else range(0)
            if kind and inside and free[inside[0]]:
                free[inside[0] : inside[-1] + 1] = [False] * len(inside)
                yield _PassageBlock(kind, inside[0], inside[-1], block)
        headings = self._headings()
        before: _PassageBlock | None = None
        for n, line in enumerate(self._lines):
            goes_on = before is not None and free[n] and before.last == n - 1
            underline = goes_on and ADORNMENT.match(line.bare)
            if before and goes_on and (underline or before.kind == "text") and n not in headings:
                before = replace(before, last=n)
            else:
                yield from [before] if before else []
                kind = "heading" if n in headings else "text"
                before = _PassageBlock(kind, n, n) if free[n] else None
        yield from [before] if before else []

    def _inside(self, block: Block) -> range:
        """The lines with words of a block that are in the part."""
        start, end = block.start - self._part.start, block.end - self._part.start
        starts = [line.start for line in self._lines]
        first = max(0, bisect_right(starts, start) - 1)
        last = bisect_left(starts, end) - 1
        while first <= last and not self._lines[first].bare:
            first += 1
        while last >= first and not self._lines[last].bare:
            last -= 1
        return range(first, last + 1)

    def _headings(self) -> set[int]:
        """The lines that headings begin in."""
        part = self._part
        starts = {at - part.start for at, path in part.headings if _at(part, at, path)}
        return {
            n
            for n, line in enumerate(self._lines)
            if line.start in starts
            or line.begin in starts
            or (line.text.startswith("#") and is_heading(line.text))
        }

    def around(self, start: int, end: int) -> Span:
        """The span to show for ``[start:end]``."""
        touched = [n for n, block in enumerate(self._blocks) if self._touches(block, start, end)]
        if not touched:
            return start, end
        low, high = touched[0], touched[-1]
        first = self._begin(low, start, end)
        last = self._end(high, start, end)
        last, high = self._announced(high, last, end)
        first = self._announcing(low, first)
        first = self._term(low, first, last)
        return self._filled(low, high, (first, last))

    def head(self, start: int, end: int) -> PassageHead | None:
        """The line above ``[start:end]`` that says what it is about, if it is cut from it."""
        laid = next((one for one in self._blocks if self._touches(one, start, end)), None)
        if laid is None or laid.kind == "heading":
            return None
        first = self._part.start + start
        above = laid.block.first("head" if laid.kind == "table" else "lead") if laid.block else None
        if above is None and laid.kind != "table":
            line = next(line for line in self._lines if line.end > start)
            above = self._label(term_at(self._part, self._part.start + line.begin))
        if above is None or above.end > first:
            return None
        text = self._part.words_of(above)
        return PassageHead(above.start, above.end, text) if text else None

    def _label(self, term: Block | None) -> Block | None:
        """The label of a term; of an item its first line."""
        if term is None or term.kind == "term" or term.start < self._part.start:
            return term and term.first("label")
        line = self._lines[self._line(term.start - self._part.start)]
        return Block("label", term.start, self._part.start + line.stop)

    def _touches(self, block: _PassageBlock, start: int, end: int) -> bool:
        return self._lines[block.first].start < end and start < self._lines[block.last].end

    def _span(self, block: _PassageBlock) -> Span:
        return self._lines[block.first].start, self._lines[block.last].end

    def _size(self, start: int, end: int) -> int:
        return _rows(self._text[start:end])

    def _whole(self, block: _PassageBlock, start: int, end: int) -> bool:
        """Whether a block that the quotes touch is shown whole."""
        rows = self._size(*self._span(block))
        if block.kind == "code":
            return rows <= LONGEST
        several = block.kind == "list" and self._items(block, start, end) > 1
        return rows <= (LONGEST if several else MOST)

    def _items(self, block: _PassageBlock, start: int, end: int) -> int:
        own = self._lines[block.first].indent
        lines = self._lines[block.first : block.last + 1]
        return sum(line.indent <= own and start < line.end and line.start < end for line in lines)

    def _begin(self, n: int, start: int, end: int) -> int:
        block = self._blocks[n]
        if self._whole(block, start, end):
            return self._lines[block.first].start
        return self._cut(block, start, end)[0]

    def _end(self, n: int, start: int, end: int) -> int:
        block = self._blocks[n]
        if not self._whole(block, start, end):
            return self._cut(block, start, end)[1]
        first, last = self._span(block)
        if block.kind != "text" or not self._opens(block):
            return last
        # Without what it announces a line says nothing, unless it answers itself.
        *inner, announcing = sentences(self._text[first:last])
        return max(end, first + inner[-1][1]) if inner and first + announcing[0] >= end else last

    def _cut(self, block: _PassageBlock, start: int, end: int) -> Span:
        """What is shown of a long block: sentences, rows or items around the quotes."""
        first, last = self._span(block)
        start, end = max(start, first), min(end, last)
        units = self._units(block)
        low = next(n for n, unit in enumerate(units) if unit[1] > start)
        high = max(n for n, unit in enumerate(units) if unit[0] < end)
        while True:
            near = [(low - 1, high), (low, high + 1)]
            if low > 0 and high + 1 < len(units) and start - units[low][0] > units[high][1] - end:
                near.reverse()
            for a, b in near:
                if a < 0 or b == len(units):
                    continue
                if self._size(units[a][0], units[b][1]) <= FEWEST + 2:
                    low, high = a, b
                    break
            else:
                return units[low][0], units[high][1]

    def _units(self, block: _PassageBlock) -> list[Span]:
        """What a long block may be cut into."""
        lines = self._lines[block.first : block.last + 1]
        if block.kind == "text":
            first, last = self._span(block)
            return [(first + a, first + b) for a, b in sentences(self._text[first:last])]
        if block.kind != "list":
            return [(line.start, line.end) for line in lines]
        own = lines[0].indent
        starts = [n for n, line in enumerate(lines) if line.text.strip() and line.indent <= own]
        ends = [*(n - 1 for n in starts[1:]), len(lines) - 1]
        return [(lines[a].start, lines[b].end) for a, b in zip(starts, ends, strict=True)]

    def _opens(self, block: _PassageBlock) -> bool:
        """Whether a paragraph announces what is below it."""
        return self._lines[block.last].text.rstrip().endswith((":", "："))

    def _before(self, block: _PassageBlock) -> _PassageBlock | None:
        """The block above, unless it is a heading."""
        at = self._blocks.index(block)
        found = self._blocks[at - 1] if at else None
        return None if found is None or found.kind == "heading" else found

    def _announced(self, n: int, last: int, end: int) -> tuple[int, int]:
        """The end of what a quote announces, and its block."""
        block = self._blocks[n]
        following = self._blocks[n + 1] if n + 1 < len(self._blocks) else None
        if following is None or following.kind == "heading" or block.kind == "code":
            return last, n
        first, told = self._span(block)
        announcing = first + sentences(self._text[first:told])[-1][0]
        if following.kind == "code":
            if self._size(end, told) > FEWEST:  # the quote is far above it
                return last, n
        elif not self._opens(block) or end <= announcing:
            return last, n
        first, whole = self._span(following)
        if self._size(first, whole) <= LONGEST:
            return whole, n + 1
        if following.kind == "code":
            return self._lines[following.first + LONGEST - 1].end, n + 1
        units = self._units(following)
        kept = [b for _, b in units if self._size(first, b) <= LONGEST]
        return (kept[-1], n + 1) if kept else (last, n)

    def _announcing(self, n: int, first: int) -> int:
        """The begin of the sentence that announces a list or a block of code."""
        block = self._blocks[n]
        before = self._before(block)
        if before is None or first > self._lines[block.first].start:
            return first
        if before.kind != "text" or not (block.kind == "code" or self._opens(before)):
            return first
        return self._last_sentence(before)[0]

    def _last_sentence(self, block: _PassageBlock) -> Span:
        first, last = self._span(block)
        if self._size(first, last) <= FEWEST:
            return first, last
        start, end = sentences(self._text[first:last])[-1]
        return first + start, first + end

    def _term(self, n: int, first: int, last: int) -> int:
        """The begin of the line that is defined, where it is near above its definition."""
        if self._blocks[n].kind not in ("text", "list"):
            return first
        line = next(line for line in self._lines if line.end > first)
        term = term_at(self._part, self._part.start + line.begin)
        start = term.start - self._part.start if term else -1
        if start < 0 or self._size(start, last) > MOST:
            return first
        return self._lines[self._line(start)].start

    def _line(self, at: int) -> int:
        """The number of the line that holds a character."""
        return next(n for n, line in enumerate(self._lines) if line.end >= at)

    def _filled(self, low: int, high: int, span: Span) -> Span:
        """The span with the blocks after or before it that bring it to FEWEST rows."""
        first, last = span
        while self._size(first, last) < FEWEST:
            if (end := self._next_end(high, first)) is not None:
                high, last = high + 1, end
            elif (start := self._previous_start(low, last)) is not None:
                low, first = low - 1, start
            else:
                break
        return first, last

    def _goes_on(self, n: int) -> bool:
        """Whether a block and the next are of one section; after a definition comes another."""
        one, other = self._blocks[n], self._blocks[n + 1]
        if "heading" in (one.kind, other.kind):
            return False
        return self._lines[one.last].indent < self._lines[other.first].indent + DEEPER

    def _next_end(self, n: int, first: int) -> int | None:
        if n + 1 == len(self._blocks) or not self._goes_on(n):
            return None
        following = self._blocks[n + 1]
        if following.kind == "text" and self._opens(following):  # what it announces is not shown
            return None
        end = self._span(following)[1]
        return end if self._size(first, end) <= MOST else None

    def _previous_start(self, n: int, last: int) -> int | None:
        if n == 0 or not self._goes_on(n - 1):
            return None
        start = self._span(self._blocks[n - 1])[0]
        return start if self._size(start, last) <= MOST else None
