"""The bipartite graph of passages and the names in them, as memory-mapped arrays.

A passage has an edge to every name that it contains and to the names in its document's title. Both
directions are stored, so a walk can start at either side and reads only the edges it visits.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ragcli.search import arrays
from ragcli.search.arrays import distinct
from ragcli.search.edge_layers import Rows, from_arrays
from ragcli.search.vector_set import ARRAYS

Int = NDArray[np.int64]
Float = NDArray[np.float32]

# A passage is about the names in its title: such an edge weighs five times a single mention's.
TITLE_WEIGHT = 4.0

# Most edges to read per hop, for each passage that a neighbourhood may contain.
READ_AHEAD = 4


def edge_weight(count: NDArray[np.int64], title: NDArray[np.int64]) -> Float:
    """Return 1 + ln(mentions), at least 1, plus TITLE_WEIGHT for a name in the title."""
    said = 1.0 + np.log(np.maximum(count, 1))
    return (said + TITLE_WEIGHT * title).astype(np.float32)


class PassageGraph:
    """Passages and the names in them; nodes are rows of the tables passages and entities."""

    def __init__(
        self, passages: Int, by_passage: Rows, by_entity: Rows, *, partly: bool = False
    ) -> None:
        """Wrap rows of passages, rising, and the edges in both directions.

        ``partly``: there are other passages, which edges also lead to.
        """
        self.passages = passages
        self.by_passage = by_passage
        self.by_entity = by_entity
        self._partly = partly

    def only(self, passages: Int) -> PassageGraph:
        """Return the graph in which ``around`` sees some of the passages, rising, and no others."""
        return PassageGraph(passages, self.by_passage, self.by_entity, partly=True)

    @classmethod
    def open(cls, passages: Int, segments: Sequence[Path]) -> PassageGraph:
        """Map the edges of some segments, oldest first. Raises StoreDamaged."""
        found = [arrays.load(folder / ARRAYS) for folder in segments]
        ways = (
            Rows([from_arrays(name, has) for has in found]) for name in ("by_passage", "by_entity")
        )
        return cls(passages, *ways)

    def around(self, passages: Int, entities: Int, limit: int) -> Int:
        """Return passages near some nodes, rising, at most ``limit`` (or the given ones, if more).

        The search is breadth-first: the passages of the entities, then passages that share a name
        with those, and so on. At each distance the rarest names come first, because a frequent
        name says least. The search ends at the first name whose passages exceed the limit.
        """
        if len(self.passages) <= limit:
            return self.passages
        inside = np.zeros(int(self.passages[-1]) + 1, dtype=bool)
        new, fresh = distinct(passages), distinct(entities)
        followed = np.zeros(max(self.by_entity.span, int(fresh[-1]) + 1 if len(fresh) else 0), bool)
        inside[new] = True
        while len(new) or len(fresh):
            names = distinct(np.concatenate([fresh, self.by_passage.of(new)[1]]))
            names = names[~followed[names]]
            followed[names] = True
            new = self._admit(names, inside, limit)
            fresh = names[:0]
        return np.flatnonzero(inside)

    def _admit(self, entities: Int, inside: NDArray[np.bool_], limit: int) -> Int:
        """Mark the passages of the entities, rarest first, while they fit; return the new ones."""
        degrees = self.by_entity.degrees(entities)
        order = np.argsort(degrees, kind="stable")
        # Reading is limited too, because frequent names have very many passages.
        order = order[np.cumsum(degrees[order]) <= READ_AHEAD * limit]
        at, passages, _ = self.by_entity.of(entities[order])
        if self._partly:
            seen = held(self.passages, passages)
            at, passages = at[seen], passages[seen]
        outside = ~inside[passages]
        at, passages = at[outside], passages[outside]
        _, first = np.unique(passages, return_index=True)
        room = limit - int(inside.sum())
        # New passages in the order of their names; a name's passages are taken all or not at all.
        first = np.sort(first)
        if len(first) > room:
            first = first[at[first] < at[first[room]]] if room > 0 else first[:0]
        new = passages[first]
        inside[new] = True
        return np.sort(new)


def held(rows: Int, wanted: Int) -> NDArray[np.bool_]:
    """Return which of the wanted rows are among ``rows``, which rise."""
    if not len(rows):
        return np.zeros(len(wanted), dtype=bool)
    return np.asarray(rows[np.minimum(np.searchsorted(rows, wanted), len(rows) - 1)] == wanted)
