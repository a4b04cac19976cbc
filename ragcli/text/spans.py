"""Spans of a text: (start, end) offsets in characters; the end is exclusive."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

Span = tuple[int, int]


def is_inside(span: Span, other: Span) -> bool:
    """Return whether a span lies inside a longer one.

    >>> is_inside((2, 5), (0, 5)), is_inside((2, 5), (2, 5))
    (True, False)
    """
    return other[0] <= span[0] and span[1] <= other[1] and span != other


def overlap(span: Span, other: Span) -> bool:
    """Return whether two spans share a character.

    >>> overlap((0, 3), (2, 5)), overlap((0, 3), (3, 5))
    (True, False)
    """
    return span[0] < other[1] and other[0] < span[1]


def index_at(starts: Sequence[int], offset: int) -> int:
    """Return the index of the span that contains ``offset``.

    The spans are consecutive and begin at ``starts``. An offset before the first span belongs to
    the first span.

    >>> [index_at([3, 10], offset) for offset in (0, 3, 9, 10, 99)]
    [0, 0, 0, 1, 1]
    """
    return max(bisect_right(starts, offset) - 1, 0)
