"""Boosted trees as data: what some hundreds of small trees add up to for rows of features."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

Node = Sequence[float]
"""(feature, threshold, left, right): left if the feature is at most the threshold, nodes counted in
their tree; a leaf is (value,)."""


class Trees:
    """Trees, all of them side by side, so that few steps serve all rows."""

    def __init__(self, bias: float, trees: Sequence[Sequence[Node]]) -> None:
        """``bias`` is added to the sum of all trees; the first node of a tree is its root."""
        self._bias = bias
        self._roots = np.array([0, *accumulate(map(len, trees))][:-1], dtype=np.int64)
        feature, threshold, left, right, value = [], [], [], [], []
        for root, tree in zip(self._roots.tolist(), trees, strict=True):
            for at, node in enumerate(tree, root):
                inner = len(node) > 1
                feature.append(int(node[0]) if inner else 0)
                threshold.append(node[1] if inner else np.inf)
                left.append(root + int(node[2]) if inner else at)
                right.append(root + int(node[3]) if inner else at)
                value.append(0.0 if inner else node[0])
        self._feature, self._threshold = np.array(feature, np.int64), np.array(threshold)
        self._left, self._right = np.array(left, np.int64), np.array(right, np.int64)
        self._value = np.array(value)

    def sums(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """What all trees add up to for each row: rows (n, features) to (n,)."""
        at = np.tile(self._roots, (len(rows), 1))
        every = np.arange(len(rows))[:, None]
        while True:
            lower = rows[every, self._feature[at]] <= self._threshold[at]
            below = np.where(lower, self._left[at], self._right[at])
            if np.array_equal(below, at):
                return np.asarray(self._bias + self._value[at].sum(axis=1))
            at = below
