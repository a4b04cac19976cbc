"""The walk against linear algebra, a worked example and its own laws."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ragcli.graph.pagerank import personalised_pagerank

Graph = tuple[int, list[tuple[int, int, float]], list[float]]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """A small directed weighted graph, some nodes without edges, and seeds."""
    n = draw(st.integers(1, 7))
    node = st.integers(0, n - 1)
    edges = draw(st.lists(st.tuples(node, node, st.floats(0.1, 5)), max_size=20))
    seeds = draw(st.lists(st.floats(0, 1), min_size=n, max_size=n))
    seeds[draw(node)] += 0.5
    return n, edges, seeds


def walked(graph: Graph, damping: float = 0.7, steps: int = 60) -> np.ndarray:
    _, edges, seeds = graph
    sources = np.array([a for a, _, _ in edges], dtype=np.int64)
    targets = np.array([b for _, b, _ in edges], dtype=np.int64)
    weights = np.array([w for _, _, w in edges], dtype=np.float64)
    return personalised_pagerank(sources, targets, weights, np.array(seeds), damping, steps)


def solved(graph: Graph, damping: float = 0.7) -> np.ndarray:
    """The limit by dense linear algebra: x = (1 - d) r + d M x, stuck nodes going to r."""
    n, edges, seeds = graph
    moves = np.zeros((n, n))
    for a, b, w in edges:
        moves[b, a] += w
    restart = np.array(seeds) / np.sum(seeds)
    out = moves.sum(axis=0)
    moves = np.where(out > 0, moves / np.where(out > 0, out, 1), restart[:, None])
    return np.linalg.solve(np.eye(n) - damping * moves, (1 - damping) * restart)


def test_worked_example() -> None:
    """One edge, seeded at one end, damping a half: two thirds and one third."""
    both_ways = (2, [(0, 1, 3.0), (1, 0, 3.0)], [1.0, 0.0])
    assert np.allclose(walked(both_ways, damping=0.5), [2 / 3, 1 / 3])


@given(graphs())
def test_equals_dense_linear_algebra(graph: Graph) -> None:
    """Enough rounds reach the solution of the linear system."""
    assert np.allclose(walked(graph), solved(graph), atol=1e-8)


@given(graphs(), st.integers(0, 30))
def test_stays_a_distribution_and_nears_the_limit(graph: Graph, steps: int) -> None:
    """Shares are never negative, sum to one, and miss the limit by 2 * damping ** steps at most."""
    found = walked(graph, steps=steps)
    assert (found >= 0).all() and np.isclose(found.sum(), 1)
    assert np.abs(found - solved(graph)).sum() <= 2 * 0.7**steps + 1e-9


@given(graphs())
def test_scale_of_weights_and_seeds_is_of_no_account(graph: Graph) -> None:
    """Only proportions matter."""
    n, edges, seeds = graph
    larger = (n, [(a, b, 3 * w) for a, b, w in edges], [5 * s for s in seeds])
    assert np.allclose(walked(graph), walked(larger))
