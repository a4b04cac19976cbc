"""Finds ruled tables on PDF pages: rules that cross make a grid, letters fall into its cells.

A PDF has lines and letters, and nothing that says which belong together. Tables without vertical
rules are not found; their rows stay lines of the text.
"""

from __future__ import annotations

import ctypes
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

_NEAR = 3.0
"""Points between two rules that are one: both edges of a drawn line, or a rounded place."""
_SHORTEST = 6.0
_MOST_OBJECTS = 50_000
_MOST_EDGES = 20_000
_MOST_CROSSINGS = 50_000
_MOST_CELLS = 5_000
"""What draws more than these is a picture, and takes time."""
_LONGEST_CELL = 1_000
"""Characters; a grid with more in a cell lays out a page and is no table."""
_DIVIDED = "\ufffe"


@dataclass(frozen=True, slots=True)
class DrawnRule:
    """A line along an axis from ``low`` to ``high``, at ``at`` on the other axis (points)."""

    at: float
    low: float
    high: float

    def covers(self, place: float) -> bool:
        """Whether the rule passes a place on its own axis."""
        return self.low - _NEAR <= place <= self.high + _NEAR


@dataclass(frozen=True, slots=True)
class TableGrid:
    """A table: ``lefts`` rise, ``tops`` fall; ``cell_of`` maps (row, column) to the first (row,
    column) of the cell that covers it, which differ where cells are joined."""

    lefts: tuple[float, ...]
    tops: tuple[float, ...]
    cell_of: dict[tuple[int, int], tuple[int, int]]

    def holds(self, x: float, y: float) -> bool:
        """Whether a point lies in the table."""
        return self.lefts[0] <= x <= self.lefts[-1] and self.tops[-1] <= y <= self.tops[0]

    def at(self, x: float, y: float) -> tuple[int, int]:
        """The cell at a point of the table."""
        column = min(bisect_right(self.lefts, x), len(self.lefts) - 1) - 1
        row = min(bisect_right([-top for top in self.tops], -y), len(self.tops) - 1) - 1
        return self.cell_of[row, column]


@dataclass(frozen=True, slots=True)
class RuledTable:
    """A grid with its text: ``rows`` of cells, "" for one that is empty or joined to another."""

    grid: TableGrid
    rows: tuple[tuple[str, ...], ...]


def tables(page: Any, text: Any) -> list[RuledTable]:
    """Return the tables of a page (objects of pypdfium2) from top to bottom."""
    grids = grids_of(*rules_of(_edges(page)))
    if not grids:
        return []
    found = (RuledTable(grid, rows) for grid, rows in zip(grids, _filled(grids, text), strict=True))
    return [table for table in found if _is_table(table)]


def _is_table(table: RuledTable) -> bool:
    """Whether at least two rows have two cells with text, and none has pages of it."""
    full = [row for row in table.rows if sum(map(bool, row)) > 1]
    return len(full) > 1 and max(len(cell) for row in full for cell in row) <= _LONGEST_CELL


Edge = tuple[float, float, float, float]


def _edges(page: Any) -> Iterator[Edge]:
    """Yield (x, y, x, y) of the straight edges of everything that is drawn on a page."""
    import pypdfium2.raw as pdfium

    left = _MOST_EDGES
    for number in range(min(pdfium.FPDFPage_CountObjects(page), _MOST_OBJECTS)):
        drawn = pdfium.FPDFPage_GetObject(page, number)
        if pdfium.FPDFPageObj_GetType(drawn) != pdfium.FPDF_PAGEOBJ_PATH:
            continue
        left -= pdfium.FPDFPath_CountSegments(drawn)
        if left < 0:
            return
        yield from _edges_of(drawn)


def _edges_of(drawn: Any) -> Iterator[Edge]:
    import pypdfium2.raw as pdfium

    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFPageObj_GetMatrix(drawn, matrix)
    x, y = ctypes.c_float(), ctypes.c_float()
    begin = last = (0.0, 0.0)
    for number in range(pdfium.FPDFPath_CountSegments(drawn)):
        segment = pdfium.FPDFPath_GetPathSegment(drawn, number)
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        here = (
            matrix.a * x.value + matrix.c * y.value + matrix.e,
            matrix.b * x.value + matrix.d * y.value + matrix.f,
        )
        kind = pdfium.FPDFPathSegment_GetType(segment)
        if kind == pdfium.FPDF_SEGMENT_MOVETO:
            begin = here
        elif kind == pdfium.FPDF_SEGMENT_LINETO:
            yield *last, *here
        last = here
        if pdfium.FPDFPathSegment_GetClose(segment):
            yield *here, *begin
            last = begin


def rules_of(edges: Iterable[Edge]) -> tuple[list[DrawnRule], list[DrawnRule]]:
    """Return the horizontal and the vertical rules; edges that continue each other are one.

    >>> rules_of([(0, 5, 50, 5), (50, 5.5, 90, 5.5), (0, 0, 0, 9), (0, 0, 9, 9)])
    ([DrawnRule(at=5.25, low=0, high=90)], [DrawnRule(at=0.0, low=0, high=9)])
    """
    level: list[DrawnRule] = []
    upright: list[DrawnRule] = []
    for x, y, x2, y2 in edges:
        if abs(y - y2) < 1 and abs(x - x2) >= _SHORTEST:
            level.append(DrawnRule((y + y2) / 2, min(x, x2), max(x, x2)))
        elif abs(x - x2) < 1 and abs(y - y2) >= _SHORTEST:
            upright.append(DrawnRule((x + x2) / 2, min(y, y2), max(y, y2)))
    return _joined(level), _joined(upright)


