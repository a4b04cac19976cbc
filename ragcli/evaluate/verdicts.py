"""Aggregates verdicts, and reads and writes the files for an external judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import orjson

from ragcli.evaluate.bootstrap import intervals
from ragcli.evaluate.judge_prompts import (
    CRITERIA,
    JudgeMarks,
    JudgeTask,
    Verdict,
    Winner,
    read_winners,
)
from ragcli.evaluate.record_fields import json_lines, optional, refuse, text


@dataclass(frozen=True, slots=True)
class VerdictCounts:
    """One criterion over all pairs of two modes; the four counts sum to the number of pairs.

    ``flips`` of the ``ties`` are pairs whose two orders disagreed. A pair is ``invalid`` when
    either order gave no readable verdict.
    """

    criterion: str
    left_mode: str
    right_mode: str
    left: int
    right: int
    ties: int
    invalid: int
    flips: int

    @property
    def flip_rate(self) -> float:
        """Flips among the valid pairs; 0.0 without any."""
        return self.flips / valid if (valid := self.left + self.right + self.ties) else 0.0

    @property
    def right_rate(self) -> float | None:
        """Share of valid pairs won by the right mode, a tie as half; None without any."""
        valid = self.left + self.right + self.ties
        return (self.right + self.ties / 2) / valid if valid else None


def tally(tasks: Sequence[JudgeTask], verdicts: Mapping[str, Verdict]) -> tuple[VerdictCounts, ...]:
    """Join both orders of each pair (``verdicts`` by task id) and count, criterion by criterion.

    A task without a verdict counts as invalid.
    """
    orders = {(task.pair, task.swapped): verdicts.get(task.id, {}) for task in tasks}
    judged = list(dict.fromkeys(task.pair for task in tasks))
    modes = list(dict.fromkeys((pair.left_mode, pair.right_mode) for pair in judged))
    tallies = []
    for left, right in sorted(modes):
        those = [pair for pair in judged if (pair.left_mode, pair.right_mode) == (left, right)]
        for name in CRITERIA:
            both = [
                (
                    orders.get((pair, False), {}).get(name, "invalid"),
                    _turned(orders.get((pair, True), {}).get(name, "invalid")),
                )
                for pair in those
            ]
            tallies.append(_count(name, left, right, both))
    return tuple(tallies)


def _turned(winner: Winner) -> Winner:
    """Name the winner of a swapped task as in the unswapped one."""
    turned: dict[Winner, Winner] = {"1": "2", "2": "1"}
    return turned.get(winner, winner)


def _count(
    name: str, left: str, right: str, both: Sequence[tuple[Winner, Winner]]
) -> VerdictCounts:
    joined = [_join(one, other) for one, other in both]
    return VerdictCounts(
        criterion=name,
        left_mode=left,
        right_mode=right,
        left=joined.count("1"),
        right=joined.count("2"),
        ties=joined.count("tie"),
        invalid=joined.count("invalid"),
        flips=sum(one != other and "invalid" not in (one, other) for one, other in both),
    )


def _join(one: Winner, other: Winner) -> Winner:
    if "invalid" in (one, other):
        return "invalid"
    return one if one == other else "tie"


@dataclass(frozen=True, slots=True)
class MarkSummary:
    """Marks of one criterion: mean of the valid ones with its 95 % interval, and the counts."""

    criterion: str
    mean: float | None
    low: float | None
    high: float | None
    valid: int
    invalid: int


@dataclass(frozen=True, slots=True)
class Judged:
    """The results of a judge: comparisons of modes, and marks by mode (either may be empty)."""

    tallies: tuple[VerdictCounts, ...] = ()
    marks: Mapping[str, tuple[MarkSummary, ...]] = field(default_factory=dict)


def summarise_marks(marks: Sequence[JudgeMarks]) -> tuple[MarkSummary, ...]:
    """Summarise the marks (1-10) of one mode's answers, criterion by criterion."""
    summaries = []
    for name in CRITERIA:
        known = [value for given in marks if (value := given.get(name)) is not None]
        invalid = len(marks) - len(known)
        if known:
            column = np.array(known, dtype=np.float64)[:, None]
            low, high = map(float, intervals(column)[0])
            mean = float(column.mean())
            summaries.append(MarkSummary(name, mean, low, high, len(known), invalid))
        else:
            summaries.append(MarkSummary(name, None, None, None, 0, invalid))
    return tuple(summaries)


def to_lines(tasks: Sequence[JudgeTask]) -> bytes:
    """Write tasks as JSON Lines for an external judge, without modes and order.

    ``{"id", "question", "answer_1", "answer_2", "criteria"}``; ``read_lines`` describes the format
    of the verdicts.
    """
    rows = []
    for task in tasks:
        first, second = task.answers
        row = {"id": task.id, "question": task.pair.question, "answer_1": first, "answer_2": second}
        rows.append(orjson.dumps({**row, "criteria": dict(CRITERIA)}) + b"\n")
    return b"".join(rows)


def read_lines(path: Path, tasks: Sequence[JudgeTask]) -> dict[str, Verdict]:
    """Read verdicts by task id, one ``{"id", "Diversity": "1" | "2" | "tie", ...}`` per line.

    Instead of the criteria, a line may contain the judge's whole reply in "reply". Raises
    InputError with file:line for a line without an id, and for an unknown id.
    """
    known = {task.id for task in tasks}
    verdicts: dict[str, Verdict] = {}
    for where, record in json_lines(path):
        name = text(record, "id", where)
        if name not in known:
            raise refuse(where, "the id of an exported pair", name)
        given = {c: optional(record, c, where) for c in CRITERIA}
        form = "\n".join(f"{c}: {winner}" for c, winner in given.items())
        verdicts[name] = read_winners(optional(record, "reply", where) or form)
    return verdicts
