"""Communities of made graphs, whose partition is known."""

from __future__ import annotations

import random
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ragcli.search.communities import LARGEST, Community, communities, finest_cut

Ints = NDArray[np.int64]


def ring(cliques: int, size: int) -> tuple[int, Ints, Ints]:
    """Cliques in a ring, each linked to the next one by one edge; all weights are 1."""
    edges: list[tuple[int, int]] = []
    for first in range(0, cliques * size, size):
        edges += combinations(range(first, first + size), 2)
        edges.append((first, (first + size) % (cliques * size) + 1))
    return cliques * size, np.sort(np.array(edges), axis=1), np.ones(len(edges), dtype=np.int64)


def nodes_of(found: tuple[Community, ...]) -> list[list[int]]:
    return [one.nodes.tolist() for one in found]


def test_cliques_are_communities() -> None:
    """The largest community comes first, then the one of the first node; a single node has none."""
    count, edges, weights = ring(3, 6)
    found = communities(count + 1, edges, weights)
    assert nodes_of(found) == [list(range(at, at + 6)) for at in (0, 6, 12)]
    assert [(one.level, one.parts) for one in found] == [(0, ())] * 3


def test_large_communities_have_parts() -> None:
    """Modularity joins neighbours in a long ring of triangles; a second partition finds them."""
    found = communities(*ring(60, 3))
    assert sorted(node for nodes in nodes_of(found) for node in nodes) == list(range(180))
    large = [one for one in found if len(one.nodes) > LARGEST]
    assert large and all(not one.parts for one in found if len(one.nodes) <= LARGEST)
    for one in large:
        assert {part.level for part in one.parts} == {1}
        parts = sorted(nodes_of(one.parts))
        assert parts == [list(range(at, at + 3)) for at in one.nodes.tolist()[::3]]


def test_the_finest_cut_that_fits() -> None:
    """All nodes stand in it once at any limit that the first level keeps to."""
    found = communities(*ring(60, 3))
    finest = sum(len(one.parts) or 1 for one in found)
    assert len(found) < finest
    assert finest_cut(found, len(found)) == finest_cut(found, finest - 1) == found
    cut = finest_cut(found, finest)
    assert len(cut) == finest and not any(one.parts for one in cut)
    assert sorted(node for nodes in nodes_of(cut) for node in nodes) == list(range(180))
    assert finest_cut(found, 2) == found[:2]


def test_the_same_graph_has_the_same_communities() -> None:
    """Whatever was drawn before, and nothing is drawn from the usual generator."""
    first = communities(*ring(40, 4))
    random.seed(99)
    before = random.getstate()
    assert nodes_of(communities(*ring(40, 4))) == nodes_of(first)
    assert random.getstate() == before


def test_no_edges() -> None:
    empty = np.empty((0, 2), dtype=np.int64)
    assert communities(5, empty, np.empty(0, dtype=np.int64)) == ()
    assert finest_cut((), 9) == ()