def _joined(rules: list[DrawnRule]) -> list[DrawnRule]:
    """Join rules at about the same place whose ends meet."""
    found = []
    for group in _clusters(sorted(rules, key=lambda rule: rule.at), lambda rule: rule.at):
        at = sum(rule.at for rule in group) / len(group)
        ends: list[list[float]] = []
        for rule in sorted(group, key=lambda rule: rule.low):
            if not ends or rule.low > ends[-1][1] + _NEAR:
                ends.append([rule.low, rule.high])
            ends[-1][1] = max(ends[-1][1], rule.high)
        found += [DrawnRule(at, low, high) for low, high in ends]
    return found


def _clusters(ordered: Sequence[Any], place: Any) -> Iterator[list[Any]]:
    """Split what is in order of its place where the next is further than ``_NEAR`` from the first.

    >>> list(_clusters([1, 2, 9], float))
    [[1, 2], [9]]
    """
    group: list[Any] = []
    for item in ordered:
        if group and place(item) - place(group[0]) > _NEAR:
            yield group
            group = []
        group.append(item)
    if group:
        yield group


def grids_of(level: Sequence[DrawnRule], upright: Sequence[DrawnRule]) -> list[TableGrid]:
    """Return a grid for each group of rules that cross, from top to bottom."""
    if not level or not upright or len(level) * len(upright) > _MOST_CROSSINGS:
        return []
    groups: list[tuple[set[int], set[int]]] = []
    for number, rule in enumerate(level):
        crossing = {
            n for n, other in enumerate(upright) if rule.covers(other.at) and other.covers(rule.at)
        }
        touched = [group for group in groups if not crossing.isdisjoint(group[1])]
        groups = [group for group in groups if crossing.isdisjoint(group[1])]
        lines = {number}.union(*(group[0] for group in touched))
        groups.append((lines, crossing.union(*(group[1] for group in touched))))
    grids = []
    for lines, posts in groups:
        made = _grid([level[n] for n in sorted(lines)], [upright[n] for n in sorted(posts)])
        if made is not None:
            grids.append(made)
    return sorted(grids, key=lambda grid: (-grid.tops[0], grid.lefts[0]))


def _grid(level: Sequence[DrawnRule], upright: Sequence[DrawnRule]) -> TableGrid | None:
    """Return the grid of rules that cross; None if it has less than two rows or two columns."""
    if not upright:
        return None
    ends = [end for rule in level for end in (rule.low, rule.high)]
    lefts = _places([*(rule.at for rule in upright), min(ends), max(ends)])
    ends = [end for rule in upright for end in (rule.low, rule.high)]
    tops = _places([*(rule.at for rule in level), min(ends), max(ends)])[::-1]
    rows, columns = len(tops) - 1, len(lefts) - 1
    if rows < 2 or columns < 2 or rows * columns > _MOST_CELLS:
        return None
    return TableGrid(tuple(lefts), tuple(tops), _cells(lefts, tops, level, upright))


def _places(values: Iterable[float]) -> list[float]:
    """Return the places of rules in order, one for those that are near each other."""
    return [sum(group) / len(group) for group in _clusters(sorted(values), float)]


def _cells(
    lefts: Sequence[float],
    tops: Sequence[float],
    level: Sequence[DrawnRule],
    upright: Sequence[DrawnRule],
) -> dict[tuple[int, int], tuple[int, int]]:
    """Return the first place of the cell at each place: without a rule between, two are one."""
    cell_of: dict[tuple[int, int], tuple[int, int]] = {}
    for row, (top, bottom) in enumerate(pairwise(tops)):
        for column, (left, right) in enumerate(pairwise(lefts)):
            middle = (top + bottom) / 2, (left + right) / 2
            if column and not _ruled(upright, left, middle[0]):
                cell_of[row, column] = cell_of[row, column - 1]
            elif row and not _ruled(level, top, middle[1]):
                cell_of[row, column] = cell_of[row - 1, column]
            else:
                cell_of[row, column] = row, column
    return cell_of


def _ruled(rules: Sequence[DrawnRule], at: float, place: float) -> bool:
    return any(abs(rule.at - at) <= _NEAR and rule.covers(place) for rule in rules)


def _filled(grids: Sequence[TableGrid], text: Any) -> Iterator[tuple[tuple[str, ...], ...]]:
    """Yield the rows of each grid with the letters of a text page of pypdfium2 in their cells."""
    cells: list[dict[tuple[int, int], list[str]]] = [defaultdict(list) for _ in grids]
    last: list[str] | None = None
    for letter, x, y in _letters(text):
        if letter.isspace() or letter == _DIVIDED:
            if last is not None:
                last.append(letter)
            continue
        found = next((n for n, grid in enumerate(grids) if grid.holds(x, y)), None)
        into = None if found is None else cells[found][grids[found].at(x, y)]
        if into and into is not last and into[-1] != _DIVIDED:
            into.append(" ")  # the next line of a cell, after a line of another one
        if into is not None:
            into.append(letter)
        last = into
    for grid, letters in zip(grids, cells, strict=True):
        yield tuple(
            tuple(
                " ".join("".join(letters.get((row, column), ())).split())
                .replace(f"{_DIVIDED} ", _DIVIDED)
                .strip()
                for column in range(len(grid.lefts) - 1)
            )
            for row in range(len(grid.tops) - 1)
        )


def _letters(text: Any) -> Iterator[tuple[str, float, float]]:
    """Yield the characters of a text page with the middle of each."""
    import pypdfium2.raw as pdfium

    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    for number in range(text.count_chars()):
        code = pdfium.FPDFText_GetUnicode(text, number)
        letter = _DIVIDED if code in (0xFFFE, 2) else chr(code) if code < 0x110000 else "\ufffd"
        pdfium.FPDFText_GetCharBox(text, number, left, right, bottom, top)
        yield letter, (left.value + right.value) / 2, (bottom.value + top.value) / 2
