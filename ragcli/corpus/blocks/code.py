"""The places of code in a text: between fences, or indented below what announces it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragcli.text.lines import TextLine
from ragcli.text.markup import is_list_item, without_bullet

_FENCE = re.compile(r"[ \t]*(?P<mark>```|~~~)[`~]*(?P<info>[^\n]*)")
_DIRECTIVE = re.compile(r"[ \t]*\.\. (?:code|code-block|sourcecode|prompt|parsed-literal)::")
_RULE = re.compile(r"[ \t]*+[|+]?-{3}[-+|: ]*+\Z")
COLONS = (":", "：")


@dataclass(frozen=True, slots=True)
class CodeLines:
    """Lines ``first`` to ``last`` of code, fences included; ``drawn``: they draw a table."""

    first: int
    last: int
    drawn: bool


def code_in(lines: Sequence[TextLine]) -> Iterator[CodeLines]:
    r"""The blocks of code in Markdown and reStructuredText, in order.

    >>> from ragcli.text.lines import lines_of
    >>> text = "Run this:\n\n    make\n\nThat is all.\n```sh\n# comment\n```\n"
    >>> [(code.first, code.last) for code in code_in(lines_of(text))]
    [(2, 2), (5, 7)]
    """
    walk = _CodeWalk(lines)
    for n in range(len(lines)):
        yield from walk.take(n)
    yield from walk.close(len(lines) - 1)


class _CodeWalk:
    """The block of code that the current line may belong to."""

    def __init__(self, lines: Sequence[TextLine]) -> None:
        self._lines = lines
        self._begin = -1
        """The first line of the open block, -1 outside of blocks."""
        self._fence = ""
        self._least = -1
        """The indentation that what is announced must exceed, -1 where nothing is announced."""
        self._blank = False
        self._drawn = False

    def take(self, n: int) -> Iterator[CodeLines]:
        """Take in the next line; yield the block that it ends."""
        line = self._lines[n]
        fence = _FENCE.match(line.text)
        self._drawn |= _RULE.match(line.bare) is not None
        if self._fence:
            if fence and fence["mark"] == self._fence and not fence["info"].strip():
                yield from self.close(n)
        elif fence:
            yield from self.close(n - 1)
            self._open(n, fence["mark"])
        elif not line.bare:
            self._blank = True
        else:
            yield from self._indented(n, line)

    def _indented(self, n: int, line: TextLine) -> Iterator[CodeLines]:
        """Take in a line outside of fences."""
        deeper = 0 <= self._least < line.indent
        if self._begin >= 0 and deeper:
            return
        yield from self.close(n - 1)
        if deeper and self._blank and not is_list_item(line.bare):
            self._open(n, "")
            return
        self._blank = False
        announces = line.bare.endswith(COLONS) or _DIRECTIVE.match(line.text)
        own = line.indent + len(line.bare) - len(without_bullet(line.bare))
        self._least = own if announces else -1

    def _open(self, n: int, fence: str) -> None:
        self._begin, self._fence, self._drawn = n, fence, False

    def close(self, last: int) -> Iterator[CodeLines]:
        """End the open block, if any, with the last line that has words."""
        if self._begin >= 0:
            while not self._lines[last].bare:
                last -= 1
            yield CodeLines(self._begin, last, self._drawn)
            self._begin, self._fence, self._least = -1, "", -1
