"""Where code stands in a text: between fences, or indented below what announces it."""

from __future__ import annotations

import re
from functools import lru_cache

from ragcli.text.markup import is_list_item, without_bullet
from ragcli.text.spans import Span

_FENCE = re.compile(r"[ \t]*(?P<mark>```|~~~)[`~]*(?P<info>[^\n]*)")
_DIRECTIVE = re.compile(r"[ \t]*\.\. (?:code|code-block|sourcecode|prompt|parsed-literal)::")
_RULE = re.compile(r"[ \t]*+[|+]?-{3}[-+|: ]*+\Z")
_COLONS = (":", "：")


@lru_cache(maxsize=64)  # a passage is asked for its sentences many times
def code_blocks(text: str) -> tuple[Span, ...]:
    r"""The spans of the blocks of code in Markdown and reStructuredText, fences included.

    A block of output that draws a table is none: its first row is the head of the others.

    >>> text = "Run this:\n\n    make\n\nThat is all.\n```sh\n# comment\n```\n"
    >>> [text[a:b] for a, b in code_blocks(text)]
    ['    make\n\n', '```sh\n# comment\n```\n']
    """
    blocks = _Blocks()
    for line in text.splitlines(keepends=True):
        blocks.take(line)
    blocks.end()
    return tuple(blocks.found)


class _Blocks:
    """The blocks found so far, and the one that the current line may belong to."""

    def __init__(self) -> None:
        self.found: list[Span] = []
        self._at = 0
        self._begin = -1
        """Where the open block begins, -1 outside of blocks."""
        self._fence = ""
        self._least = -1
        """The indentation that what is announced must exceed, -1 where nothing is announced."""
        self._blank = False
        self._drawn = False

    def take(self, line: str) -> None:
        """Take in the next line."""
        self._take(line)
        self._at += len(line)

    def _take(self, line: str) -> None:
        bare = line.strip()
        fence = _FENCE.match(line)
        self._drawn |= _RULE.match(bare) is not None
        if self._fence:
            if fence and fence["mark"] == self._fence and not fence["info"].strip():
                self._close(self._at + len(line))
        elif fence:
            self._close(self._at)
            self._open(fence["mark"])
        elif not bare:
            self._blank = True
        else:
            self._indented(line, bare)

    def _indented(self, line: str, bare: str) -> None:
        """Take in a line outside of fences."""
        indent = len(line) - len(line.lstrip())
        deeper = 0 <= self._least < indent
        if self._begin >= 0 and deeper:
            return
        self._close(self._at)
        if deeper and self._blank and not is_list_item(bare):
            self._open("")
            return
        self._blank = False
        announces = bare.endswith(_COLONS) or _DIRECTIVE.match(line)
        self._least = indent + len(bare) - len(without_bullet(bare)) if announces else -1

    def _open(self, fence: str) -> None:
        self._begin, self._fence, self._drawn = self._at, fence, False

    def _close(self, end: int) -> None:
        if self._begin >= 0:
            if not self._drawn:
                self.found.append((self._begin, end))
            self._begin, self._fence, self._least = -1, "", -1

    def end(self) -> None:
        """Close the block that the text ends in."""
        self._close(self._at)
