"""Groups of documents by topic, for a folder without parts: k-means over their summaries."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragcli.search.search_index import SearchIndex

MOST_GROUPS = 8

_DOCUMENTS_A_GROUP = 6
"""Documents of a group on average, as far as there are fewer than MOST_GROUPS groups."""

_ROUNDS = 8


def topics(index: SearchIndex, documents: Sequence[int]) -> list[list[int]]:
    """The documents (by row) in groups of like summaries, the largest first.

    Documents without a summary are in no group.
    """
    summarised = index.snapshot.shelf.summarised(documents)
    if not summarised:
        return []
    rows = np.array([row for row, _ in summarised], dtype=np.int64)
    vectors = index.nodes.of(np.array([node for _, node in summarised], dtype=np.int64))
    nearest = _clusters(vectors, min(MOST_GROUPS, -(-len(rows) // _DOCUMENTS_A_GROUP)))
    groups = [rows[nearest == at].tolist() for at in range(nearest.max() + 1)]
    return sorted(filter(None, groups), key=lambda group: (-len(group), group))


def _clusters(vectors: NDArray[np.float32], k: int) -> NDArray[np.int64]:
    """The cluster of each unit vector, (n,): centres begin far from each other."""
    chosen = [int(np.argmax(vectors @ vectors.mean(axis=0)))]
    likeness = vectors @ vectors[chosen[0]]
    while len(chosen) < k:
        chosen.append(int(np.argmin(likeness)))
        likeness = np.maximum(likeness, vectors @ vectors[chosen[-1]])
    centres = vectors[chosen]
    for _ in range(_ROUNDS):
        nearest = np.argmax(vectors @ centres.T, axis=1)
        for at in np.unique(nearest):
            middle = vectors[nearest == at].mean(axis=0)
            centres[at] = middle / max(float(np.linalg.norm(middle)), 1e-9)
    return np.asarray(nearest, dtype=np.int64)
