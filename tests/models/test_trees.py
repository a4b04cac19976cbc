"""Boosted trees as data."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ragcli.models.trees import Node, Trees

STUMP: list[Node] = [(0, 0.5, 1, 2), (-1.0,), (1.0,)]
DEEPER: list[Node] = [(1, 0.0, 1, 2), (10.0,), (0, 2.0, 3, 4), (20.0,), (30.0,)]


@pytest.mark.parametrize(
    ("row", "total"),
    [((0.5, 0.0), 9.25), ((0.6, 0.0), 11.25), ((0.0, 1.0), 19.25), ((3.0, 1.0), 31.25)],
)
def test_every_tree_adds_its_leaf(row: tuple[float, float], total: float) -> None:
    """At most the threshold goes left; trees may be of different depth."""
    assert Trees(0.25, [STUMP, DEEPER]).sums(np.array([row])).tolist() == [total]


def followed(tree: list[Node], row: list[float]) -> float:
    """What a tree says, node by node."""
    node = tree[0]
    while len(node) > 1:
        node = tree[int(node[2] if row[int(node[0])] <= node[1] else node[3])]
    return node[0]


@given(arrays(np.float64, (5, 2), elements=st.floats(-3, 3)))
def test_rows_side_by_side_are_as_one_by_one(rows: np.ndarray) -> None:
    """A row's sum does not depend on the others."""
    sums = Trees(1.0, [STUMP, DEEPER, STUMP]).sums(rows).tolist()
    assert sums == [
        1.0 + sum(followed(tree, row) for tree in (STUMP, DEEPER, STUMP)) for row in rows.tolist()
    ]


def test_no_rows() -> None:
    """Nothing to add up."""
    assert Trees(1.0, [STUMP]).sums(np.empty((0, 2))).shape == (0,)
