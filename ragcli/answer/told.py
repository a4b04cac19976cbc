"""Whether the passages tell what was asked at all, which is another question than whether the best
answer in them is right.

A reader that has to choose finds something in every passage that is about the same things. Two
logistic regressions weigh what gives such an answer away. One was fitted on questions with and
without the documents of their evidence: no window is one that answers, no sentence is near to the
question, the question's names are missing. The other was fitted on questions that no document
answers although they are about what the documents tell: the text around the answer answers another
question about the same names as well, or does not answer what is asked without the names
(``counter_questions``). Either is enough to withhold the answer (``bench/abstain.py --fit``,
docs/adr/answers-by-reading.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from math import exp, log
from typing import TYPE_CHECKING

import numpy as np

from ragcli.answer.answer_kind import has_no_short_answer
from ragcli.answer.choose import closeness
from ragcli.answer.counter_questions import LIMIT, Countered
from ragcli.answer.view import View

if TYPE_CHECKING:
    from ragcli.models.reader import WindowReading

LEAST_TOLD = 0.5
"""Below this probability nothing is answered. The biases are such that the first regression takes
2 % of the right answers for untold and the second 3 %."""


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for an answer being told.

    ``answered`` is the highest logit that a window answers, ``near`` the closeness of the passages
    (``choose.closeness``), ``missed`` the share of the question's names that they lack. ``named``
    and ``unnamed`` are the logits of ``counter_questions.Countered``. ``uncounted`` is 1 where it
    is asked how many there are of what the text around the answer does not mention, else 0.
    ``sure`` is the log odds that the answer is right. ``lengthy`` is 1 for a question without a
    short answer, else 0; it has no weight.
    """

    answered: float
    near: float
    missed: float
    named: float
    unnamed: float
    uncounted: float
    sure: float
    lengthy: float


RETRIEVED, RETRIEVED_BIAS = Signs(0.579, 0.966, -3.203, 0.0, 0.0, 0.0, 0.0, 0.0), -0.393
ASKED, ASKED_BIAS = Signs(0.336, 0.0, 0.0, 0.079, 0.261, -1.014, 0.177, 0.0), 0.575


def told(signs: Signs) -> float:
    """The probability (0 to 1) that the passages tell what was asked: the lower of the two.

    For a question without a short answer, the words that the reader found say nothing about what
    the text tells: only the first counts.
    """
    retrieved = _probability(signs, RETRIEVED, RETRIEVED_BIAS)
    return retrieved if signs.lengthy else min(retrieved, _probability(signs, ASKED, ASKED_BIAS))


def decided(signs: Signs) -> bool:
    """Whether the verdict (``told`` below ``LEAST_TOLD``) is the same whatever the two logits of
    ``Countered`` are."""
    if signs.lengthy or _probability(signs, RETRIEVED, RETRIEVED_BIAS) < LEAST_TOLD:
        return True
    verdicts = {
        _probability(replace(signs, named=named, unnamed=unnamed), ASKED, ASKED_BIAS) < LEAST_TOLD
        for named in (-LIMIT, 0.0, LIMIT)
        for unnamed in (-LIMIT, 0.0, LIMIT)
    }
    return len(verdicts) == 1


def _probability(signs: Signs, weights: Signs, bias: float) -> float:
    logit = bias + sum(a * b for a, b in zip(astuple(weights), astuple(signs), strict=True))
    return 1 / (1 + exp(-max(-60.0, min(60.0, logit))))


def signs(
    question: str,
    view: View,
    readings: Sequence[WindowReading],
    countered: Countered,
    confidence: float,
) -> Signs:
    """What the passages and what the reader made of them say for an answer; ``confidence`` is the
    probability that it is right."""
    return Signs(
        answered=float(np.clip(max(reading.answered for reading in readings), -LIMIT, LIMIT)),
        near=closeness(view),
        missed=view.missed,
        named=countered.named,
        unnamed=countered.unnamed,
        uncounted=float(countered.uncounted),
        sure=log((confidence + 1e-3) / (1 - confidence + 1e-3)),
        lengthy=float(has_no_short_answer(question)),
    )
