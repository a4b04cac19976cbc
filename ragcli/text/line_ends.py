"""Which line ends mean something, and which are only where the page was full.

Logs, tables, addresses, code and "Key: value" lines end where what they say ends. Wrapped prose
ends a line when the next word does not fit: so where most lines of a block had room for the
next line's first word, lines are meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

# Room that is no accident: letters by which a wrapped line may fall short of the longest.
_MARGIN = 5
_SHARE = 2 / 3
"""Of a block's line ends, so many had room when lines are meant."""

_COLUMNS = re.compile(r"[,;\t]")
_FEWEST_RECORDS = 4
_FEWEST_COLUMNS = 3

_FIELD = re.compile(r"[*_ \t]{0,6}[A-Za-z][\w.-]{0,30}(?: [\w.-]{1,30}){0,2}:[*_]{0,3}(?:[ \t]|\Z)")
_DATED = re.compile(
    r"""[\[(<]?(?:
      \d{4}[-/.]\d\d[-/.]\d\d | \d\d[-/.]\d\d[-/.]\d{4} | \d\d?:\d\d:\d\d
    | (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\ {1,2}\d\d?\ \d\d:\d\d
    )""",
    re.VERBOSE,
)


def meant(lines: Sequence[str]) -> bool:
    """Tell whether the lines of a block, two or more without an empty one, are lines on purpose.

    >>> meant(["Name: orjson", "Summary: Fast, correct Python JSON library"])
    True
    >>> meant(["The bridge collapsed in a storm on the", "third of May."])
    False
    """
    if all(map(_DATED.match, lines)) or all(map(_FIELD.match, lines)) or _is_table(lines):
        return True
    width = max(map(len, lines)) - _MARGIN
    room = sum(
        len(line) + 1 + len(following.split(maxsplit=1)[0]) <= width
        for line, following in pairwise(lines)
    )
    return room >= _SHARE * (len(lines) - 1)


def _is_table(lines: Sequence[str]) -> bool:
    """Records of equally many columns, as in CSV."""
    if len(lines) < _FEWEST_RECORDS:
        return False
    columns = len(_COLUMNS.findall(lines[0])) + 1
    return columns >= _FEWEST_COLUMNS and all(
        len(_COLUMNS.findall(line)) + 1 == columns for line in lines
    )


def meant_ends(text: str, alone: re.Pattern[str], longest: int) -> frozenset[int]:
    """Offsets of the line feeds inside blocks whose lines are meant.

    Between blocks are empty lines, lines of ``longest`` characters or more, and those that
    ``alone`` matches, which begin a block.
    """
    found: list[int] = []
    for block in _blocks(text, alone, longest):
        if len(block) > 1 and meant([line for _, line in block]):
            found += [start - 1 for start, _ in block[1:]]
    return frozenset(found)


def _blocks(text: str, alone: re.Pattern[str], longest: int) -> Iterator[list[tuple[int, str]]]:
    """(offset, line without spaces at its end) of the lines of each block."""
    block: list[tuple[int, str]] = []
    for start, line in _numbered(text.split("\n")):
        if not line or len(line) >= longest:
            yield block
            block = []
        elif alone.match(line):
            yield block
            block = [(start, line)]
        else:
            block.append((start, line))
    yield block


def _numbered(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    at = 0
    for line in lines:
        yield at, line.rstrip()
        at += len(line) + 1
