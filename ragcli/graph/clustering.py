"""Clusters vectors by Gaussian mixtures. This is the only module that uses scikit-learn.

A mixture of n / 20 components over n vectors costs n ** 2, and the Bayesian information criterion
(BIC, Schwarz 1978) justifies far fewer components. Clustering therefore works from the top down. A
large layer is halved into parts of at most ``PART`` rows. Every part gets the mixture with the
lowest BIC. A cluster that is still too large gets a mixture of its own. The cost grows with
n log n. The cluster size is that of LeanRAG (section 3.1). RAPTOR (Sarthi et al. 2024) also chooses
by BIC and splits large clusters again.

One thread computes everything from fixed seeds, so equal rows give equal clusters.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

Rows = NDArray[np.float32]
Ints = NDArray[np.int64]

# Most rows of a part. Fitting a mixture to that many takes some tens of milliseconds.
PART = 400
# Principal components in which a mixture is fitted.
DIMENSIONS = 8
# Numbers of components to try.
COMPONENTS = (1, 2, 3, 4, 6, 8, 12)
# A cluster of more than this many times the size is split again.
LARGEST = 2
SEED = 7
_ROUNDS = 12
# Neither half of a split may be smaller than this share.
_LEAST_SHARE = 0.1


def clusters(vectors: Rows, size: int) -> Ints:
    """Return the cluster of each row of ``vectors`` (n, d): labels 0, 1, ... by their first row.

    Every cluster has at least two rows (unless n is 1) and at most ``LARGEST * size`` rows.
    """
    if not len(vectors):
        return np.empty(0, dtype=np.int64)
    labels = np.empty(len(vectors), dtype=np.int64)
    # Imported before the thread limit, which applies only to libraries that are already loaded.
    import sklearn.mixture  # noqa: F401

    with threadpool_limits(limits=1):
        groups = [rows for part in parts(vectors, PART) for rows in _bounded(vectors, part, size)]
    for label, rows in enumerate(sorted(groups, key=lambda rows: int(rows[0]))):
        labels[rows] = label
    return labels


def parts(vectors: Rows, most: int) -> Iterator[Ints]:
    """Yield groups of at most ``most`` rows, each rising, split by 2-means until small enough."""
    waiting = [np.arange(len(vectors))]
    while waiting:
        rows = waiting.pop()
        if len(rows) <= most:
            yield rows
            continue
        left = _halve(vectors[rows])
        waiting += [rows[~left], rows[left]]


def _halve(x: Rows) -> NDArray[np.bool_]:
    """Return which rows of ``x`` are in one half of a 2-means split.

    2-means starts along the first principal component. If it splits off almost nothing, the split
    is at the median instead.
    """
    centred = x - x.mean(axis=0)
    far = int(np.argmax(np.einsum("ij,ij->i", centred, centred)))
    direction = centred[far].copy()
    for _ in range(_ROUNDS):  # power iteration towards the principal direction
        direction = centred.T @ (centred @ direction)
        norm = float(np.linalg.norm(direction))
        if norm == 0:
            return np.arange(len(x)) < len(x) // 2
        direction /= norm
    along = centred @ direction
    side = np.asarray(along > 0)
    for _ in range(_ROUNDS):
        if not 0 < side.sum() < len(x):
            break
        ends = centred[side].mean(axis=0), centred[~side].mean(axis=0)
        middle = (float(ends[0] @ ends[0]) - float(ends[1] @ ends[1])) / 2
        moved = np.asarray(centred @ (ends[0] - ends[1]) > middle)
        if (moved == side).all():
            break
        side = moved
    if min(side.sum(), (~side).sum()) < _LEAST_SHARE * len(x):
        side = np.zeros(len(x), dtype=bool)
        side[np.argsort(along, kind="stable")[len(x) // 2 :]] = True
    return side


def _bounded(vectors: Rows, rows: Ints, size: int) -> Iterator[Ints]:
    """Yield clusters of some rows; a cluster that is too large is clustered again or halved."""
    waiting = [rows]
    while waiting:
        group = waiting.pop()
        if len(group) <= LARGEST * size:
            yield group
            continue
        labels = mixture(vectors[group])
        if labels.any():
            waiting += [group[labels == label] for label in range(labels.max() + 1)]
        else:
            left = _halve(vectors[group])
            waiting += [group[~left], group[left]]


def mixture(x: Rows) -> Ints:
    """Return the most likely component (n,) of each row in the mixture with the lowest BIC.

    Labels are 0, 1, ...; no component has only one row.
    """
    reduced = reduce(x, min(DIMENSIONS, len(x) - 1))
    best: Any = None
    lowest = np.inf
    for k in COMPONENTS:
        if 2 * k > len(x):
            break
        model = fit(reduced, k)
        if (bic := model.bic(reduced)) < lowest:
            best, lowest = model, bic
    return _without_singles(best.predict_proba(reduced))


def reduce(x: Rows, dimensions: int) -> NDArray[np.float64]:
    """Return the first principal components (n, dimensions) of the rows."""
    centred = x.astype(np.float64) - x.mean(axis=0, dtype=np.float64)
    left, widths, _ = np.linalg.svd(centred, full_matrices=False)
    return np.asarray(left[:, :dimensions] * widths[:dimensions])


def fit(x: NDArray[np.float64], k: int) -> Any:
    """Fit a mixture of k Gaussians with diagonal covariances to the rows of ``x``."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture

    model = GaussianMixture(
        k, covariance_type="diag", reg_covar=1e-4, max_iter=60, random_state=SEED
    )
    with warnings.catch_warnings():
        # Equal rows, or a last round that still changed a little: the clusters are usable.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(x)


def _without_singles(chance: NDArray[np.float64]) -> Ints:
    """Return the most likely component of each row, without components of only one row.

    Labels are 0, 1, ... by component.
    """
    chance = chance.copy()
    while True:
        labels = np.argmax(chance, axis=1)
        held = np.bincount(labels, minlength=chance.shape[1])
        single = np.flatnonzero(held == 1)
        if not len(single) or (held > 0).sum() == 1:
            break
        chance[:, single[0]] = -1.0
    return np.asarray(np.unique(labels, return_inverse=True)[1], dtype=np.int64)
