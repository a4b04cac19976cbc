"""Paths to the lowest common ancestor, against a search that knows nothing of trees."""

from __future__ import annotations

from collections import defaultdict, deque
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from ragcli.graph.common_ancestor import chain, lca_paths


@st.composite
def forests(draw: st.DrawFn) -> tuple[dict[int, int], list[int]]:
    """Parents of up to 30 nodes (each below an earlier one, or a root), and some seeds."""
    n = draw(st.integers(1, 30))
    parents = {}
    for node in range(1, n):
        parent = draw(st.integers(-1, node - 1))
        if parent >= 0:
            parents[node] = parent
    return parents, draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=6))


def shortest(parents: dict[int, int], a: int, b: int) -> set[int]:
    """Nodes of the only path between two nodes, by breadth-first search; all roots hang on -1."""
    edges: dict[int, set[int]] = defaultdict(set)
    for node in {*parents, *parents.values(), a, b}:
        parent = parents.get(node, -1)
        edges[node].add(parent)
        edges[parent].add(node)
    before = {a: a}
    waiting = deque([a])
    while waiting:
        node = waiting.popleft()
        for other in edges[node] - before.keys():
            before[other] = node
            waiting.append(other)
    found = {b}
    while b != a:
        b = before[b]
        found.add(b)
    return found - {-1}


@given(forests())
def test_union_of_paths_between_all_pairs(made: tuple[dict[int, int], list[int]]) -> None:
    """Going up to where all seeds meet gives the same nodes as the paths between every two."""
    parents, seeds = made
    wanted = set(seeds)
    for a, b in combinations(set(seeds), 2):
        wanted |= shortest(parents, a, b)
    found = lca_paths(parents, seeds)
    assert set(found) == wanted
    assert len(found) == len(wanted)


def test_worked_example() -> None:
    """Two of one cluster meet there; a third makes them all meet one level up."""
    parents = {"ann": "people", "bob": "people", "rome": "places", "people": "all", "places": "all"}
    assert chain(parents, "ann") == ["ann", "people", "all"]
    assert lca_paths(parents, ["ann", "bob"]) == ["ann", "people", "bob"]
    assert set(lca_paths(parents, ["ann", "rome"])) == {"ann", "people", "all", "rome", "places"}
    assert lca_paths(parents, ["ann"]) == ["ann"]
