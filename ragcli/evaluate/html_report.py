"""report.html: one file with everything inline, which loads nothing and works without script.

This module prepares the content of the page; ``templates/`` define its layout.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ragcli.evaluate import plots
from ragcli.evaluate.cases import Case
from ragcli.evaluate.report import best, headline, interval, measured, number, signed, table_rows
from ragcli.evaluate.results import CaseOutcome, Evaluation, ModeSummary, ThresholdResult
from ragcli.evaluate.score import lower_is_better
from ragcli.evaluate.verdicts import Judged
from ragcli.html_page import render

_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class Check:
    """A threshold as text."""

    passed: bool
    words: str


@dataclass(frozen=True, slots=True)
class Cell:
    """One figure of one mode, the lines below it, and whether no other mode has a better one."""

    figure: str
    below: tuple[str, ...] = ()
    best: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot with its title and a note."""

    title: str
    note: str
    plot: plots.Plot


@dataclass(frozen=True, slots=True)
class QuestionCell:
    """The result of one mode for one question; ``state`` as in ``state_of``."""

    outcome: CaseOutcome
    state: str


def to_html(evaluation: Evaluation, judged: Judged | None = None) -> str:
    """Return the page, with the results of the judge if there is one.

    Except for its first line, it is well-formed XML, which tests use to check it.
    """
    shown = _shown_metrics(evaluation)
    return render(
        _TEMPLATES / "report.html.j2",
        _TEMPLATES / "report.css",
        _TEMPLATES / "report.js",
        evaluation=evaluation,
        judged=judged,
        k=evaluation.settings.ks[-1],
        thresholds=[_check(result) for result in evaluation.thresholds],
        shown_metrics=shown,
        modes=[
            (summary.mode, [_cell(evaluation, summary, metric) for metric in shown])
            for summary in evaluation.summaries
        ],
        figures=_figures(evaluation),
        all_metrics=table_rows(evaluation),
        types=_types(evaluation),
        questions=_questions(evaluation),
        facts=_facts(evaluation),
    )


def _check(result: ThresholdResult) -> Check:
    wanted, value = result.threshold, result.value
    found = "not measured" if value is None else f"found {number(value, wanted.metric)}"
    sign = "≤" if lower_is_better(wanted.metric) else "≥"
    stat = "" if wanted.stat == "mean" else f" {wanted.stat}"
    words = f"{result.mode}: {wanted.metric}{stat} {sign} {wanted.value:g}, {found}"
    return Check(result.passed, words)


def _shown_metrics(evaluation: Evaluation) -> list[str]:
    """The metrics of the table of modes: those that matter most, as far as measured."""
    k = evaluation.settings.ks[-1]
    wanted = (
        f"recall@{k}", f"perfect@{k}", "mrr", f"quote_recall@{k}", f"answer_recall@{k}",
        f"source@{k}", "f1", "includes", "accuracy", "citation_precision", "abstained_unanswerable",
        "context_tokens", "total_ms",
    )  # fmt: skip
    known = measured(evaluation)
    return [metric for metric in wanted if metric in known]


def _cell(evaluation: Evaluation, summary: ModeSummary, metric: str) -> Cell | None:
    stat = summary.stats.get(metric)
    if stat is None:
        return None
    leads = summary.mode in best(evaluation, metric, lower_is_better(metric))
    if metric == "total_ms":
        return Cell(f"{number(stat.p50, metric)} / {number(stat.p95, metric)}", best=leads)
    below = [interval(stat, metric)]
    gap = summary.differences.get(metric)
    if gap is not None:
        below.append(f"{signed(gap, metric)}{' *' if gap.clear else ''}")
    return Cell(number(stat.mean, metric), tuple(below), leads)


def _figures(evaluation: Evaluation) -> list[Figure] | None:
    """The plots; None if only costs were measured."""
    metric = headline(evaluation)
    if metric is None:
        return None
    figures = (
        _against_latency(evaluation, metric),
        _by_k(evaluation, metric),
        _by_type(evaluation, metric),
        _by_coverage(evaluation),
    )
    return [figure for figure in figures if figure is not None]


