"""How likely a candidate is the answer, and how likely the passages tell what was asked.

Small trees weigh what the reader and the comparison with the question say of a candidate of any
kind; others say how likely the one that they choose is right, beside what else they might have
chosen. A logistic regression says whether the passages tell it at all. All are fitted on questions
over folders, with whole sources left out (``training/score``, docs/adr/answer-score.md); the
weights are data (``score.json``).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from functools import cache
from math import exp, log
from operator import mul
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragcli.models.trees import Trees

Floats = NDArray[np.float64]

LIMIT = 10.0
"""The largest logit, up and down, that counts."""

_WEIGHTS = Path(__file__).with_name("score.json")


@dataclass(frozen=True, slots=True)
class AskedFeatures:
    """What is known of a question and its passages, whatever the answer is.

    ``answered`` is the highest logit that a window answers, ``none`` the log odds that no span of
    any window does; ``closest`` the highest cosine of a sentence, ``covered`` the highest share of
    the question's words, ``named`` the share of its names that are in the sentences, ``missed``
    the share that the passages lack, ``marked`` the highest share of its identifiers held.
    ``polar`` is the highest logit of yes or no above neither, ``wh`` 1 if the question has a
    question word, ``asks`` the number of its content words.
    """

    answered: float
    none: float
    closest: float
    covered: float
    named: float
    missed: float
    marked: float
    polar: float
    wh: float
    asks: float


@dataclass(frozen=True, slots=True)
class CandidateFeatures:
    """What is known of a candidate; 0 where a number is not of its kind.

    ``kind`` is 0 for words of a document, 1 for yes or no, and from 4 on for what two things came
    to, by how they were compared (``comparing.Comparison``).
    Of its evidence: ``answered`` is the logit of its window, ``near`` and ``covers`` are those of
    its sentence, ``unmarked`` the share of identifiers by which another sentence holds more;
    ``rank`` counts the passages before its own.
    Of words: ``likely`` is the log of their share among all spans, ``alone`` that in their window,
    ``sharp`` that among the spans over the same place, ``above`` their score above that of no
    answer, ``lead`` the log of how much likelier they are than the next; ``digest`` is 1 where
    they were read among the best sentences of all passages; ``repeated`` is the share of the words
    that the question has. ``stepped`` is the number of names put for what the question
    describes, ``step`` the log odds of the least sure.
    Of yes and no: ``sure`` is by how much the logit of one is above the other's, ``told`` by how
    much both are above that of neither, ``yes`` is 1 for yes. Of two things, ``sure`` is the log
    odds of what was compared.
    """

    kind: float = 0.0
    answered: float = 0.0
    near: float = 0.0
    covers: float = 0.0
    unmarked: float = 0.0
    rank: float = 0.0
    likely: float = 0.0
    alone: float = 0.0
    sharp: float = 0.0
    above: float = 0.0
    lead: float = 0.0
    digest: float = 0.0
    repeated: float = 0.0
    stepped: float = 0.0
    step: float = 0.0
    sure: float = 0.0
    told: float = 0.0
    yes: float = 0.0


NAMES = tuple(f"asked.{one.name}" for one in fields(AskedFeatures)) + tuple(
    one.name for one in fields(CandidateFeatures)
)
"""The names of the numbers of a candidate, in order."""

ASKED = len(fields(AskedFeatures))
"""How many of them are of the question alone; the first ones."""


@dataclass(frozen=True, slots=True)
class Scored:
    """Which of several candidates is chosen, and how likely (0 to 1) it is right."""

    at: int
    probability: float


def chosen(candidates: Sequence[tuple[AskedFeatures, CandidateFeatures, str]]) -> Scored:
    """The best of several candidates, given with their texts."""
    rows = np.array([(*astuple(asked), *astuple(own)) for asked, own, _ in candidates])
    logits = _trees("rank").sums(rows)
    row = as_shown(rows, logits, [text for *_, text in candidates])
    fitted = _weights()["shown"]
    shown = fitted["scale"] * float(_trees("shown").sums(row[None])[0]) + fitted["shift"]
    return Scored(int(logits.argmax()), _probability(shown))


def as_shown(rows: Floats, logits: Floats, texts: Sequence[str]) -> Floats:
    """What says whether the best candidate is right: its log odds, those of the best one that says
    something else and by how much they are lower, how likely those are that say the same, the log
    of the odds of all, how many there are; and its own features."""
    best, said = int(logits.argmax()), [text.lower() for text in texts]
    same = np.array([one in said[best] or said[best] in one for one in said])
    other = float(logits[~same].max(initial=-LIMIT))
    likely = 1 / (1 + np.exp(-logits))
    top = float(logits[best])
    agree, odds = float(likely[same].sum() - likely[best]), float(np.logaddexp.reduce(logits))
    return np.array([top, other, top - other, agree, odds, len(said), *rows[best]])


def told(asked: AskedFeatures) -> float:
    """The probability (0 to 1) that the passages tell what was asked."""
    fitted = _weights()["told"]
    return _probability(fitted["bias"] + sum(map(mul, fitted["weights"], astuple(asked))))


def clipped(logit: float) -> float:
    """A logit within ``LIMIT``."""
    return max(-LIMIT, min(LIMIT, float(logit)))


def log_odds(probability: float) -> float:
    """The log odds of a probability, within ``LIMIT``."""
    kept = min(max(probability, 1e-9), 1 - 1e-9)
    return clipped(log(kept / (1 - kept)))


@cache
def _weights() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_WEIGHTS.read_bytes())
    return found


@cache
def _trees(name: str) -> Trees:
    fitted = _weights()[name]
    return Trees(fitted["bias"], fitted["trees"])


def _probability(logit: float) -> float:
    return 1 / (1 + exp(-max(-60.0, min(60.0, logit))))
