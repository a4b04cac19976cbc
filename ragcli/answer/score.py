"""How likely a candidate is the answer, and how likely the passages tell what was asked.

A few hundred small trees weigh what the reader and the comparison with the question say of a
candidate, words of a document or yes or no; a logistic regression says whether the passages tell it
at all. Both are fitted on questions over folders, with whole sources left out (``training/score``,
docs/adr/answer-score.md); the weights are data (``score.json``).
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

LIMIT = 10.0
"""The largest logit, up and down, that counts."""

_WEIGHTS = Path(__file__).with_name("score.json")


@dataclass(frozen=True, slots=True)
class AskedFeatures:
    """What is known of a question and its passages, whatever the answer is.

    ``answered`` is the highest logit that a window answers, ``none`` the log odds that no span of
    any window does; ``closest`` the highest cosine of a sentence, ``covered`` the highest share of
    the question's words, ``named`` the share of its names that stand in the sentences, ``missed``
    the share that the passages lack, ``marked`` the highest share of its identifiers held.
    ``polar`` is the highest logit of yes or no above neither, ``wh`` 1 if the question has a
    question word.
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


@dataclass(frozen=True, slots=True)
class SpanFeatures:
    """What is known of words of a document as an answer.

    ``likely`` is the log of their share among all spans, ``above`` their score above that of no
    answer, ``lead`` the log of how much likelier they are than the next, ``answered`` the logit of
    their window; ``near`` and ``covers`` are those of their sentence, ``unmarked`` the share of
    identifiers by which another sentence holds more; ``rank`` counts the passages before theirs;
    ``digest`` is 1 where they were read among the best sentences of all passages; ``long`` is the
    log of their number of words, ``repeated`` the share of them that the question has;
    ``stepped`` is 1 where names were put for what the question describes.
    """

    likely: float
    above: float
    lead: float
    answered: float
    near: float
    covers: float
    unmarked: float
    rank: float
    digest: float
    long: float
    repeated: float
    stepped: float


@dataclass(frozen=True, slots=True)
class PolarFeatures:
    """What is known of yes or no as an answer.

    ``lead`` is by how much the logit of yes or no is above the other's, ``told`` by how much both
    are above that of neither, ``yes`` is 1 for yes; ``near`` is the cosine of its evidence.
    """

    lead: float
    told: float
    yes: float
    near: float
    rank: float


def of_span(asked: AskedFeatures, span: SpanFeatures) -> float:
    """The probability (0 to 1) that words of a document answer the question."""
    return _of_answer(row(asked, span))


def of_polar(asked: AskedFeatures, polar: PolarFeatures) -> float:
    """The probability (0 to 1) that yes or no, whichever it is, answers the question."""
    return _of_answer(row(asked, polar))


def row(asked: AskedFeatures, own: SpanFeatures | PolarFeatures) -> list[float]:
    """The features of a candidate of either kind as one row; those of the other kind are 0."""
    if isinstance(own, SpanFeatures):
        return [*astuple(asked), *astuple(own), 0.0, *[0.0] * len(fields(PolarFeatures))]
    return [*astuple(asked), *[0.0] * len(fields(SpanFeatures)), 1.0, *astuple(own)]


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


def _of_answer(features: Sequence[float]) -> float:
    """The sum over all trees, set right for the best of several candidates."""
    fitted = _weights()["answer"]
    total = fitted["bias"] + sum(leaf(tree, features) for tree in fitted["trees"])
    return _probability(fitted["scale"] * total + fitted["shift"])


def leaf(tree: Sequence[Sequence[float]], features: Sequence[float]) -> float:
    """What a tree adds. A node is (feature, threshold, left, right), a leaf (value,)."""
    node = tree[0]
    while len(node) > 1:
        feature, threshold, left, right = node
        node = tree[int(left if features[int(feature)] <= threshold else right)]
    return node[0]


def _probability(logit: float) -> float:
    return 1 / (1 + exp(-max(-60.0, min(60.0, logit))))
