"""Thresholds for continuous integration: ``[mode:]metric[.p50|.p95]=value``."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from ragcli.errors import ConfigError
from ragcli.evaluate.results import ModeSummary, Threshold, ThresholdResult
from ragcli.evaluate.score import lower_is_better, names

_FORM = "write [MODE:]METRIC[.p50|.p95]=VALUE, for example recall@5=0.8 or lean:total_ms.p95=800"


def parse_threshold(text: str) -> Threshold:
    """Parse one threshold; raises ConfigError if it does not have the form above.

    >>> parse_threshold("walk:recall@5=0.8")
    Threshold(metric='recall@5', value=0.8, mode='walk', stat='mean')
    """
    left, equals, right = text.strip().partition("=")
    mode, colon, metric = left.rpartition(":")
    name, dot, stat = metric.partition(".")
    try:
        value = float(right)
    except ValueError:
        equals = ""
    badly = not equals or not name or (colon and not mode) or (dot and stat not in {"p50", "p95"})
    if badly or not isfinite(value):
        raise ConfigError(f"threshold {text!r} cannot be read", _FORM)
    return Threshold(name.strip(), value, mode.strip(), stat or "mean")


def check_names(thresholds: Sequence[Threshold], modes: Sequence[str], ks: Sequence[int]) -> None:
    """Raise ConfigError for a metric or mode that this evaluation does not measure.

    Called before the first question, so that a misspelt name does not waste a run.
    """
    for threshold in thresholds:
        if threshold.metric not in names(ks):
            known = ", ".join(names(ks)[:8])
            raise ConfigError(
                f"threshold {threshold.text}: no metric {threshold.metric!r} with k in {list(ks)}",
                f"metrics are {known}, ...",
            )
        if threshold.mode and threshold.mode not in modes:
            raise ConfigError(
                f"threshold {threshold.text}: mode {threshold.mode!r} is not evaluated",
                f"modes are {', '.join(modes)}",
            )


def check(
    thresholds: Sequence[Threshold], summaries: Sequence[ModeSummary]
) -> tuple[ThresholdResult, ...]:
    """Compare each threshold with its modes; costs must be at or below the value."""
    return tuple(
        _compare(threshold, summary)
        for threshold in thresholds
        for summary in summaries
        if threshold.mode in ("", summary.mode)
    )


def _compare(threshold: Threshold, summary: ModeSummary) -> ThresholdResult:
    stat = summary.stats.get(threshold.metric)
    if stat is None:
        return ThresholdResult(threshold, summary.mode, None, False)
    value: float = getattr(stat, threshold.stat)
    # A mean of floats that equals 0.8 exactly may be computed as 0.7999999999999999.
    slack = 1e-9 * max(1.0, abs(threshold.value))
    if lower_is_better(threshold.metric):
        passed = value <= threshold.value + slack
    else:
        passed = value >= threshold.value - slack
    return ThresholdResult(threshold, summary.mode, value, passed)
