"""Derives the edges of the graph of entities from the packed relations, in memory for its result.

They say which entities share a sentence. The weights are in the relations only: what needs them
needs all of them (entity_graph.py).

Two passes over the blocks: the first counts the edges of each entity, the second puts each edge in
its place. Sorting all edges at once would take ten times the memory of the result.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from ragcli.search.arrays import room
from ragcli.search.edge_layers import EdgeLayer
from ragcli.store import relations
from ragcli.store.relations import Int, Relations

THERE = np.float32(1)
"""The weight of every edge that is there."""

# Blocks that are placed together.
_TOGETHER = 256


def relation_layer(db: sqlite3.Connection) -> EdgeLayer:
    """Return all relations as a first layer, each from both of its ends."""
    (last,) = db.execute("SELECT coalesce(max(id), 0) FROM entities").fetchone()
    lower, higher = np.zeros(last + 1, np.int64), np.zeros(last + 1, np.int64)
    for part in _parts(db):
        a, b = part.ends
        higher += np.bincount(a, minlength=last + 1)
        lower += np.bincount(b, minlength=last + 1)
    degrees = lower + higher
    begins = np.cumsum(degrees) - degrees
    total = int(degrees.sum())
    ends = room(total, np.int32)
    # Parts come by rising a, then b. So the lower neighbours of an entity come in order, and are
    # placed before the higher ones, which come in order, too.
    free_low, free_high = begins.copy(), begins + lower
    for part in _parts(db):
        a, b = part.ends
        by_b = np.argsort(b, kind="stable")
        for near, far, order, free in ((a, b, slice(None), free_high), (b, a, by_b, free_low)):
            ends[_places(near[order], free)] = far[order]
    sources = np.flatnonzero(degrees)
    starts = np.append(begins[sources], total).astype(np.int64)
    # One weight in the memory of one.
    weights = np.broadcast_to(THERE, total)
    return EdgeLayer(sources, starts, ends, weights, degrees[sources].astype(np.int32))


def _parts(db: sqlite3.Connection) -> Iterator[Relations]:
    blocks = relations.listed(db)
    while part := list(islice(blocks, _TOGETHER)):
        yield relations.joined(part)


def _places(near: Int, free: Int) -> NDArray[np.int64]:
    """Return the next free place for each of some rising rows, and take these places."""
    starts = np.flatnonzero(np.concatenate([[True], near[1:] != near[:-1]]))
    counts = np.diff(np.append(starts, len(near)))
    places: NDArray[np.int64] = free[near] + np.arange(len(near)) - np.repeat(starts, counts)
    free[near[starts]] += counts
    return places
