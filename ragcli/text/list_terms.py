"""What the items of a list are about: the marked words that an item begins with.

API documentation describes parameters, fields and options in lists:

    * **timeout** `number` (optional) - Default: `300` - The time that is waited. `0` disables it.

The last sentence says nothing without the first words. They are the item's term, which stands
above its sentences as a heading does, and above the items of lists inside it.
"""

from __future__ import annotations

import re

from ragcli.text.spans import Span

_WORDS = r"(?:(\*\*`?|\*(?!\*)|``?|__)(?=[^\s*`_])[^*`\n]{{1,60}}?(?:`\*\*|\*\*|\*|``?|__)(?!\w))"
_FIRST = _WORDS.format()
_ITEM = re.compile(
    rf"(?P<mark>[-*+•‣◦▪][ \t]+)(?P<term>{_FIRST}(?:(?:, | or |/| \| ){_FIRST}){{0,4}})"
)
_MARK = re.compile(r"[-*+•‣◦▪][ \t]+\S|\(?\d{1,2}[.)][ \t]+\S")
_MOST_WORDS = 6
"""Words of the longest term: more of them are a sentence in bold letters."""
_MARKS = re.compile(r"[*`]+|__")
_EDGES = "*_`: "


def term_of_item(text: str) -> Span | None:
    """Where the term of an item stands in its text; None if it is no item, or has no term.

    >>> text = "* **timeout** `number` - The time."
    >>> text[slice(*term_of_item(text))]
    '**timeout**'
    >>> term_of_item("- The time."), term_of_item("- **Do not touch the old pump at night.**")
    (None, None)
    """
    found = _ITEM.match(text)
    if found is None or len(found["term"].split()) > _MOST_WORDS:
        return None
    if found["term"].rstrip("*_`").endswith((".", "?", "!")):
        return None
    return found.span("term")


def without_marks(term: str) -> str:
    """A term as it reads: without the marks of emphasis and code, and without a colon at its end.

    >>> without_marks("**timeout:**"), without_marks("`-q`, `--quiet`")
    ('timeout', '-q, --quiet')
    """
    return _MARKS.sub("", term).strip().rstrip(":")


def _without_edges(line: str, start: int, end: int) -> Span:
    term = line[start:end]
    inner = term.strip(_EDGES)
    first = start + len(term) - len(term.lstrip(_EDGES))
    return first, first + len(inner)


class OpenItems:
    """The items of lists around the current line, with the place of the term of each."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str, Span]] = []
        self._first = False

    def take(self, line: str, at: int, indent: int | None, paragraph: bool) -> None:
        """Take in a sentence that begins at ``at``, ``indent`` characters into its line.

        ``indent`` is None if other words stand before it on its line. ``paragraph``: an empty line
        stands before it.
        """
        item = indent is not None and _MARK.match(line) is not None
        if indent is not None and (item or paragraph):
            while self._open and indent <= self._open[-1][0]:
                self._open.pop()
        self._first = False
        if item and indent is not None and (span := term_of_item(line)):
            start, end = _without_edges(line, *span)
            term = without_marks(line[start:end])
            self._open.append((indent, term, (at + start, at + end)))
            self._first = True

    def clear(self) -> None:
        """End all lists."""
        self._open, self._first = [], False

    @property
    def path(self) -> str:
        """The terms of the items, outermost first, joined as headings are; "" outside of items."""
        return " > ".join(term for _, term, _ in self._open)

    @property
    def path_above(self) -> str:
        """As ``path``, without the term that the current sentence itself begins with."""
        return " > ".join(term for _, term, _ in self._open[: -1 if self._first else None])

    @property
    def term(self) -> Span | None:
        """Where the term of the innermost item stands; None outside of items."""
        return self._open[-1][2] if self._open else None
