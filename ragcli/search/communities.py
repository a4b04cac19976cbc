"""Communities of a graph by the Leiden algorithm (Traag, Waltman and van Eck 2019), level by level.

The first level partitions the whole graph. A community of more than ``LARGEST`` nodes is
partitioned again by itself, and its parts belong to the next level, as in GraphRAG (Edge et al.
2024). The result depends on the order of the nodes, on the edges and on a fixed seed alone.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

LARGEST = 10
"""Nodes of a community that is not partitioned again (the size in GraphRAG's settings)."""

SEED = 7


@dataclass(frozen=True, slots=True)
class Community:
    """Nodes that belong together, rising; ``level`` counts from 0, the partition of all nodes.

    ``parts`` are the communities of the next level that these nodes are partitioned into; none in a
    small community, and in one that is no better in parts.
    """

    level: int
    nodes: Ints
    parts: tuple[Community, ...] = ()


def communities(nodes: int, edges: Ints, weights: Ints) -> tuple[Community, ...]:
    """Return the first level of communities, the largest first; ties by their first node.

    ``edges`` (m, 2) are pairs of nodes 0, 1, ..., ``nodes`` - 1, and ``weights`` (m,) are positive.
    A node without an edge is in no community.
    """
    linked = np.unique(edges)
    if not len(linked):
        return ()
    with _seeded():
        return _partition(linked, edges, weights, 0)


def finest_cut(found: tuple[Community, ...], most: int) -> tuple[Community, ...]:
    """Return the communities of the deepest level at which there are at most ``most``.

    A community that has no parts stands for itself at all levels below. If the first level has
    more, its largest are returned.
    """
    cut = found[:most]
    while True:
        finer = tuple(part for one in cut for part in (one.parts or (one,)))
        if len(finer) == len(cut) or len(finer) > most:
            return cut
        cut = finer


def _partition(nodes: Ints, edges: Ints, weights: Ints, level: int) -> tuple[Community, ...]:
    """Communities of some nodes by their inner edges; () if there is only one."""
    import igraph

    ends = np.searchsorted(nodes, edges)
    graph = igraph.Graph(n=len(nodes), edges=ends)
    found = graph.community_leiden(
        objective_function="modularity", weights=weights.tolist(), n_iterations=-1
    )
    labels = np.array(found.membership, dtype=np.int64)
    if level and labels.max() == 0:
        return ()
    made = []
    for label in range(labels.max() + 1):
        members = nodes[labels == label]
        parts: tuple[Community, ...] = ()
        if len(members) > LARGEST:
            inside = (labels[ends] == label).all(axis=1)
            parts = _partition(members, edges[inside], weights[inside], level + 1)
        made.append(Community(level, members, parts))
    return tuple(sorted(made, key=lambda one: (-len(one.nodes), int(one.nodes[0]))))


@contextmanager
def _seeded() -> Iterator[None]:
    """Let igraph draw from a generator with a fixed seed, and afterwards from the usual one."""
    import igraph

    igraph.set_random_number_generator(random.Random(SEED))
    try:
        yield
    finally:
        igraph.set_random_number_generator(random)
