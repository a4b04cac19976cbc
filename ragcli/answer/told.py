"""Whether the passages tell what was asked at all, which is another question than whether the best
answer in them is right.

A reader that has to choose finds something in every passage that is about the same things. What
gives such an answer away: no window is one that answers, no sentence is near to the question, the
question's names are missing. A logistic regression weighs these signs; it was fitted on questions
with and without the documents of their evidence (``bench/abstain.py --fit``,
docs/adr/answers-by-reading.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from math import exp
from typing import TYPE_CHECKING

import numpy as np

from ragcli.answer.choose import closeness
from ragcli.answer.view import View

if TYPE_CHECKING:
    from ragcli.models.reader import WindowReading

LEAST_TOLD = 0.32
"""Below this probability nothing is answered: at most 5 % of the questions whose evidence was
retrieved, in each set."""


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for an answer being told.

    ``answered`` is the highest logit that a window answers, ``near`` the closeness of the passages
    (``choose.closeness``), ``missed`` the share of the question's names that they lack.
    """

    answered: float
    near: float
    missed: float


WEIGHTS = Signs(0.37, 0.88, -3.98)
BIAS = -1.24


def told(signs: Signs) -> float:
    """The probability (0 to 1) that the passages tell what was asked."""
    logit = BIAS + sum(a * b for a, b in zip(astuple(WEIGHTS), astuple(signs), strict=True))
    return 1 / (1 + exp(-max(-60.0, min(60.0, logit))))


def signs(view: View, readings: Sequence[WindowReading]) -> Signs:
    """What the passages and what the reader made of them say for an answer."""
    return Signs(
        answered=float(np.clip(max(reading.answered for reading in readings), -10, 10)),
        near=closeness(view),
        missed=view.missed,
    )
