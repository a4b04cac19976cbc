"""The arrays of passages and names."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.search.edge_layers import Rows, pack
from ragcli.search.passage_graph import PassageGraph, edge_weight

Edge = tuple[int, int, float]


def graph_of(edges: list[Edge], passages: int) -> PassageGraph:
    """A graph of the passages 0 to ``passages`` - 1."""
    p = np.array([e[0] for e in edges], dtype=np.int64)
    e = np.array([e[1] for e in edges], dtype=np.int64)
    w = np.array([e[2] for e in edges], dtype=np.float32)
    return PassageGraph(np.arange(passages), Rows([pack(p, e, w)]), Rows([pack(e, p, w)]))


pairs = st.sets(st.tuples(st.integers(0, 7), st.integers(0, 5)), max_size=30)


@given(pairs, st.lists(st.integers(0, 7), unique=True))
def test_rows_hold_their_edges(edges: set[tuple[int, int]], rows: list[int]) -> None:
    """Reading rows gives what a search through the list of edges gives."""
    graph = graph_of([(p, e, 1.0 + e) for p, e in edges], 8)
    at, ends, weights = graph.by_passage.of(np.array(rows, dtype=np.int64))
    found = [(rows[a], int(e), float(w)) for a, e, w in zip(at, ends, weights, strict=True)]
    assert found == [(r, e, 1.0 + e) for r in rows for e in range(6) if (r, e) in edges]


@given(pairs, st.integers(1, 8))
def test_around_keeps_within_its_limit(edges: set[tuple[int, int]], limit: int) -> None:
    """The seeds are in, nothing unconnected is, and the limit holds."""
    graph = graph_of([(p, e, 1.0) for p, e in edges], 8)
    found = graph.around(np.array([0]), np.array([], dtype=np.int64), limit)
    assert 0 in found and len(found) <= limit and (np.diff(found) > 0).all()
    if limit < 8:
        assert set(found.tolist()) <= component(edges, 0)


def component(edges: set[tuple[int, int]], start: int) -> set[int]:
    """Passages connected with one, by brute force."""
    inside = {start}
    while True:
        names = {e for p, e in edges if p in inside}
        more = inside | {p for p, e in edges if e in names}
        if more == inside:
            return inside
        inside = more


def test_around_follows_rare_names_first() -> None:
    """From passage 0, the name of two passages comes before that of four."""
    common = [(p, 0, 1.0) for p in (0, 1, 2, 3)]
    graph = graph_of([*common, (0, 1, 1.0), (4, 1, 1.0)], 6)
    nobody = np.array([], dtype=np.int64)
    assert graph.around(np.array([0]), nobody, 2).tolist() == [0, 4]
    assert graph.around(np.array([0]), nobody, 5).tolist() == [0, 1, 2, 3, 4]


def test_weights() -> None:
    """1 + ln(mentions); a title that the passage does not say weighs five times one mention."""
    found = edge_weight(np.array([1, 3, 0, 3]), np.array([0, 0, 1, 1]))
    assert found == pytest.approx([1, 1 + np.log(3), 5, 5 + np.log(3)])
