"""The passages of a reply: the sentences that answer, in as much of the file as explains them.

A passage is what a page of search results would show: three to eight lines of one section, a list
or a block of code whole, with the line that announces it. What it is part of and stands too far
above it, the head of a table or the word that is defined, is its ``head``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ragcli.answer.candidates import heading_over
from ragcli.retrieve.context import line_at, page_at
from ragcli.text.blocks import DEEPER, Block, blocks_of, lines_of
from ragcli.text.sentences import sentences
from ragcli.text.spans import Span
from ragcli.text.words import plain
from ragcli.types import Citation, Part, PassageHead, ShownPassage

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
    """One passage for quotes of a document that stand near each other; None for others."""
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
    )


@dataclass(frozen=True, slots=True)
class Extent:
    """What is shown of a document: ``[start:end]``, and a line above it."""

    start: int
    end: int
    head: PassageHead | None = None


def extent_of(part: Part, start: int, end: int) -> Extent:
    """How much of a part is shown for ``[start:end]`` of its document."""
    found = _Layout(
        part.text, [at - part.start for at, path in part.headings if _at(part, at, path)]
    )
    first, last = found.around(start - part.start, end - part.start)
    head = found.head(first, last)
    placed = None
    if head is not None:
        above = part.start + head[0], part.start + head[1]
        placed = PassageHead(*above, _text(part, *above))
    return Extent(part.start + first, part.start + last, placed)


def _at(part: Part, start: int, path: str) -> bool:
    """Whether a heading stands at ``start``: the first of a part may stand before it."""
    if start > part.start:
        return True
    line = plain(part.text.lstrip().split("\n", 1)[0])
    return bool(line) and plain(path.rpartition(" > ")[2]) == line


def _text(part: Part, start: int, end: int) -> str:
    return part.text[start - part.start : end - part.start]


def _rows(text: str) -> int:
    return sum(-(-max(1, len(line)) // WIDTH) for line in text.split("\n") if line.strip())


class _Layout:
    """The lines and blocks of a text."""

    def __init__(self, text: str, headings: Sequence[int]) -> None:
        self._text = text
        self._lines = lines_of(text)
        self._blocks = blocks_of(self._lines, headings)

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

    def head(self, start: int, end: int) -> Span | None:
        """The line above ``[start:end]`` that says what it is about, if it is cut from it."""
        block = next((b for b in self._blocks if self._touches(b, start, end)), None)
        if block is None:
            return None
        top = self._lines[block.first]
        if block.kind == "table":
            return (top.start, top.end) if top.end < start else None
        if block.kind == "list" and self._lines[block.first].end < start:
            before = self._before(block)
            if before is not None and self._opens(before):
                return self._last_sentence(before)[0], self._lines[before.last].end
        line = next(n for n, line in enumerate(self._lines) if line.end > start)
        term = self._shallower(line)
        if term is None or block.kind == "heading":
            return None
        found = self._lines[term]
        return found.start + found.indent, found.start + len(found.text.rstrip())

    def _touches(self, block: Block, start: int, end: int) -> bool:
        return self._lines[block.first].start < end and start < self._lines[block.last].end

    def _span(self, block: Block) -> Span:
        return self._lines[block.first].start, self._lines[block.last].end

    def _size(self, start: int, end: int) -> int:
        return _rows(self._text[start:end])

    def _whole(self, block: Block, start: int, end: int) -> bool:
        """Whether a block that the quotes touch is shown whole."""
        rows = self._size(*self._span(block))
        if block.kind == "code":
            return rows <= LONGEST
        several = block.kind == "list" and self._items(block, start, end) > 1
        return rows <= (LONGEST if several else MOST)

    def _items(self, block: Block, start: int, end: int) -> int:
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

    def _cut(self, block: Block, start: int, end: int) -> Span:
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

    def _units(self, block: Block) -> list[Span]:
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

    def _opens(self, block: Block) -> bool:
        """Whether a paragraph announces what stands below it."""
        return self._lines[block.last].text.rstrip().endswith((":", "："))

    def _before(self, block: Block) -> Block | None:
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
            if self._size(end, told) > FEWEST:  # the quote stands far above it
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

    def _last_sentence(self, block: Block) -> Span:
        first, last = self._span(block)
        if self._size(first, last) <= FEWEST:
            return first, last
        start, end = sentences(self._text[first:last])[-1]
        return first + start, first + end

    def _term(self, n: int, first: int, last: int) -> int:
        """The begin of the line that is defined, where it is near above its definition."""
        block = self._blocks[n]
        line = next(at for at, line in enumerate(self._lines) if line.end > first)
        term = self._shallower(line) if block.kind in ("text", "list") else None
        if term is None or self._size(self._lines[term].start, last) > MOST:
            return first
        return self._lines[term].start

    def _shallower(self, at: int) -> int | None:
        """The nearest line above, in the same section, that is less indented; None without one."""
        own = self._lines[at].indent
        headings = {
            n
            for block in self._blocks
            if block.kind == "heading"
            for n in range(block.first, block.last + 1)
        }
        for n in range(at - 1, -1, -1):
            line = self._lines[n]
            if n in headings:
                return None
            if line.text.strip() and line.indent + DEEPER <= own:
                return n
        return None

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
