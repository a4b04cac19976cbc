"""A whole evaluation before a judge: every pair and every answer, kept as they are judged."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import orjson

from ragcli.evaluate.checkpoint import at_last_line
from ragcli.evaluate.judge import Task, Verdict, compare, mark, pairs, tasks
from ragcli.evaluate.records import Evaluation
from ragcli.evaluate.text_metrics import without_marks
from ragcli.evaluate.verdicts import Judged, MarkSummary, Tally, summarise_marks, tally
from ragcli.models.completion import Completer
from ragcli.types import Report

# Above this share of verdicts that hang on the order of two answers, or that cannot be read, a
# judge tells little; an even coin flips half of them.
DOUBTFUL = 0.2


class Kept:
    """What a judge has said, by id: a file that is appended to, or only memory (path None)."""

    def __init__(self, path: Path | None) -> None:
        self._known: dict[str, Any] = {}
        self._file = at_last_line(path) if path else None
        if self._file:
            self._file.seek(0)
            self._known = dict(orjson.loads(line) for line in self._file.read().splitlines())

    def get(self, name: str) -> Any:
        """What was said under this id, None when nothing was."""
        return self._known.get(name)

    def add(self, name: str, said: Mapping[str, Any]) -> None:
        """Keep it."""
        self._known[name] = said
        if self._file:
            self._file.write(orjson.dumps([name, said]) + b"\n")
            self._file.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        if self._file:
            self._file.close()


def compare_all(
    evaluation: Evaluation, model: Completer, report: Report, kept: Kept
) -> tuple[Tally, ...]:
    """Compare each later mode's answers with the first mode's, in both orders."""
    todo = tasks(pairs(evaluation))
    verdicts: dict[str, Verdict] = {t.id: said for t in todo if (said := kept.get(t.id))}
    left: Sequence[Task] = [task for task in todo if task.id not in verdicts]
    for task, verdict in compare(left, model, report):
        verdicts[task.id] = verdict
        kept.add(task.id, verdict)
    return tally(todo, verdicts)


def mark_all(
    evaluation: Evaluation, model: Completer, report: Report, kept: Kept
) -> dict[str, tuple[MarkSummary, ...]]:
    """Mark every answer from 1 to 10, by mode; abstentions get no mark."""
    questions = {case.id: case.question for case in evaluation.cases}
    answered = [
        (o.mode, (questions[o.case], without_marks(o.text).strip()))
        for o in evaluation.outcomes
        if o.text
    ]
    # Modes that say the same of a question are marked once.
    asked = dict.fromkeys(pair for _, pair in answered)
    left = [pair for pair in asked if kept.get(_name(pair)) is None]
    for at, marks in mark(left, model, report):
        kept.add(_name(left[at]), marks)
    given: dict[str, list[Any]] = {mode: [] for mode in evaluation.modes}
    for mode, pair in answered:
        given[mode].append(kept.get(_name(pair)))
    return {mode: summarise_marks(marks) for mode, marks in given.items()}


def _name(pair: tuple[str, str]) -> str:
    return hashlib.sha256("\0".join(pair).encode()).hexdigest()[:16]


def trust(judged: Judged) -> str:
    """Tell in one line how far the verdicts can be trusted; "" when nothing was compared."""
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
    return line + ("; too weak a judge to rely on" if doubtful else "")
