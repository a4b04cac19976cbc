"""Boosted trees, fitted with scikit-learn, as ``ragcli.models.trees`` reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier

Fitted = dict[str, Any]
"""``bias``, and ``trees``: of each its nodes, (feature, threshold, left, right) or (value,)."""


def grown(
    rows: NDArray[np.float64],
    right: Sequence[bool],
    settings: dict[str, Any],
    weights: NDArray[np.float64] | None = None,
) -> Fitted:
    """Trees whose sum is the log odds that a row of features, (n, features), is right."""
    model = HistGradientBoostingClassifier(**settings).fit(rows, right, sample_weight=weights)
    # scikit-learn has no public way to these nodes.
    trees = [_nodes(predictors[0].nodes) for predictors in model._predictors]
    return {"bias": round(float(model._baseline_prediction[0, 0]), 5), "trees": trees}


def _nodes(nodes: NDArray[Any]) -> list[list[float]]:
    return [
        [round(float(node["value"]), 5)]
        if node["is_leaf"]
        else [
            int(node["feature_idx"]),
            round(float(node["num_threshold"]), 5),
            int(node["left"]),
            int(node["right"]),
        ]
        for node in nodes
    ]
