"""What the items of a list are about: the marked words that an item begins with.

API documentation describes parameters, fields and options in lists:

    * **timeout** `number` (optional) - Default: `300` - The time that is waited. `0` disables it.

The last sentence says nothing without the first words. They are the item's term, which is
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
_MOST_WORDS = 6
"""Words of the longest term: more of them are a sentence in bold letters."""
_MARKS = re.compile(r"[*`]+|__")
_EDGES = "*_`: "


def term_of_item(text: str) -> Span | None:
    """Where the term of an item is in its text; None if it is no item, or has no term.

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


def inner_span(term: str) -> Span:
    """What of a term its marks of emphasis and code are around."""
    first = len(term) - len(term.lstrip(_EDGES))
    return first, first + len(term.strip(_EDGES))
