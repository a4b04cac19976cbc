"""The list of questions of report.html: a row each, with what every mode found."""

from __future__ import annotations

from html import escape

from ragcli.evaluate.cases import Case
from ragcli.evaluate.records import Evaluation, Outcome

_SIGNS = {"good": ("✓", "all found"), "part": ("◐", "some found"), "bad": ("✗", "none found")}
_FIRST = 5  # documents shown of a list that missed some evidence
_SHOWS = {
    "all": "all questions",
    "missed": "missed by some mode",
    "nowhere": "missed by every mode",
    "differ": "modes differ",
}


def cases_section(evaluation: Evaluation) -> str:
    """Build the section: a filter (shown by the script) and the table."""
    heads = "".join(
        f'<th scope="col" role="columnheader">{escape(m)}</th>' for m in evaluation.modes
    )
    by_case = {(outcome.case, outcome.mode): outcome for outcome in evaluation.outcomes}
    k = evaluation.settings.ks[-1]
    rows = "\n".join(
        _row(case, [by_case[case.id, mode] for mode in evaluation.modes], k)
        for case in evaluation.cases
    )
    note = (
        f"Ranks at which each piece of evidence was found; ✓ all of it within the first {k}, "
        "◐ some, ✗ none; – not found. Open a question for its evidence and answers."
    )
    return (
        f"<section><h2>Questions</h2>{_filter(evaluation)}"
        f'<p class="soft">{note}</p><table class="cases" id="cases" role="table">'
        '<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">question</th>'
        f'{heads}</tr></thead><tbody role="rowgroup">\n{rows}\n</tbody></table></section>'
    )


def _filter(evaluation: Evaluation) -> str:
    kinds = sorted({case.type for case in evaluation.cases if case.type})
    shows = "".join(f'<option value="{value}">{label}</option>' for value, label in _SHOWS.items())
    kind = ""
    if len(kinds) > 1:
        options = "".join(f"<option>{escape(kind)}</option>" for kind in kinds)
        kind = (
            '<div><label for="kind">Type</label><select id="kind" name="kind">'
            f'<option value="">every type</option>{options}</select></div>'
        )
    return (
        '<form id="filter" hidden="hidden"><div><label for="words">Containing</label>'
        '<input id="words" name="words" type="search" autocomplete="off"/></div>'
        f'{kind}<div><label for="show">Show</label><select id="show" name="show">{shows}</select>'
        '</div><output id="count" for="words show" aria-live="polite"></output></form>'
    )


def state(outcome: Outcome, k: int) -> str:
    """Tell how much of the evidence stands within k: good, part or bad.

    Without evidence: whether a known answer does (good or bad); "none" without either.
    """
    if not outcome.wanted:
        found = outcome.scores.get(f"answer_recall@{k}")
        return "none" if found is None else "good" if found else "bad"
    near = sum(rank is not None and rank <= k for rank in outcome.ranks)
    return "good" if near == len(outcome.ranks) else "part" if near else "bad"


def _row(case: Case, outcomes: list[Outcome], k: int) -> str:
    states = " ".join(state(outcome, k) for outcome in outcomes)
    cells = "".join(_cell(outcome, k) for outcome in outcomes)
    return (
        f'<tr role="row" data-kind="{escape(case.type)}" data-states="{states}">'
        f'<td role="cell"><details><summary>{escape(case.question)}</summary>'
        f"{_known(case)}{_instead(outcomes, k)}{_said(outcomes)}</details></td>{cells}</tr>"
    )


def _cell(outcome: Outcome, k: int) -> str:
    kind = state(outcome, k)
    if not outcome.wanted:
        text = {"none": "–", "good": "✓ answer", "bad": "✗ no answer"}[kind]
        words = {"good": "an answer stands in the passages", "bad": "no answer in the passages"}
        label = words.get(kind, "nothing to look for")
    else:
        sign, label = _SIGNS[kind]
        text = f"{sign} " + ", ".join(str(rank or "–") for rank in outcome.ranks)
    return (
        f'<td role="cell" data-label="{escape(outcome.mode)}" class="{kind}" title="{label}">'
        f"{text}</td>"
    )


def _known(case: Case) -> str:
    lines = [
        f'id <span class="mono">{escape(case.id)}</span>' + (case.type and f", {escape(case.type)}")
    ]
    if not case.answerable:
        lines.append("no answer in the documents: abstaining is right")
    elif case.answers:
        lines.append("known answer: " + escape(" / ".join(case.answers)))
    shown = "".join(f"<p>{line}</p>" for line in lines)
    if not case.evidence:
        return shown
    items = "".join(
        f'<li><span class="mono">{escape(item.name)}</span>'
        + (f": {escape(item.quote)}" if item.quote and item.quote != item.name else "")
        + "</li>"
        for item in case.evidence
    )
    return f"{shown}<p>evidence:</p><ul>{items}</ul>"


def _instead(outcomes: list[Outcome], k: int) -> str:
    """List what the modes found first that did not find all of the evidence."""
    items = "".join(
        f"<li><b>{escape(o.mode)}</b>: "
        + ", ".join(f'<span class="mono">{escape(name)}</span>' for name in o.documents[:_FIRST])
        + "</li>"
        for o in outcomes
        if o.documents and state(o, k) in ("part", "bad")
    )
    return f"<p>found first:</p><ul>{items}</ul>" if items else ""


def _said(outcomes: list[Outcome]) -> str:
    """List the answers, when answers were asked for."""
    items = "".join(
        f"<li><b>{escape(o.mode)}</b>: {escape(o.text) or '<i>abstained</i>'}{_f1(o)}</li>"
        for o in outcomes
        if "abstained" in o.scores
    )
    return f"<p>answers:</p><ul>{items}</ul>" if items else ""


def _f1(outcome: Outcome) -> str:
    score = outcome.scores.get("f1")
    return "" if score is None else f' <span class="soft">(F1 {score:.2f})</span>'