def _against_latency(evaluation: Evaluation, metric: str) -> Figure | None:
    marks = []
    for summary in evaluation.summaries:
        quality, cost = summary.stats.get(metric), summary.stats.get("total_ms")
        if quality is None or cost is None:
            return None
        words = f"{summary.mode}: {metric} {quality.mean:.3f}, {number(cost.p50, 'total_ms')} ms"
        marks.append(plots.Mark(cost.p50, quality.mean, words, (quality.low, quality.high)))
    title = f"{metric} against latency: " + "; ".join(mark.title for mark in marks)
    plot = plots.scatter(title, "latency, ms (median)", metric, marks, 1.0)
    return Figure("Quality against latency", "Higher and further left is better.", plot)


def _by_k(evaluation: Evaluation, metric: str) -> Figure | None:
    base, at, _ = metric.partition("@")
    if not at:
        return None
    series = [
        [
            plots.Mark(k, stat.mean, f"{summary.mode}: {base}@{k} {stat.mean:.3f}")
            for k in evaluation.settings.ks
            if (stat := summary.stats.get(f"{base}@{k}"))
        ]
        for summary in evaluation.summaries
    ]
    title = f"{base} by k: " + "; ".join(marks[-1].title for marks in series if marks)
    plot = plots.lines(title, "k", base, series)
    return Figure(f"{base} by k", "How deep in the ranking the evidence is.", plot)


def _by_coverage(evaluation: Evaluation) -> Figure | None:
    series = [
        [
            plots.Mark(
                p.coverage,
                p.accuracy,
                f"{summary.mode}: {p.accuracy:.3f} of the surest {p.coverage:.0%} right "
                f"(confidence {p.confidence:.2f} and more)",
            )
            for p in (summary.coverage.points if summary.coverage else ())
        ]
        for summary in evaluation.summaries
    ]
    if not any(series):
        return None
    areas = "; ".join(
        f"{summary.mode}: area {summary.coverage.area:.3f}"
        for summary in evaluation.summaries
        if summary.coverage
    )
    plot = plots.lines(f"accuracy by coverage: {areas}", "coverage", "accuracy", series)
    note = f"Right short answers among those the reader is surest of. {areas}."
    return Figure("Accuracy by coverage", note, plot)


def _by_type(evaluation: Evaluation, metric: str) -> Figure | None:
    types = _types(evaluation)
    if len(types) < 2:
        return None
    rows: dict[str, Sequence[plots.Mark | None]] = {}
    for kind in types:
        count = sum(case.type == kind for case in evaluation.cases)
        marks = [
            None if (mean := summary.by_type[kind].get(metric)) is None
            else plots.Mark(mean, 0, f"{summary.mode}, {kind}: {metric} {mean:.3f}")
            for summary in evaluation.summaries
        ]  # fmt: skip
        if any(marks):
            rows[f"{kind} ({count})"] = marks
    if not rows:
        return None
    title = f"{metric} by type: " + "; ".join(m.title for row in rows.values() for m in row if m)
    plot = plots.dots(title, metric, rows)
    return Figure("By type of question", "In brackets: the number of questions.", plot)


def _types(evaluation: Evaluation) -> list[str]:
    return sorted({case.type for case in evaluation.cases if case.type})


def _questions(evaluation: Evaluation) -> list[tuple[Case, list[QuestionCell]]]:
    """Each question with the results of every mode."""
    k = evaluation.settings.ks[-1]
    by_case = {(outcome.case, outcome.mode): outcome for outcome in evaluation.outcomes}
    return [
        (
            case,
            [
                QuestionCell(outcome := by_case[case.id, mode], state_of(outcome, k))
                for mode in evaluation.modes
            ],
        )
        for case in evaluation.cases
    ]


def state_of(outcome: CaseOutcome, k: int) -> str:
    """Return how much of the evidence is within rank k: good, part or bad.

    Without evidence: whether a known answer is (good or bad); "none" without either.
    """
    if not outcome.wanted:
        found = outcome.scores.get(f"answer_recall@{k}")
        return "none" if found is None else "good" if found else "bad"
    near = sum(rank is not None and rank <= k for rank in outcome.ranks)
    return "good" if near == len(outcome.ranks) else "part" if near else "bad"


def _facts(evaluation: Evaluation) -> dict[str, str | int | float]:
    settings = evaluation.settings
    return {
        "store generation": settings.generation,
        "cut-offs k": ", ".join(map(str, settings.ks)),
        "answers": "asked for" if settings.answers else "not asked for (retrieval only)",
        "resamples": f"{settings.resamples:,} (seed {settings.seed})",
        **settings.facts,
    }
