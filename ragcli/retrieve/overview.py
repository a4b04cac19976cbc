"""Passages for a question about the whole: one for each large part of the summary tree.

From the root down, the part with most text below it is opened again and again, until there are
as many parts as hits were asked for: folders first, then documents, then stretches of long
documents. Each part is stood for by the passage nearest to its own summary.
"""

from __future__ import annotations

import heapq

import numpy as np
import orjson

from ragcli.retrieve.base import Found
from ragcli.retrieve.e2 import leaves
from ragcli.retrieve.question import Question
from ragcli.retrieve.space import Space

# Chunks below a part that are looked at; more would take time and change little.
_MAX_LEAVES = 100


def overview(space: Space, _question: Question, k: int) -> list[Found]:
    """One passage for each of about k parts of the store, the largest parts first."""
    found: dict[int, Found] = {}
    for size, row in sorted(_parts(space, k), key=lambda part: (-part[0], part[1])):
        passage = _central(space, row)
        name = space.db.execute(
            "SELECT CASE title WHEN '' THEN doc ELSE title END FROM nodes WHERE rowid = ?", (row,)
        ).fetchone()[0]
        note = f"stands for {name or 'everything'}; the question is about the whole"
        found.setdefault(passage, Found(None, passage, float(size), note))
    return list(found.values())[:k]


def _parts(space: Space, k: int) -> list[tuple[int, int]]:
    """(chunks below, node row) of disjoint parts that make up the store, at least k if it can."""
    top = space.db.execute(
        "SELECT rowid FROM nodes WHERE docrow IS NULL AND doc = '' ORDER BY level DESC LIMIT 1"
    ).fetchone()
    if top is None:
        return []
    opened = [(-len(leaves(space, top[0], _MAX_LEAVES)), top[0])]
    whole: list[tuple[int, int]] = []
    while opened and len(opened) + len(whole) < k:
        size, row = heapq.heappop(opened)
        below = _children(space, row)
        if not below:
            whole.append((-size, row))
        for child in below:
            heapq.heappush(opened, (-len(leaves(space, child, _MAX_LEAVES)), child))
    return whole + [(-size, row) for size, row in opened]


def _children(space: Space, row: int) -> list[int]:
    """Rows of the nodes below a node; empty where chunks follow."""
    docrow, names = space.db.execute(
        "SELECT docrow, children FROM nodes WHERE rowid = ?", (row,)
    ).fetchone()
    found = []
    for name in orjson.loads(names):
        below = space.db.execute(
            "SELECT rowid FROM nodes WHERE id = :name AND (:doc IS NULL OR docrow = :doc)"
            " ORDER BY rowid DESC",
            {"name": name, "doc": docrow},
        ).fetchone()
        found += [] if below is None else [below[0]]
    return found


def _central(space: Space, row: int) -> int:
    """The passage below a node that is nearest to the node's summary."""
    blob = space.db.execute(
        "SELECT v.vector FROM nodes n JOIN vectors v ON v.hash = n.vector WHERE n.rowid = ?",
        (row,),
    ).fetchone()[0]
    vector = np.frombuffer(blob, dtype=np.float16).astype(np.float32)
    scored: list[tuple[float, int]] = []
    for chunk in leaves(space, row, _MAX_LEAVES):
        rows, vectors = space.passage_vectors(chunk)
        scored += zip((-(vectors @ vector)).tolist(), rows, strict=True)
    return min(scored)[1]
