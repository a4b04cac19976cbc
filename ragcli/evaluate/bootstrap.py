"""Bootstrap intervals for many columns of numbers at once (Efron 1979, percentile method)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

# Counts drawn per batch: 2^22 of 8 bytes are 32 MiB, independent of the number of cases.
_BLOCK = 1 << 22
_BOUNDS = (2.5, 97.5)


def intervals(values: Array, resamples: int = 10_000, seed: int = 0) -> Array:
    """Return the 95 % interval of each column's mean: shape (cases, columns) -> (columns, 2).

    Cases are drawn with replacement, with the same draws for every column, so a column of
    differences is a paired comparison. NaN means "no value": the cell has no weight in the mean of
    its column. Columns without values give NaN. The seed makes the result reproducible.
    """
    known = ~np.isnan(values)
    means = _means(np.where(known, values, 0.0), known.astype(np.float64), resamples, seed)
    bounds = np.full((values.shape[1], 2), np.nan)
    for column in np.flatnonzero(known.any(axis=0)):
        drawn = means[:, column]
        # A resample without any case of a sparse column gives no mean for it.
        bounds[column] = np.percentile(drawn[~np.isnan(drawn)], _BOUNDS)
    return bounds


def _means(values: Array, weights: Array, resamples: int, seed: int) -> Array:
    """Return weighted means of resampled cases, (resamples, columns); NaN without weight."""
    cases = values.shape[0]
    generator = np.random.default_rng(seed)
    out = np.empty((resamples, values.shape[1]))
    step = max(1, _BLOCK // max(cases, 1))
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        counts = _counts(generator, rows, cases)
        with np.errstate(invalid="ignore"):
            out[start : start + rows] = (counts @ values) / (counts @ weights)
    return out


def _counts(generator: np.random.Generator, rows: int, cases: int) -> Array:
    """Draw ``rows`` resamples: how often each case was drawn, shape (rows, cases)."""
    drawn = generator.integers(0, cases, (rows, cases)) + np.arange(rows)[:, None] * cases
    counts = np.bincount(drawn.ravel(), minlength=rows * cases)
    return counts.reshape(rows, cases).astype(np.float64)
