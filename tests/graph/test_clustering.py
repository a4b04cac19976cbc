"""Clusters by Gaussian mixtures: against scikit-learn itself, and what holds for any rows."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

from ragcli.graph import clustering as m


def blobs(clusters: int, each: int, spread: float = 0.05) -> tuple[m.Rows, m.Ints]:
    """Rows around random directions in 64 dimensions, and whose each is."""
    rng = np.random.default_rng(3)
    centres = rng.standard_normal((clusters, 64))
    rows = np.repeat(centres, each, axis=0) + spread * rng.standard_normal((clusters * each, 64))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows.astype(np.float32), np.repeat(np.arange(clusters), each)


def test_small_layer_is_what_scikit_learn_gives() -> None:
    """The mixture of lowest BIC over principal components, computed here the long way."""
    rows, _ = blobs(5, 15, 0.4)
    centred = rows.astype(np.float64) - rows.mean(axis=0, dtype=np.float64)
    values, vectors = np.linalg.eigh(centred.T @ centred)
    reduced = centred @ vectors[:, np.argsort(-values)[: m.DIMENSIONS]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        models = [
            GaussianMixture(
                k, covariance_type="diag", reg_covar=1e-4, max_iter=60, random_state=m.SEED
            ).fit(reduced)
            for k in m.COMPONENTS
        ]
    best = min(models, key=lambda model: model.bic(reduced))
    found = m.mixture(rows)
    assert adjusted_rand_score(best.predict(reduced), found) == pytest.approx(1.0)
    assert len(set(found.tolist())) == best.n_components > 1


def test_clear_clusters_are_found_across_parts() -> None:
    """Forty far clusters in several parts come out whole."""
    rows, true = blobs(40, 25)
    found = m.clusters(rows, 20)
    assert len(rows) > 2 * m.PART
    assert adjusted_rand_score(true, found) > 0.95


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 120), st.integers(1, 6), st.integers(0, 3))
def test_clusters_are_never_alone_nor_too_large(n: int, distinct: int, seed: int) -> None:
    """Also of rows that are equal; labels count up from 0 in order of their first row."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((distinct, 8)).astype(np.float32)[rng.integers(0, distinct, n)]
    labels = m.clusters(rows, 5)
    sizes = np.bincount(labels)
    assert len(labels) == n
    assert sizes.max() <= m.LARGEST * 5 or n == 1
    assert n == 1 or sizes.min() >= 2
    first = [int(np.argmax(labels == label)) for label in range(len(sizes))]
    assert first == sorted(first)


def test_no_rows_no_clusters() -> None:
    """An empty layer."""
    assert len(m.clusters(np.empty((0, 8), dtype=np.float32), 20)) == 0


def test_a_hundredth_more_moves_little() -> None:
    """One row in a hundred added: nearly all pairs stay together or apart."""
    rng = np.random.default_rng(5)
    rows, _ = blobs(30, 40, 0.6)
    more = np.concatenate([rows, rng.standard_normal((12, 64)).astype(np.float32) / 8])
    before, after = m.clusters(rows, 20), m.clusters(more, 20)[: len(rows)]
    assert adjusted_rand_score(before, after) > 0.6


def test_equal_rows_give_equal_clusters() -> None:
    """Twice the same, bit for bit."""
    rows, _ = blobs(12, 30, 0.7)
    assert (m.clusters(rows, 20) == m.clusters(rows.copy(), 20)).all()
