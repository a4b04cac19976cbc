"""Tables in a text: rows with bars, those of AsciiDoc, and those drawn with rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ragcli.corpus.read.rows import head_at
from ragcli.text.lines import TextLine
from ragcli.text.spans import Span
from ragcli.types.blocks import Block

_BARRED = re.compile(r"[ \t]*\||[^\n]*[^\s|] \| ")
_RULE = re.compile(r"[\s|:+]*[-=][\s|:+=-]*\Z")
_COLUMNS = re.compile(r"[ \t]*(={2,}|-{2,})(?:[ ]+(?:={2,}|-{2,}))+[ \t]*\Z")
_COLUMN = re.compile(r"[=-]+")
_FRAME = re.compile(r"[ \t]*[|,:!]={3,}[ \t]*\Z")
_BAR = re.compile(r"(?<!\\)\|")
_SHARES = re.compile(r"cols=\"?(?:(?P<times>\d+)\*|(?P<listed>[^\"\]]+))")
_FEWEST = 2
"""Rows of the smallest table whose rows begin with no bar: others are prose with a bar."""


@dataclass(frozen=True, slots=True)
class TableLines:
    """A table in lines ``first`` to ``last``."""

    first: int
    last: int
    table: Block


def tables_in(lines: Sequence[TextLine], taken: Sequence[bool]) -> Iterator[TableLines]:
    """The tables in a text but for the lines that are ``taken``, in order.

    >>> from ragcli.text.lines import lines_of
    >>> text = "| Key | Held by |\\n|---|---|\\n| K1 | Ada |\\n"
    >>> (found,) = tables_in(lines_of(text), [False] * 4)
    >>> [(row.kind, [text[c.start : c.end] for c in row.parts]) for row in found.table.parts]
    [('head', ['Key', 'Held by']), ('row', ['K1', 'Ada'])]
    """
    at = 0
    while at < len(lines):
        found = None if taken[at] else _table_at(lines, at)
        if found is not None and not any(taken[found.first : found.last + 1]):
            yield found
            at = found.last
        at += 1


def _table_at(lines: Sequence[TextLine], at: int) -> TableLines | None:
    """The table that begins in a line."""
    text = lines[at].text
    if _FRAME.match(text):
        return _framed(lines, at)
    if _COLUMNS.match(text):
        return _ruled(lines, at)
    if _BARRED.match(text) or text.lstrip().startswith("+-"):
        return _barred(lines, at)
    return None


def _barred(lines: Sequence[TextLine], at: int) -> TableLines | None:
    """A table whose cells have bars between; there may be rules between its rows."""
    last = at
    while last + 1 < len(lines) and _is_barred(lines[last + 1].text):
        last += 1
    found = lines[at : last + 1]
    rows = [line for line in found if not _RULE.match(line.text)]
    marked = all(line.bare.startswith(("|", "+")) for line in found)
    if not rows or (len(rows) < _FEWEST and not marked):
        return None
    cells = [_barred_cells(line) for line in rows]
    above = next((n for n, line in enumerate(found) if n and _RULE.match(line.text)), 0)
    headed = above if above else _named(rows, cells)
    heads = sum(not _RULE.match(line.text) for line in found[:headed])
    return TableLines(at, last, _table(rows, cells, heads))


def _is_barred(text: str) -> bool:
    return bool(_BARRED.match(text)) or (bool(_RULE.match(text)) and ("|" in text or "+" in text))


def _barred_cells(line: TextLine) -> list[Span]:
    """The cells of a row; an empty one has no characters."""
    bare = line.bare
    first = 1 if bare.startswith("|") else 0
    last = len(bare) - 1 if bare.endswith("|") and len(bare) > 1 else len(bare)
    bounds = [first - 1, *(m.start() for m in _BAR.finditer(bare, first, last)), last]
    return [_trimmed(bare, a + 1, b, line.begin) for a, b in pairwise(bounds)]


def _trimmed(text: str, start: int, end: int, base: int) -> Span:
    cell = text[start:end]
    first = start + len(cell) - len(cell.lstrip())
    return base + first, base + max(first, start + len(cell.rstrip()))


def _named(lines: Sequence[TextLine], cells: Sequence[Sequence[Span]]) -> int:
    """1 if the first row of a table without rules names its columns, else 0."""
    words = [
        [line.text[a - line.start : b - line.start] for a, b in row]
        for line, row in zip(lines, cells, strict=True)
    ]
    return int(head_at(words[:20]) == 0)


def _table(rows: Sequence[TextLine], cells: Sequence[Sequence[Span]], heads: int) -> Block:
    """A table of rows in one line each; ``heads`` of them name the columns, the last counts."""
    made = [
        Block("row", line.begin, line.stop, tuple(Block("cell", *cell) for cell in own))
        for line, own in zip(rows, cells, strict=True)
    ]
    if 0 < heads < len(made):
        made[heads - 1] = replace(made[heads - 1], kind="head")
    return Block("table", rows[0].start, rows[-1].end, tuple(made))


def _ruled(lines: Sequence[TextLine], at: int) -> TableLines | None:
    """A table of reStructuredText whose columns are those of the rules around it."""
    end = next((n for n in range(at, len(lines)) if not lines[n].bare), len(lines))
    rules = [n for n in range(at, end) if _COLUMNS.match(lines[n].text)]
    last = rules[-1]
    if last - at + 1 <= len(rules):
        return None
    columns = [m.start() for m in _COLUMN.finditer(lines[at].text)]
    rows = [lines[n] for n in range(at, last + 1) if n not in rules]
    heads = rules[1] - at - 1 if len(rules) > 2 else 0
    return TableLines(at, last, _table(rows, [_columns_of(line, columns) for line in rows], heads))


def _columns_of(line: TextLine, columns: Sequence[int]) -> list[Span]:
    bounds = [*columns, len(line.text)]
    spans = (_trimmed(line.text, a, max(a, b), line.start) for a, b in pairwise(bounds))
    return [(_inside(line, start), _inside(line, end)) for start, end in spans]


def _inside(line: TextLine, at: int) -> int:
    """A place among the characters of a line: that of an empty cell may be before or after them."""
    return min(max(at, line.begin), line.stop)


def _framed(lines: Sequence[TextLine], at: int) -> TableLines | None:
    """A table of AsciiDoc: each bar begins a cell; the first row is its own paragraph if it is the
    head."""
    frame = lines[at].bare
    last = next((n for n in range(at + 1, len(lines)) if lines[n].bare == frame), -1)
    inside = [n for n in range(at + 1, last) if lines[n].bare.startswith("|")]
    if not inside:
        return None
    width = _width(lines[at - 1].text if at else "", lines[inside[0]].text)
    cells = [cell for n in inside for cell in _begun_cells(lines[n])]
    rows = [cells[n : n + width] for n in range(0, len(cells), width)]
    headed = not lines[inside[0] + 1].bare
    made = tuple(
        Block(
            "head" if headed and not n else "row",
            row[0][0],
            row[-1][1],
            tuple(Block("cell", *cell) for cell in row),
        )
        for n, row in enumerate(rows)
    )
    return TableLines(at, last, Block("table", lines[at].start, lines[last].end, made))


def _width(above: str, first: str) -> int:
    """Columns, as the line above the frame says, or else as many as the first row has."""
    said = _SHARES.search(above)
    if said is None:
        return len(_BAR.findall(first))
    return max(1, int(said["times"])) if said["times"] else said["listed"].count(",") + 1


def _begun_cells(line: TextLine) -> Iterator[Span]:
    """The cells of a line in which each bar begins one."""
    bounds = [*(m.start() for m in _BAR.finditer(line.text)), len(line.text)]
    for a, b in pairwise(bounds):
        yield _trimmed(line.text, a + 1, b, line.start)
