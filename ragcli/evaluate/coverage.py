"""Coverage against accuracy: how right the answers are that the reader is surest of.

Cases are ranked by the confidence of their short answer; those without one come last. Accuracy at
a coverage of c is the share of right answers among the first c of the cases (El-Yaniv and Wiener
2010 call one minus it the selective risk). The area under the curve is 1 if every answer is right,
and for equally many right ones it is the higher, the better the confidence tells them apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate

from ragcli.evaluate.cases import Case
from ragcli.evaluate.results import CaseOutcome, Coverage, CoveragePoint

RIGHT = 0.5
"""Token F1 from which a short answer counts as right."""

STEPS = 10
"""Points of the curve."""


def coverage(cases: Mapping[str, Case], outcomes: Sequence[CaseOutcome]) -> Coverage | None:
    """The curve of one mode's outcomes; None if no case has a short answer.

    Only cases count that say what the answer is, or that there is none: an answer to a question
    that the documents do not answer is wrong.
    """
    known = [o for o in outcomes if "f1" in o.scores or not cases[o.case].answerable]
    known.sort(key=lambda outcome: -(outcome.confidence or 0.0))
    if not any(outcome.short for outcome in known):
        return None
    right = list(accumulate(_right(outcome) for outcome in known))
    total = len(known)
    points = []
    for step in range(1, STEPS + 1):
        count = max(1, round(total * step / STEPS))
        least = known[count - 1].confidence or 0.0
        points.append(CoveragePoint(step / STEPS, right[count - 1] / count, least))
    area = sum(held / count for count, held in enumerate(right, 1)) / total
    return Coverage(tuple(points), area, total)


def _right(outcome: CaseOutcome) -> bool:
    return bool(outcome.short) and outcome.scores.get("f1", 0.0) >= RIGHT
