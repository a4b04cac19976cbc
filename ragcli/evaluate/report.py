"""An evaluation as data: report.json, and rows of text for a table on the terminal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson

from ragcli.evaluate.results import Difference, Evaluation, ModeSummary, Stat
from ragcli.evaluate.score import names
from ragcli.evaluate.verdicts import Judged
from ragcli.overwriting import head

# The format of report.json; increase it when the format changes incompatibly.
FORMAT = 1


def to_json(evaluation: Evaluation, judged: Judged | None = None) -> bytes:
    """Return report.json: the evaluation's records with their own field names.

    The same evaluation gives the same bytes; the report contains no date.
    """
    record: dict[str, Any] = {"format": FORMAT, "passed": evaluation.passed, **asdict(evaluation)}
    for result, row in zip(evaluation.thresholds, record["thresholds"], strict=True):
        row["threshold"] = result.threshold.text
    record["settings"]["thresholds"] = [t.text for t in evaluation.settings.thresholds]
    record["judge"] = asdict(judged) if judged else None
    return orjson.dumps(record, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def is_report(file: Path) -> bool:
    """Whether a file is a report.json that ``to_json`` made, of any format."""
    return re.match(rb'{\s*"format": \d+,\s*"passed": ', head(file)) is not None


def table_rows(evaluation: Evaluation, detail: int = 2) -> list[list[str]]:
    """Return the table of modes as text, headings first: a row for each metric measured.

    A cell is "mean [low, high]", and for later modes also the paired difference to the first,
    with "*" if its interval excludes zero. ``detail`` 1 omits the interval, 0 also the difference
    (but not its star). Latencies show "p50 / p95".
    """
    heads = ["metric", *evaluation.modes]
    rows = [[m, *(_cell(s, m, detail) for s in evaluation.summaries)] for m in measured(evaluation)]
    return [heads, *rows]


def coverage_rows(evaluation: Evaluation) -> list[list[str]]:
    """Return accuracy by coverage as text, headings first; [] if no mode gave short answers.

    A cell is the accuracy and, in brackets, the least confidence.
    """
    curves = [(s.mode, s.coverage) for s in evaluation.summaries if s.coverage]
    if not curves:
        return []
    rows = [["surest", *(mode for mode, _ in curves)]]
    for place, point in enumerate(curves[0][1].points):
        points = (curve.points[place] for _, curve in curves)
        rows.append(
            [f"{point.coverage:.0%}", *(f"{p.accuracy:.3f} ({p.confidence:.2f})" for p in points)]
        )
    return [*rows, ["area", *(f"{curve.area:.3f}" for _, curve in curves)]]


def measured(evaluation: Evaluation) -> list[str]:
    """Return the metrics that any mode has a value for, in the order of reports."""
    return [
        metric
        for metric in names(evaluation.settings.ks)
        if any(metric in summary.stats for summary in evaluation.summaries)
    ]


def headline(evaluation: Evaluation) -> str | None:
    """Return the main quality metric, or None if only costs are known.

    It is the first measured of: recall by document, recall by quote, answer in context, accuracy,
    F1, share of the source; each at the largest k.
    """
    k = evaluation.settings.ks[-1]
    wanted = (
        f"recall@{k}",
        f"quote_recall@{k}",
        f"answer_recall@{k}",
        "accuracy",
        "f1",
        f"source@{k}",
    )
    known = measured(evaluation)
    return next((metric for metric in wanted if metric in known), None)


def number(value: float, metric: str) -> str:
    """Format a value with the digits that fit its metric.

    >>> number(0.73456, "recall@5"), number(1234.5, "total_ms"), number(3.21, "total_ms")
    ('0.735', '1,234', '3.2')
    """
    if metric.endswith(("_ms", "_tokens")):
        return f"{value:,.0f}" if abs(value) >= 10 else f"{value:.1f}"
    return f"{value:.3f}"


def _cell(summary: ModeSummary, metric: str, detail: int) -> str:
    stat = summary.stats.get(metric)
    if stat is None:
        return "–"
    if metric.endswith("_ms"):
        return f"{number(stat.p50, metric)} / {number(stat.p95, metric)}"
    cell = number(stat.mean, metric)
    if detail > 1:
        cell += f" {interval(stat, metric)}"
    gap = summary.differences.get(metric)
    if gap is None:
        return cell
    return f"{cell}{f' {signed(gap, metric)}' if detail else ''}{'*' if gap.clear else ''}"


def signed(gap: Difference, metric: str) -> str:
    """Write a difference with its sign: "+0.012"."""
    return f"{'+' if gap.mean >= 0 else '−'}{number(abs(gap.mean), metric)}"


def interval(stat: Stat, metric: str) -> str:
    """Write the 95 % interval: "[0.640, 0.810]"."""
    return f"[{number(stat.low, metric)}, {number(stat.high, metric)}]"


def best(evaluation: Evaluation, metric: str, lower: bool) -> Sequence[str]:
    """Return the modes with the best value; none if all values are equal.

    The value is the first one in tables: the median of latencies, otherwise the mean.
    """
    shown = "p50" if metric.endswith("_ms") else "mean"
    means: dict[str, float] = {
        s.mode: getattr(s.stats[metric], shown) for s in evaluation.summaries if metric in s.stats
    }
    goal = (min if lower else max)(means.values(), default=0.0)
    leaders = [mode for mode, mean in means.items() if mean == goal]
    return leaders if len(leaders) < len(means) else []
