"""Summarises outcomes as means with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ragcli.evaluate.bootstrap import intervals
from ragcli.evaluate.cases import Case
from ragcli.evaluate.coverage import coverage
from ragcli.evaluate.results import CaseOutcome, Difference, EvalSettings, ModeSummary, Stat
from ragcli.evaluate.score import names

Array = npt.NDArray[np.float64]


def summarise(
    cases: Sequence[Case],
    modes: Sequence[str],
    outcomes: Sequence[CaseOutcome],
    settings: EvalSettings,
) -> tuple[ModeSummary, ...]:
    """Summarise each mode; differences are paired by case with the first mode."""
    by_id = {case.id: case for case in cases}
    known = {(outcome.case, outcome.mode): outcome.scores for outcome in outcomes}
    metrics = [m for m in names(settings.ks) if any(m in scores for scores in known.values())]
    cube = np.array(
        [[[known[c.id, mode].get(m, np.nan) for m in metrics] for mode in modes] for c in cases]
    ).reshape(len(cases), len(modes), len(metrics))
    values = cube.reshape(len(cases), -1)
    gaps = (cube[:, 1:] - cube[:, :1]).reshape(len(cases), -1)
    # One set of resamples for all columns: the comparison of modes is paired by construction.
    bounds = intervals(np.hstack([values, gaps]), settings.resamples, settings.seed)
    own = bounds[: values.shape[1]].reshape(len(modes), len(metrics), 2)
    paired = bounds[values.shape[1] :].reshape(len(modes) - 1, len(metrics), 2)
    return tuple(
        ModeSummary(
            mode,
            _stats(metrics, cube[:, place], own[place]),
            _differences(metrics, cube, place, paired[place - 1]) if place else {},
            _by_type(cases, metrics, cube[:, place]),
            coverage(by_id, [outcome for outcome in outcomes if outcome.mode == mode]),
        )
        for place, mode in enumerate(modes)
    )


def _stats(metrics: Sequence[str], values: Array, bounds: Array) -> dict[str, Stat]:
    """``values`` is (cases, metrics) with NaN for "no value", ``bounds`` (metrics, 2)."""
    stats = {}
    for column, metric in enumerate(metrics):
        known = values[~np.isnan(values[:, column]), column]
        if known.size:
            p50, p95 = np.percentile(known, [50, 95])
            low, high = bounds[column]
            stats[metric] = Stat(
                mean=float(known.mean()),
                low=float(low),
                high=float(high),
                p50=float(p50),
                p95=float(p95),
                n=int(known.size),
            )
    return stats


def _differences(
    metrics: Sequence[str], cube: Array, place: int, bounds: Array
) -> dict[str, Difference]:
    differences = {}
    for column, metric in enumerate(metrics):
        gaps = cube[:, place, column] - cube[:, 0, column]
        known = gaps[~np.isnan(gaps)]
        if known.size:
            low, high = bounds[column]
            differences[metric] = Difference(float(known.mean()), float(low), float(high))
    return differences


def _by_type(
    cases: Sequence[Case], metrics: Sequence[str], values: Array
) -> Mapping[str, Mapping[str, float]]:
    types = sorted({case.type for case in cases if case.type})
    grouped: dict[str, dict[str, float]] = {}
    for kind in types:
        rows = values[[case.type == kind for case in cases]]
        grouped[kind] = {
            metric: float(known.mean())
            for column, metric in enumerate(metrics)
            if (known := rows[~np.isnan(rows[:, column]), column]).size
        }
    return grouped
