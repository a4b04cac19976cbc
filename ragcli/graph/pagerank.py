"""Computes personalised PageRank by power iteration over plain arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def personalised_pagerank(
    sources: Ints, targets: Ints, weights: Floats, seeds: Floats, damping: float, steps: int
) -> Floats:
    """Return the probability, shape (n,), that a random walk with restarts is at each node.

    With probability ``damping`` the walk follows an edge, chosen by weight; otherwise it returns
    to a seed. From a node without edges it always returns to a seed. ``seeds``, shape (n,), n > 0,
    are weights with a positive sum. After ``steps`` rounds the total difference from the limit is
    at most 2 * damping ** steps (Page et al. 1999; Haveliwala 2002).

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
