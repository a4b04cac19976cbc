"""Whether the passages tell what was asked at all, which is another question than whether the best
answer in them is right.

A reader that has to choose finds something in every passage that is about the same things. What
gives such an answer away: its window is not one that answers, "no answer" is nearly as likely, the
question's words and names are not around it. A logistic regression weighs these signs; it was
fitted on questions with and without the documents of their evidence (``bench/abstain.py --fit``,
docs/adr/answers-by-reading.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from math import exp, log
from typing import TYPE_CHECKING

import numpy as np

from ragcli.answer.choose import closeness
from ragcli.answer.view import View
from ragcli.text.sentences import sentences
from ragcli.text.words import content_words

if TYPE_CHECKING:
    from ragcli.models.reader import RankedSpan, WindowReading

LEAST_TOLD = 0.25
"""Below this probability nothing is answered: at most 5 % of the questions whose evidence was
retrieved, in each set."""


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for an answer being told.

    ``likely`` is the log of its probability, ``lead`` its score above that of no answer,
    ``answered`` the logit that its window answers; ``window`` and ``sentence`` are the shares of
    the question's words in the window and in the sentence around the answer. ``near``, ``named``
    and ``missed`` are the closeness of the passages (``choose.closeness``) and the shares of the
    question's names that they hold and lack.
    """

    likely: float
    lead: float
    answered: float
    window: float
    sentence: float
    near: float
    named: float
    missed: float


WEIGHTS = Signs(-0.015, -0.046, 0.254, -1.535, 1.103, 4.52, 0.926, -5.033)
"""Fitted on the logits of the reader's first stage; ``lead``, ``answered`` and the bias are moved
to the means of right and of missing answers that the present one gives over the same contexts."""
BIAS = -3.441


def told(signs: Signs) -> float:
    """The probability (0 to 1) that the passages tell what was asked."""
    logit = BIAS + sum(a * b for a, b in zip(astuple(WEIGHTS), astuple(signs), strict=True))
    return 1 / (1 + exp(-max(-60.0, min(60.0, logit))))


def signs(
    question: str,
    view: View,
    span: RankedSpan,
    readings: Sequence[WindowReading],
    passage: tuple[str, str],
) -> Signs:
    """Compare an answer (in ``passage``: title and text) with the question."""
    title, text = passage
    around = next(
        (text[a:b] for a, b in sentences(text) if a <= span.start < b), text[span.start : span.end]
    )
    asked = set(content_words(question))
    null = max(reading.null for reading in readings)

    def share(said: str) -> float:
        return len(asked & set(content_words(f"{title} {said}"))) / max(1, len(asked))

    return Signs(
        likely=max(-12.0, log(span.probability + 1e-12)),
        lead=float(np.clip(span.score - null, -15, 15)),
        answered=float(np.clip(readings[span.window].answered, -10, 10)),
        window=share(text),
        sentence=share(around),
        near=closeness(view),
        named=view.named,
        missed=view.missed,
    )
