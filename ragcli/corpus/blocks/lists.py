"""Lists in a text: items, their terms, and the lists inside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ragcli.text.lines import TextLine
from ragcli.text.list_terms import term_of_item
from ragcli.text.markup import is_list_item
from ragcli.types.blocks import Block


@dataclass(slots=True)
class _OpenItem:
    """An item that the next line may go on with."""

    line: TextLine
    end: int
    inner: list[Block] = field(default_factory=list)

    def block(self) -> Block:
        term = term_of_item(self.line.bare)
        begin = self.line.begin
        label = [Block("label", begin + term[0], begin + term[1])] if term else []
        inner = tuple(_lists(self.inner))
        return Block("item", begin, self.end, (*label, *inner))


def lists_in(lines: Iterable[tuple[TextLine, bool, bool]]) -> Iterator[Block]:
    """The lists in a text, given as its lines, each with whether it ends all lists above it, and
    whether it is one of a table or of code.

    An item holds what is indented below it, and lines that go on without an empty line between.

    >>> from ragcli.text.lines import lines_of
    >>> text = "- one\\n  - inner\\n- two\\n  goes on\\n\\nNo item."
    >>> found = lists_in((line, False, False) for line in lines_of(text))
    >>> [[text[item.start : item.end] for item in one.parts] for one in found]
    [['- one\\n  - inner', '- two\\n  goes on']]
    """
    walk = _ListWalk()
    for line, ends, taken in lines:
        yield from walk.take(line, ends, taken)
    yield from walk.close()


class _ListWalk:
    """The items around the current line, outermost first."""

    def __init__(self) -> None:
        self._open: list[_OpenItem] = []
        self._ended: list[Block] = []
        self._gap = False

    def take(self, line: TextLine, ends: bool, taken: bool) -> Iterator[Block]:
        """Take in the next line; yield the lists that it ends."""
        if not line.bare:
            self._gap = True
            return
        item = not ends and not taken and is_list_item(line.bare)
        if ends or item or taken or self._gap:
            self._pop(-1 if ends else line.indent)
        self._gap = False
        if self._ended and not (item and not self._open):
            yield from self._lists_done()
        for one in self._open:
            one.end = line.stop
        if item:
            self._open.append(_OpenItem(line, line.stop))

    def close(self) -> Iterator[Block]:
        """End all lists."""
        self._pop(-1)
        yield from self._lists_done()

    def _pop(self, indent: int) -> None:
        """End the items that a line with this indent is not inside of."""
        while self._open and indent <= self._open[-1].line.indent:
            done = self._open.pop().block()
            (self._open[-1].inner if self._open else self._ended).append(done)

    def _lists_done(self) -> Iterator[Block]:
        if not self._open:
            yield from _lists(self._ended)
            self._ended = []


def _lists(items: Sequence[Block]) -> Iterator[Block]:
    if items:
        yield Block("list", items[0].start, items[-1].end, tuple(items))
