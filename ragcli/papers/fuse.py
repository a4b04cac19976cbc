"""Rank fusion: combines several rankings of the same items into one."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeVar

T = TypeVar("T", bound=Hashable)

# Cormack, Clarke and Buettcher (2009) found that 60 works well across collections.
DAMPING = 60


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[T]], damping: int = DAMPING
) -> list[tuple[T, float]]:
    """Items with the sum of 1 / (damping + rank) over the rankings, best first.

    Ties go to the item that the earlier ranking places higher.

    >>> [item for item, _ in reciprocal_rank_fusion([["a", "b"], ["b", "c"]])]
    ['b', 'a', 'c']
    """
    scores: dict[T, float] = {}
    for ranking in rankings:
        for rank, item in enumerate(ranking, 1):
            scores[item] = scores.get(item, 0.0) + 1.0 / (damping + rank)
    return sorted(scores.items(), key=lambda pair: -pair[1])
