"""Edges in a file are the edges that were packed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcli.search.edge_layers import EdgeLayer, Rows, from_arrays, pack
from ragcli.search.packed_edges import PackedEdges, narrowed

# Rows whose differences take one byte to five.
rows_ = st.sampled_from([0, 1, 5, 127, 128, 129, 255, 16_383, 16_384, 2**21, 2**28, 2**31 - 1])
pairs_ = st.sets(st.tuples(rows_, rows_), max_size=40)


def made(pairs: set[tuple[int, int]], weights: list[float] | None = None) -> EdgeLayer:
    """A layer of edges; without weights, each has one of its own."""
    ends = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
    given_ = np.arange(len(ends)) if weights is None else np.resize(weights, len(ends))
    return pack(ends[:, 0], ends[:, 1], given_.astype(np.float32))


def read(layer: EdgeLayer) -> PackedEdges:
    return from_arrays("x", layer.arrays("x"))


@settings(deadline=None, max_examples=40)
@given(pairs_, st.integers(1, 7), st.sampled_from([None, [2.0], [2.0, 3.0]]))
def test_packed_edges_are_read_as_they_were(
    pairs: set[tuple[int, int]], block: int, weights: list[float] | None
) -> None:
    """Whatever the differences, the number of edges packed at once, and the weights."""
    layer = made(pairs, weights)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ragcli.search.packed_edges._BLOCK", block)
        found = read(layer)

    for at in range(3):
        assert found.listed()[at].tolist() == layer.listed()[at].tolist()
    wanted = np.array([128, 3, 0, 2**31 - 1, 2**40, 128])
    for at in range(3):
        assert found.of(wanted)[at].tolist() == layer.of(wanted)[at].tolist()
    assert Rows([found]).degrees(wanted).tolist() == Rows([layer]).degrees(wanted).tolist()


def test_edges_of_one_weight_take_a_byte_or_two() -> None:
    """No weights, and each end as its difference to the one before."""
    found = read(made({(1, b) for b in range(1000, 1100)}, [4.0]))
    assert (len(found.weights), len(found.starts), found.values.tolist()) == (0, 0, [4.0])
    assert len(found.steps) == 101
    assert found.of(np.array([1]))[1].tolist() == list(range(1000, 1100))


@pytest.mark.parametrize(
    ("most", "kind"), [(127, np.int8), (-128, np.int16), (2**15, np.int32), (2**31, np.int64)]
)
def test_numbers_take_the_narrowest_type_that_holds_them(most: int, kind: type) -> None:
    found = narrowed(np.array([0, most]))
    assert found.dtype == np.dtype(kind)
    assert found.tolist() == [0, most]
