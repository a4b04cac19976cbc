"""Distinguishes intended line ends from line ends of wrapped prose.

Logs, tables, addresses, code and "Key: value" lines end where their content ends. Wrapped prose
ends a line when the next word does not fit. So the line ends of a block are intended if most of
its lines have room for the first word of the next line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

# A wrapped line may be this many characters shorter than the longest line.
_MARGIN = 5
_SHARE = 2 / 3
"""Line ends are intended if at least this share of a block's lines had room for the next word."""

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
    """Return whether the line ends of a block are intended.

    ``lines`` are two or more lines, none of them empty.

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
    """Return whether all lines have the same number of columns, as in CSV."""
    if len(lines) < _FEWEST_RECORDS:
        return False
    columns = len(_COLUMNS.findall(lines[0])) + 1
    return columns >= _FEWEST_COLUMNS and all(
        len(_COLUMNS.findall(line)) + 1 == columns for line in lines
    )


def meant_ends(text: str, alone: re.Pattern[str], longest: int) -> frozenset[int]:
    """Return the offsets of the line feeds inside blocks whose line ends are intended.

    Blocks are separated by empty lines and by lines of ``longest`` or more characters. A line
    that ``alone`` matches begins a new block.
    """
    found: list[int] = []
    for block in _blocks(text, alone, longest):
        if len(block) > 1 and meant([line for _, line in block]):
            found += [start - 1 for start, _ in block[1:]]
    return frozenset(found)


def _blocks(text: str, alone: re.Pattern[str], longest: int) -> Iterator[list[tuple[int, str]]]:
    """Yield the lines of each block as (offset, line without trailing spaces)."""
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
