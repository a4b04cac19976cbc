"""Passages for a question about all documents: one for each large part of the summary tree.

Starting at the root, the part with the most text below it is replaced by its children until there
are as many parts as requested hits: folders first, then documents, then sections of long
documents. The passage nearest to its summary represents each part.
"""

from __future__ import annotations

import heapq

import numpy as np

from ragcli.retrieve.base import Found, Helpers, Ranking
from ragcli.retrieve.question import Question
from ragcli.search.search_index import SearchIndex

# Chunks considered below a part; more would take time and change little.
_MAX_LEAVES = 100


def overview(index: SearchIndex, _question: Question, k: int, _helpers: Helpers) -> Ranking:
    """One passage for each of about k parts of the store, the largest parts first."""
    found: dict[int, Found] = {}
    for size, row in sorted(_parts(index, k), key=lambda part: (-part[0], part[1])):
        passage = _central(index, row)
        name = index.snapshot.nodes.summary(row).name
        note = f"represents {name or 'all documents'}; the question is about all documents"
        found.setdefault(passage, Found(None, passage, float(size), note))
    return Ranking(list(found.values())[:k], about_whole=True)


def _parts(index: SearchIndex, k: int) -> list[tuple[int, int]]:
    """(chunks below, node row) of disjoint parts that cover all visible text, k or more."""
    nodes = index.snapshot.nodes
    opened = [(-len(nodes.leaves(row, _MAX_LEAVES)), row) for row in index.tops(k)]
    heapq.heapify(opened)
    whole: list[tuple[int, int]] = []
    while opened and len(opened) + len(whole) < k:
        size, row = heapq.heappop(opened)
        below = nodes.children(row)
        if not below:
            whole.append((-size, row))
        for child in below:
            heapq.heappush(opened, (-len(nodes.leaves(child, _MAX_LEAVES)), child))
    return whole + [(-size, row) for size, row in opened]


def _central(index: SearchIndex, row: int) -> int:
    """The passage below a node that is nearest to the node's summary."""
    vector = index.nodes.of(np.array([row], dtype=np.int64))[0]
    scored: list[tuple[float, int]] = []
    for chunk in index.snapshot.nodes.leaves(row, _MAX_LEAVES):
        rows, vectors = index.passage_vectors(chunk)
        scored += zip((-(vectors @ vector)).tolist(), rows, strict=True)
    return min(scored)[1]
