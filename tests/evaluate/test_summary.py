"""Intervals and summaries: against a plain loop, SciPy where it is installed, and by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ragcli.evaluate import bootstrap
from ragcli.evaluate.results import CaseOutcome, EvalSettings
from ragcli.evaluate.summary import summarise

from .makers import case


def test_intervals_equal_a_plain_loop() -> None:
    """Counting draws and multiplying gives what drawing the values gives."""
    values = np.random.default_rng(5).random((30, 2))
    generator = np.random.default_rng(0)
    drawn = generator.integers(0, 30, (500, 30))
    means = values[drawn].mean(axis=1)
    expected = np.percentile(means, [2.5, 97.5], axis=0).T
    assert bootstrap.intervals(values, 500, 0) == pytest.approx(expected)


def test_intervals_near_scipys() -> None:
    """Another implementation with other draws gives the same interval to 1 %."""
    stats = pytest.importorskip("scipy.stats")
    values = np.random.default_rng(7).random(200)
    ours = bootstrap.intervals(values[:, None])[0]
    theirs = stats.bootstrap((values,), np.mean, method="percentile", rng=1).confidence_interval
    assert ours == pytest.approx([theirs.low, theirs.high], rel=0.01)


def test_blocks_do_not_matter_for_the_laws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many small blocks give the same draws as one."""
    values = np.random.default_rng(3).random((20, 3))
    whole = bootstrap.intervals(values, 300)
    monkeypatch.setattr(bootstrap, "_BLOCK", 100)
    assert bootstrap.intervals(values, 300) == pytest.approx(whole)


def test_sparse_columns() -> None:
    """NaN has no weight: a column known for few cases has an interval of those, or none."""
    values = np.full((40, 3), np.nan)
    values[0, 0] = 0.25
    values[:, 1] = 1.0
    bounds = bootstrap.intervals(values, 1000)
    assert bounds[0] == pytest.approx([0.25, 0.25])
    assert bounds[1] == pytest.approx([1.0, 1.0])
    assert np.isnan(bounds[2]).all()


def outcome(name: str, mode: str, **scores: float) -> CaseOutcome:
    """Make an outcome that has scores only."""
    return CaseOutcome(name, mode, scores, (), (), (), "", "none", False)


def test_modes_are_paired_by_case() -> None:
    """b is better by 0.1 on every case, however much cases differ: the interval is a point."""
    cases = [case(str(n), type="odd" if n % 2 else "even") for n in range(10)]
    outcomes = [
        outcome(c.id, mode, mrr=int(c.id) / 10 + (mode == "b") / 10, total_ms=float(c.id))
        for c in cases
        for mode in ("a", "b")
    ]
    first, second = summarise(cases, ["a", "b"], outcomes, EvalSettings(ks=(1,), resamples=200))
    assert first.differences == {}
    gap = second.differences["mrr"]
    assert (gap.mean, gap.low, gap.high) == pytest.approx((0.1, 0.1, 0.1))
    assert gap.clear and not second.differences["total_ms"].clear
    stat = first.stats["mrr"]
    assert stat.low < stat.mean == pytest.approx(0.45) and stat.mean < stat.high and stat.n == 10
    assert first.stats["total_ms"].p50 == pytest.approx(4.5)
    assert first.by_type["odd"]["mrr"] == pytest.approx(0.5)
    assert list(first.stats) == ["mrr", "total_ms"]


def test_a_metric_some_cases_lack() -> None:
    """Only the cases that have it count, and differences only where both modes have it."""
    cases = [case("1"), case("2")]
    outcomes = [
        outcome("1", "a", mrr=1.0),
        outcome("1", "b", mrr=0.5, f1=1.0),
        outcome("2", "a"),
        outcome("2", "b", mrr=0.0),
    ]
    first, second = summarise(cases, ["a", "b"], outcomes, EvalSettings(ks=(1,), resamples=100))
    assert (first.stats["mrr"].n, second.stats["mrr"].n) == (1, 2)
    assert second.differences["mrr"].mean == pytest.approx(-0.5)
    assert "f1" not in first.stats and "f1" not in second.differences


def test_coverage_ranks_by_confidence() -> None:
    """The surest answers come first, those without a short answer last; by hand."""
    cases = [case(str(n), answers=("x",)) for n in range(4)]
    cases.append(case("none", answerable=False))
    found = [("0", 0.9, 1.0), ("1", 0.8, 0.2), ("2", 0.7, 0.6), ("none", 0.6, None)]
    outcomes = [
        replace(
            outcome(name, "a", **({} if f1 is None else {"f1": f1})), short="x", confidence=sure
        )
        for name, sure, f1 in found
    ]
    outcomes.append(outcome("3", "a", f1=0.0))
    (summary,) = summarise(cases, ["a"], outcomes, EvalSettings(ks=(1,), resamples=10))
    curve = summary.coverage
    assert curve is not None and curve.n == 5
    # right, wrong, right, answered though there is no answer, not answered
    assert curve.area == pytest.approx((1 + 1 / 2 + 2 / 3 + 2 / 4 + 2 / 5) / 5)
    by_coverage = {point.coverage: point for point in curve.points}
    assert (by_coverage[0.2].accuracy, by_coverage[0.2].confidence) == (1.0, 0.9)
    assert by_coverage[0.6].accuracy == pytest.approx(2 / 3)
    assert (by_coverage[1.0].accuracy, by_coverage[1.0].confidence) == (0.4, 0.0)


def test_no_short_answers_no_curve() -> None:
    """Retrieval only, or answers of a language model."""
    summaries = summarise([case("1")], ["a"], [outcome("1", "a", f1=1.0)], EvalSettings(ks=(1,)))
    assert summaries[0].coverage is None
