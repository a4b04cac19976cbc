"""Personalised PageRank by power iteration over plain arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def personalised_pagerank(
    sources: Ints, targets: Ints, weights: Floats, seeds: Floats, damping: float, steps: int
) -> Floats:
    """The chance, shape (n,), that a walk which keeps returning to its seeds is at each node.

    From a node the walk goes on with probability ``damping``, along an edge by its weight, else
    back to a seed; a node without edges always sends it back. ``seeds``, shape (n,), n > 0, are
    weights with a positive sum. After ``steps`` rounds what is missing from the limit is at most
    2 * damping ** steps in total (Page et al. 1999; Haveliwala 2002).

    Worked example, damping 0.5, the edge 0 - 1, seed 0: x0 = 1/2 + x1/2, x1 = x0/2, so 2/3, 1/3.
    """
    n = len(seeds)
    restart = seeds / seeds.sum()
    out = np.bincount(sources, weights, minlength=n)
    stuck = out <= 0
    share = weights / np.where(stuck, 1.0, out)[sources]
    at: Floats = restart
    for _ in range(steps):
        moved = np.bincount(targets, at[sources] * share, minlength=n)
        back = 1.0 - damping + damping * float(at[stuck].sum())
        at = np.asarray(damping * moved + back * restart)
    return at
