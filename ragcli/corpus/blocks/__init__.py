"""Finds the blocks of a document: tables, code, lists, terms with their text, labelled values.

In: a ``ParsedDocument``, with the blocks that its reader knows. Out: ``Block`` records in order.
Blocks are found once, when the document is read, and stored. Nothing that answers a question looks
for them in a text. They are pure functions of the text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from ragcli.corpus.blocks.code import COLONS, code_in
from ragcli.corpus.blocks.labelled import fields_in, rows_in
from ragcli.corpus.blocks.lists import lists_in
from ragcli.corpus.blocks.tables import tables_in
from ragcli.text.lines import DEEPER, TextLine, lines_of
from ragcli.text.markup import is_heading, is_list_item
from ragcli.text.sentences import sentences
from ragcli.types import ParsedDocument
from ragcli.types.blocks import Block, joined, tree

_MOST_LEAD_CHARS = 400
"""Characters of the longest sentence that announces something."""


def blocks_of(document: ParsedDocument) -> tuple[Block, ...]:
    """The blocks of a document in order; of those that begin at one place, the longest first.

    >>> text = "Run this:\\n\\n    make it\\n\\nThen:\\n- wait\\n  long\\n- go on"
    >>> found = blocks_of(ParsedDocument("a.txt", "", "", text))
    >>> [(block.kind, [part.kind for part in block.parts]) for block in found]
    [('code', ['lead']), ('list', ['lead', 'item', 'item'])]
    """
    starts = {at for at, _, title in document.headings if title}
    return joined(_TextBlocks(document.text, starts, tree(document.blocks)))


class _TextBlocks:
    """Walks over the lines of a text; each line belongs to one table or block of code, or to
    neither, and then lists, terms and fields may hold it."""

    def __init__(self, text: str, headings: Collection[int], known: Sequence[Block]) -> None:
        self._text = text
        self._lines = lines_of(text)
        self._taken = [False] * len(self._lines)
        self._heads = [_is_headed(line, headings) for line in self._lines]
        self._known = known

    def __iter__(self) -> Iterator[Block]:
        yield from self._from_reader()
        yield from self._code()
        yield from self._tables()
        free = [line for line, taken in zip(self._lines, self._taken, strict=True) if not taken]
        yield from rows_in(free)
        yield from fields_in(free)
        yield from self._lists()
        yield from self._terms()

    def _from_reader(self) -> Iterator[Block]:
        """The blocks that the document's reader knows: their lines are no others."""
        n = 0
        for block in self._known:
            while self._lines[n].end <= block.start:
                n += 1
            lead = self._lead(n, announced=True)
            while n < len(self._lines) and self._lines[n].start < block.end:
                self._taken[n] = True
                n += 1
            yield replace(block, parts=(*lead, *block.parts))

    def _code(self) -> Iterator[Block]:
        for code in code_in(self._lines):
            if any(self._taken[code.first : code.last + 1]):
                continue
            start, end = self._lines[code.first].start, self._lines[code.last].end
            yield Block("drawn" if code.drawn else "code", start, end, self._lead(code.first))
            if not code.drawn:  # the table in it is found as others are
                self._taken[code.first : code.last + 1] = [True] * (code.last + 1 - code.first)

    def _tables(self) -> Iterator[Block]:
        for found in tables_in(self._lines, self._taken):
            self._taken[found.first : found.last + 1] = [True] * (found.last + 1 - found.first)
            table = found.table
            lead = self._lead(found.first, announced=True)
            yield Block("table", table.start, table.end, (*lead, *table.parts))

    def _lists(self) -> Iterator[Block]:
        first = {line.begin: n for n, line in enumerate(self._lines)}
        for one in lists_in(zip(self._lines, self._heads, self._taken, strict=True)):
            lead = self._lead(first[one.start], announced=True)
            yield Block("list", one.start, one.end, (*lead, *one.parts))

    def _lead(self, n: int, announced: bool = False) -> tuple[Block, ...]:
        """The sentence above a line, in the paragraph next to it; with ``announced`` only one that
        ends with a colon."""
        last = n - 1
        while last >= 0 and not self._lines[last].bare:
            last -= 1
        first = last
        while first > 0 and self._is_text(first - 1) and last - first < 8:
            first -= 1
        if last < 0 or not self._is_text(last):
            return ()
        begin, end = self._lines[first].begin, self._lines[last].stop
        start, stop = sentences(self._text[begin:end])[-1]
        fits = stop - start <= _MOST_LEAD_CHARS
        ends = self._text[begin + start : begin + stop].endswith(COLONS)
        return (Block("lead", begin + start, begin + stop),) if fits and ends >= announced else ()

    def _is_text(self, n: int) -> bool:
        return bool(self._lines[n].bare) and not self._taken[n] and not self._heads[n]

    def _terms(self) -> Iterator[Block]:
        """Lines with deeper lines below them; those of items of lists are none."""
        above: list[tuple[TextLine, int]] = []
        for n, line in enumerate(self._lines):
            if not line.bare:
                continue
            least = -DEEPER if self._heads[n] else line.indent
            while above and least < above[-1][0].indent + DEEPER:
                yield from _term(*above.pop())
            above = [(term, line.stop) for term, _ in above]
            if self._is_text(n) and not is_list_item(line.bare):
                above.append((line, line.stop))
        for term, end in above:
            yield from _term(term, end)


def _term(line: TextLine, end: int) -> Iterator[Block]:
    """The term of a line, if there is something below it."""
    if end > line.stop:
        yield Block("term", line.begin, end, (Block("label", line.begin, line.stop),))


def _is_headed(line: TextLine, headings: Collection[int]) -> bool:
    marked = line.text.startswith("#") and is_heading(line.text)
    return marked or line.start in headings or line.begin in headings
