"""Spans of a text: (start, end), offsets in characters, the end not included."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

Span = tuple[int, int]


def is_inside(span: Span, other: Span) -> bool:
    """Tell whether a span lies within a longer one.

    >>> is_inside((2, 5), (0, 5)), is_inside((2, 5), (2, 5))
    (True, False)
    """
    return other[0] <= span[0] and span[1] <= other[1] and span != other


def overlap(span: Span, other: Span) -> bool:
    """Tell whether two spans share a character.

    >>> overlap((0, 3), (2, 5)), overlap((0, 3), (3, 5))
    (True, False)
    """
    return span[0] < other[1] and other[0] < span[1]


def index_at(starts: Sequence[int], offset: int) -> int:
    """Return which of the consecutive spans that begin at ``starts`` holds ``offset``.

    What stands before the first span belongs to it.

    >>> [index_at([3, 10], offset) for offset in (0, 3, 9, 10, 99)]
    [0, 0, 0, 1, 1]
    """
    return max(bisect_right(starts, offset) - 1, 0)
