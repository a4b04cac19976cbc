"""report.html: one file with everything inline, which loads nothing and works without script."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ragcli.evaluate import svg
from ragcli.evaluate.html_cases import cases_section
from ragcli.evaluate.html_judge import judge_section
from ragcli.evaluate.page import SCRIPT, STYLE
from ragcli.evaluate.records import Evaluation, ModeSummary, Stat, ThresholdResult
from ragcli.evaluate.report import best, headline, interval, measured, number, table_rows
from ragcli.evaluate.score import lower_is_better
from ragcli.evaluate.verdicts import Judged

# The browser itself is told to load nothing, whatever a question's text may hold.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"

_MEANINGS = {
    "recall": "share of the wanted documents among the first k documents",
    "perfect": "share of questions whose wanted documents are all among the first k",
    "ndcg": "gain of the wanted documents, less the later they stand; 1 is the best order",
    "mrr": "1 / rank of the first wanted document",
    "quote_…": "the same for quotes: a quote counts when a passage holds it",
    "answer_recall": "share of questions for which one of the first k passages holds an answer",
    "source": "share of the first k passages that come from the document the question is about",
    "em, f1, rouge_l": "the answer's words against the best of the known answers",
    "includes": "share of answers in which a known answer stands, whatever else they say",
    "accuracy": "share of multiple-choice questions answered right",
    "citation_precision, citation_recall": "share of citations that point at evidence, and back",
    "supported": "share of the sentences written by a language model that its quotes bear out",
    "abstained": "share of questions left unanswered; right where a question has no answer",
    "redundancy": "share of repeated 8-word runs in the passages",
    "interval": "95 %, bootstrap over questions; differences are paired with the first mode",
}


def to_html(evaluation: Evaluation, judged: Judged | None = None) -> str:
    """Return the page, with what a judge found if one was asked.

    But for its first line it is well-formed XML too, which is how tests check it.
    """
    sections = (
        _head(evaluation),
        _thresholds(evaluation),
        _modes(evaluation),
        _plots(evaluation),
        judge_section(judged) if judged else "",
        _everything(evaluation),
        cases_section(evaluation),
        _about(evaluation),
    )
    title = escape(f"Evaluation: {evaluation.settings.name}")
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"/>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}"/>'
        f"<title>{title}</title><style>{STYLE}</style></head>\n<body>\n"
        + "\n".join(filter(None, sections))
        + f"\n<script>{SCRIPT}</script>\n</body></html>\n"
    )


def _head(evaluation: Evaluation) -> str:
    count = len(evaluation.cases)
    modes = ", ".join(evaluation.modes)
    return (
        f"<header><h1>Evaluation: {escape(evaluation.settings.name)}</h1>"
        f'<p class="soft">{count:,} question{"s"[: count != 1]} in {escape(modes)}; '
        f"{evaluation.settings.depth} passages asked for each</p></header>"
    )


def _thresholds(evaluation: Evaluation) -> str:
    if not evaluation.thresholds:
        return ""
    items = "".join(map(_threshold, evaluation.thresholds))
    return f'<section><h2>Thresholds</h2><ul class="checks">{items}</ul></section>'


def _threshold(result: ThresholdResult) -> str:
    kind, word = ("good", "✓ met") if result.passed else ("bad", "✗ missed")
    wanted, value = result.threshold, result.value
    found = "not measured" if value is None else f"found {number(value, wanted.metric)}"
    sign = "≤" if lower_is_better(wanted.metric) else "≥"
    stat = "" if wanted.stat == "mean" else f" {wanted.stat}"
    words = escape(f"{result.mode}: {wanted.metric}{stat} {sign} {wanted.value:g}, {found}")
    return f'<li><b class="{kind}">{word}</b> {words}</li>'


def _modes(evaluation: Evaluation) -> str:
    """Build the table of modes: a row a mode, the metrics that matter most."""
    k = evaluation.settings.ks[-1]
    wanted = (
        f"recall@{k}", f"perfect@{k}", "mrr", f"quote_recall@{k}", f"answer_recall@{k}",
        f"source@{k}", "f1", "includes", "accuracy", "citation_precision", "abstained_unanswerable",
        "context_tokens", "total_ms",
    )  # fmt: skip
    shown = [metric for metric in wanted if metric in measured(evaluation)]
    heads = "".join(f'<th scope="col">{_label(metric)}</th>' for metric in shown)
    rows = "".join(
        f'<tr><th scope="row">{svg.legend_symbol(place)}{escape(summary.mode)}</th>'
        + "".join(_figure(evaluation, summary, metric) for metric in shown)
        + "</tr>"
        for place, summary in enumerate(evaluation.summaries)
    )
    note = "Mean with 95 % interval"
    if len(evaluation.modes) > 1:
        first = escape(evaluation.modes[0])
        note += f", then the difference to {first} (* is clear of zero); the best is bold"
    return (
        f'<section><h2>Modes</h2><p class="soft">{note}.</p>'
        '<div class="wide" tabindex="0" role="region" aria-label="Table of modes">'
        '<table class="modes"><thead><tr><th scope="col">mode</th>'
        f"{heads}</tr></thead><tbody>{rows}</tbody></table></div></section>"
    )


def _label(metric: str) -> str:
    names = {
        "total_ms": "latency,&#160;ms<br/>p50&#160;/&#160;p95",
        "context_tokens": "context<br/>tokens",
    }
    return names.get(metric) or escape(metric).replace("_", "_<wbr/>")


def _figure(evaluation: Evaluation, summary: ModeSummary, metric: str) -> str:
    stat = summary.stats.get(metric)
    if stat is None:
        return '<td class="n">–</td>'
    leaders = best(evaluation, metric, lower_is_better(metric))
    mark = " best" if summary.mode in leaders else ""
    if metric == "total_ms":
        both = f"{number(stat.p50, metric)} / {number(stat.p95, metric)}"
        return f'<td class="n{mark}"><b>{both}</b></td>'
    text = f"<b>{number(stat.mean, metric)}</b><small>{interval(stat, metric)}</small>"
    gap = summary.differences.get(metric)
    if gap is not None:
        sign = "+" if gap.mean >= 0 else "−"
        star = " *" if gap.clear else ""
        text += f"<small>{sign}{number(abs(gap.mean), metric)}{star}</small>"
    return f'<td class="n{mark}">{text}</td>'


def _plots(evaluation: Evaluation) -> str:
    metric = headline(evaluation)
    if metric is None:
        return (
            '<section><h2>Plots</h2><p class="soft">The questions name no evidence and no answers, '
            "so only costs were measured.</p></section>"
        )
    items = "".join(
        f"<li>{svg.legend_symbol(place)}{escape(mode)}</li>"
        for place, mode in enumerate(evaluation.modes)
    )
    plots = (
        _against_latency(evaluation, metric),
        _by_k(evaluation, metric),
        _by_type(evaluation, metric),
    )
    return (
        f'<section><h2>Plots</h2><ul class="legend" aria-label="Modes">{items}</ul>'
        f'<div class="plots">{"".join(filter(None, plots))}</div></section>'
    )


def _against_latency(evaluation: Evaluation, metric: str) -> str:
    marks = []
    for summary in evaluation.summaries:
        quality, cost = summary.stats.get(metric), summary.stats.get("total_ms")
        if quality is None or cost is None:
            return ""
        words = f"{summary.mode}: {metric} {quality.mean:.3f}, {number(cost.p50, 'total_ms')} ms"
        marks.append(svg.Mark(cost.p50, quality.mean, words, (quality.low, quality.high)))
    title = f"{metric} against latency: " + "; ".join(mark.title for mark in marks)
    plot = svg.scatter(title, "latency, ms (median)", metric, marks, 1.0)
    return _framed("Quality against latency", "Further up and further left is better.", plot)


def _by_k(evaluation: Evaluation, metric: str) -> str:
    base, at, _ = metric.partition("@")
    if not at:
        return ""
    ks = evaluation.settings.ks
    series = [
        [
            svg.Mark(k, stat.mean, f"{summary.mode}: {base}@{k} {stat.mean:.3f}")
            for k in ks
            if (stat := _stat(summary, f"{base}@{k}"))
        ]
        for summary in evaluation.summaries
    ]
    title = f"{base} by k: " + "; ".join(marks[-1].title for marks in series if marks)
    return _framed(
        f"{base} by k", "How far down the list one must read.", svg.lines(title, "k", base, series)
    )


def _by_type(evaluation: Evaluation, metric: str) -> str:
    types = sorted({case.type for case in evaluation.cases if case.type})
    if len(types) < 2:
        return ""
    rows: dict[str, Sequence[svg.Mark | None]] = {}
    for kind in types:
        count = sum(case.type == kind for case in evaluation.cases)
        marks = [
            None if (mean := summary.by_type[kind].get(metric)) is None
            else svg.Mark(mean, 0, f"{summary.mode}, {kind}: {metric} {mean:.3f}")
            for summary in evaluation.summaries
        ]  # fmt: skip
        if any(marks):
            rows[f"{kind} ({count})"] = marks
    if not rows:
        return ""
    title = f"{metric} by type: " + "; ".join(m.title for row in rows.values() for m in row if m)
    plot = svg.dots(title, metric, rows)
    return _framed("By type of question", "In brackets: the number of questions.", plot)


def _stat(summary: ModeSummary, metric: str) -> Stat | None:
    return summary.stats.get(metric)


def _framed(title: str, note: str, plot: str) -> str:
    return f"<figure><h3>{escape(title)}</h3><figcaption>{escape(note)}</figcaption>{plot}</figure>"


def _everything(evaluation: Evaluation) -> str:
    heads, *rows = table_rows(evaluation)
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in heads)
    body = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>'
        + "".join(f'<td class="n">{escape(cell)}</td>' for cell in row[1:])
        + "</tr>"
        for row in rows
    )
    return (
        "<section><h2>All metrics</h2><details><summary>Show every figure</summary>"
        '<p class="soft">Times in ms: median / 95th percentile.</p>'
        '<div class="wide" tabindex="0" role="region" aria-label="All metrics">'
        f'<table class="all"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
        "</details></section>"
    )


def _about(evaluation: Evaluation) -> str:
    settings = evaluation.settings
    facts = {
        "store generation": settings.generation,
        "cut-offs k": ", ".join(map(str, settings.ks)),
        "answers": "asked for" if settings.answers else "not asked for (retrieval only)",
        "resamples": f"{settings.resamples:,} (seed {settings.seed})",
        **settings.facts,
    }
    told = "".join(f"<li>{escape(str(k))}: {escape(str(v))}</li>" for k, v in facts.items())
    meant = "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in _MEANINGS.items())
    return (
        f"<section><h2>About this run</h2><ul>{told}</ul>"
        f"<details><summary>What the metrics mean</summary><dl>{meant}</dl></details></section>"
    )
