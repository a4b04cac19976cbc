"""Puts the texts that were seen in a picture into lines and into the order in which people read.

A scan may lie askew, so places are turned back by the angle of most of its text. Where several long
texts are on both sides of a gap, it is the space between two columns; texts that cross it are
above or below them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

import numpy as np

from ragcli.corpus.read.pdf_layout import Line

_TALL = 1.5
"""A box so many times higher than wide holds a line that runs down the page."""
_FEWEST_IN_COLUMN = 3
_LEAST_IN_COLUMN = 0.1
"""Share of a page's texts that are in a column; others may cross all columns."""
_NARROWEST_COLUMN = 6.0
"""Heights of a line; narrower columns are those of a table, which is read row by row."""
_MOST_COLUMNS = 4
_LARGER = 1.3
"""Heights of boxes differ by the letters in them; one so many times as high is larger print."""
_MILLE = 1000


@dataclass(frozen=True, slots=True)
class SeenText:
    """A text in a picture, how sure it is (0 to 1), and the corners of its box: shape (4, 2)."""

    text: str
    confidence: float
    corners: Any


@dataclass(frozen=True, slots=True)
class _Box:
    """A text with its place after turning back, in pixels from the upper left corner."""

    seen: SeenText
    left: float
    right: float
    middle: float
    height: float


def are_turned(found: Sequence[SeenText]) -> bool:
    """Whether most of the text runs down the page, which lies on its side.

    >>> flat, tall = ((0, 0), (9, 0), (9, 2), (0, 2)), ((0, 0), (2, 0), (2, 9), (0, 9))
    >>> [are_turned([SeenText("text", 1.0, np.array(box))]) for box in (flat, tall)]
    [False, True]
    """
    tall = sum(len(one.text) for one in found if is_tall(one))
    return 2 * tall > sum(len(one.text) for one in found)


def in_lines(found: Sequence[SeenText], width: int, height: int) -> list[Line]:
    """Return the lines of a picture of this size in pixels, in reading order.

    Sizes and places are in heights of the middle line; ``scan`` has the place in the picture as
    it is, in thousandths of its width and height.
    """
    boxes = _straightened(found)
    if not boxes:
        return []
    unit = median(box.height for box in boxes)
    return [_line(row, unit, width, height) for row in _ordered(boxes, unit, _MOST_COLUMNS)]


def turned_back(line: Line, turns: int) -> Line:
    """A line of a picture after quarter turns against the clock, with its place before them.

    >>> turned_back(Line("text", 1.0, 0.0, -1.0, False, scan=(990, 100, 0, 300, 50)), 1).scan
    (990, 950, 100, 1000, 300)
    """
    for _ in range(turns):
        confidence, left, top, right, bottom = line.scan
        line = replace(line, scan=(confidence, _MILLE - bottom, left, _MILLE - top, right))
    return line


def is_tall(one: SeenText) -> bool:
    """Whether a text runs down the page."""
    width, height = np.ptp(one.corners, axis=0)
    return bool(height > _TALL * width and len(one.text) > 1)


def _straightened(found: Sequence[SeenText]) -> list[_Box]:
    """The boxes after a turn by the angle of the widest texts."""
    edges = [one.corners[1] - one.corners[0] for one in found]
    wide = sorted((float(np.hypot(*edge)), math.atan2(edge[1], edge[0])) for edge in edges)
    longest = [angle for length, angle in wide if length > wide[-1][0] / 2]
    angle = median(longest) if longest else 0.0
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    return [_box(one, one.corners @ turn) for one in found]


def _box(one: SeenText, corners: Any) -> _Box:
    (left, top), (right, bottom) = corners.min(axis=0), corners.max(axis=0)
    return _Box(one, float(left), float(right), float(top + bottom) / 2, float(bottom - top))


def _ordered(boxes: Sequence[_Box], unit: float, columns: int) -> Iterator[list[_Box]]:
    """Yield the rows of a part of a page: of columns, first all of the left one."""
    gutter = _gutter(boxes, unit) if columns > 1 else None
    if gutter is None:
        yield from _rows(boxes)
        return
    left, right = [], []
    for box in sorted(boxes, key=lambda box: box.middle):
        if box.right <= gutter:
            left.append(box)
        elif box.left >= gutter:
            right.append(box)
        else:
            yield from _columns(left, right, unit, columns)
            yield [box]
            left, right = [], []
    yield from _columns(left, right, unit, columns)


def _columns(
    left: Sequence[_Box], right: Sequence[_Box], unit: float, columns: int
) -> Iterator[list[_Box]]:
    for side in (left, right):
        yield from _ordered(side, unit, columns - 1)


def _gutter(boxes: Sequence[_Box], unit: float) -> float | None:
    """Return where the space between two columns is; None if there is one column."""
    if len(boxes) < 2 * _FEWEST_IN_COLUMN:
        return None
    lefts, rights = (np.array([getattr(box, side) for box in boxes]) for side in ("left", "right"))
    places = np.unique(rights) + unit / 4
    before = (rights[None] <= places[:, None]).sum(1)
    after = (lefts[None] >= places[:, None]).sum(1)
    fewer, crossing = np.minimum(before, after), len(boxes) - before - after
    fewest = max(_FEWEST_IN_COLUMN, _LEAST_IN_COLUMN * len(boxes))
    for at in np.lexsort((-fewer, crossing)):
        if fewer[at] >= fewest and _are_columns(boxes, float(places[at]), unit):
            return float(places[at])
    return None


def _are_columns(boxes: Sequence[_Box], place: float, unit: float) -> bool:
    """Whether most texts on both sides of a place are as long as lines."""
    sides = [box for box in boxes if box.right <= place], [b for b in boxes if b.left >= place]
    return all(
        median(box.right - box.left for box in side) >= _NARROWEST_COLUMN * unit for side in sides
    )


def _rows(boxes: Sequence[_Box]) -> Iterator[list[_Box]]:
    """Yield the texts that stand beside each other, from left to right."""
    row: list[_Box] = []
    for box in sorted(boxes, key=lambda box: box.middle):
        if row and box.middle - row[0].middle > min(box.height, row[0].height) / 2:
            yield sorted(row, key=lambda box: box.left)
            row = []
        row.append(box)
    if row:
        yield sorted(row, key=lambda box: box.left)


def _line(row: Sequence[_Box], unit: float, width: int, height: int) -> Line:
    """One line of the texts of a row; it is as sure as the least sure of them."""
    ratio = max(box.height for box in row) / unit
    size = round(ratio * 4) / 4 if ratio >= _LARGER else 1.0
    top = size / 2 - sum(box.middle for box in row) / len(row) / unit
    corners = np.concatenate([box.seen.corners for box in row])
    places = np.clip(np.round(corners * _MILLE / (width, height)), 0, _MILLE).astype(int)
    box = (*places.min(axis=0).tolist(), *places.max(axis=0).tolist())
    confidence = min(box.seen.confidence for box in row)
    text = " ".join(box.seen.text for box in row)
    return Line(text, size, top, top - size, False, scan=(int(confidence * _MILLE), *box))
