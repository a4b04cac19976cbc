"""From the logits of a question's windows to ranked answers: pure, no model.

Shapes: n tokens of the passage in a window, m the longest answer in tokens.
"""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ragcli.text.sentences import sentences

Floats = NDArray[np.float32]

LONGEST = 30
"""Tokens of the longest answer: one "how" or definition in five takes more than 20."""

_NEW_ITEM = re.compile(r"\n(?=[^\S\n]*(?:[-*•#>|\n]|\d+[.)]\s))")

CANDIDATES = 2000
"""Spans that are looked at by their score, before equal and overlapping ones are put together."""


@dataclass(frozen=True, slots=True, eq=False)
class WindowReading:
    """What the reader says of one window: a passage, or a part of a long one.

    ``offsets`` (n, 2) are the characters of each token in the passage's text, ``starts`` and
    ``ends`` (n,) the logits of an answer's first and last token, ``null`` the logit of none,
    comparable to a start and an end together. ``answered`` is the logit of "this window answers",
    ``yesno`` (3,) those of yes, no and neither.
    """

    passage: int
    offsets: NDArray[np.int64]
    starts: Floats
    ends: Floats
    null: float
    answered: float
    yesno: Floats


@dataclass(frozen=True, slots=True)
class RankedSpan:
    """An answer: ``text == passages[passage].text[start:end]``.

    ``probability`` is its share among all spans of all windows and "no answer", added to that of
    less likely spans that overlap it or say the same elsewhere. ``score`` is the sum of its two
    logits, ``window`` its reading.
    """

    passage: int
    start: int
    end: int
    text: str
    score: float
    probability: float
    window: int


@dataclass(frozen=True, slots=True)
class Ranked:
    """The best answers, best first, and the probability of none; ``firsts`` are the best span of
    each window by itself, in the order of the readings."""

    spans: tuple[RankedSpan, ...]
    none: float
    firsts: tuple[RankedSpan, ...] = ()


@dataclass(frozen=True, slots=True)
class Calibration:
    """Logistic regressions fitted on development parts: see ``features`` for the first.

    ``support`` weighs the logit of a claim and that of its worst token, and adds an offset.
    """

    weights: tuple[float, ...] = (0.0, 0.0, 1.0, 0.0, 0.0)
    bias: float = 0.0
    support: tuple[float, float, float] = (1.0, 0.0, 0.0)

    def confidence(self, ranked: Ranked, readings: Sequence[WindowReading]) -> float:
        """How likely the best answer is right, 0 to 1; 0 where there is none."""
        if not ranked.spans:
            return 0.0
        return sigmoid(float(np.dot(self.weights, features(ranked, readings))) + self.bias)

    def supported(self, logit: float, worst: float) -> float:
        """How likely a claim holds, from its own logit and the highest of a wrong token."""
        return sigmoid(self.support[0] * logit + self.support[1] * worst + self.support[2])


def rank(
    readings: Sequence[WindowReading], texts: Sequence[str], count: int = 5, longest: int = LONGEST
) -> Ranked:
    """The ``count`` likeliest answers over all windows, none overlapping a better one.

    ``texts`` are the passages that the readings are of.
    """
    tables = [
        np.where(_in_one_sentence(reading, texts[reading.passage], longest), table, -np.inf)
        for reading in readings
        for table in [_table(reading, longest)]
    ]
    nulls = np.array([reading.null for reading in readings], np.float64)
    if not readings:
        return Ranked((), 1.0)
    flat = np.concatenate([table.ravel() for table in tables])
    whole = _logsumexp(np.concatenate([flat, nulls]))
    order = np.argsort(-flat, kind="stable")[:CANDIDATES]
    begins = np.cumsum([0, *(table.size for table in tables)])

    def span(window: int, at: int) -> RankedSpan:
        first, more = divmod(at, longest)
        reading = readings[window]
        start, end = int(reading.offsets[first, 0]), int(reading.offsets[first + more, 1])
        text, score = texts[reading.passage][start:end], float(tables[window].flat[at])
        share = float(np.exp(score - whole))
        return RankedSpan(reading.passage, start, end, text, score, share, window)

    kept: list[RankedSpan] = []
    for at in order.tolist():
        if flat[at] == -np.inf:
            break
        window = int(np.searchsorted(begins, at, side="right")) - 1
        one = span(window, at - int(begins[window]))
        same = _same(one, kept)
        if same is not None:
            likelier = kept[same].probability + one.probability
            kept[same] = replace(kept[same], probability=likelier)
        elif len(kept) < count:
            kept.append(one)
        if one.probability < 1e-4 and len(kept) == count:
            break
    kept.sort(key=lambda span: -span.probability)
    best = tuple(span(window, int(table.argmax())) for window, table in enumerate(tables))
    return Ranked(tuple(kept), float(np.exp(_logsumexp(nulls) - whole)), best)


def features(
    ranked: Ranked, readings: Sequence[WindowReading]
) -> tuple[float, float, float, float, float]:
    """What the confidence depends on: the log of the best answer's probability, its score above
    that of no answer, whether its window answers, its lead over the next answer, and whether any
    window answers."""
    best = ranked.spans[0]
    null = max(reading.null for reading in readings)
    second = ranked.spans[1].probability if len(ranked.spans) > 1 else 1e-9
    return (
        max(-12.0, float(np.log(best.probability + 1e-12))),
        float(np.clip(best.score - null, -15, 15)),
        float(np.clip(readings[best.window].answered, -10, 10)),
        min(8.0, float(np.log((best.probability + 1e-12) / (second + 1e-9)))),
        float(np.clip(max(reading.answered for reading in readings), -10, 10)),
    )


def plain(text: str) -> str:
    """Lower-case words without articles and punctuation: by these, answers are compared."""
    words = (word.strip(string.punctuation) for word in text.lower().split())
    return " ".join(word for word in words if word and word not in ("a", "an", "the"))


def sigmoid(x: float) -> float:
    """1 / (1 + e^-x) without overflow."""
    return float(1 / (1 + np.exp(-np.clip(x, -60, 60))))


def _table(reading: WindowReading, longest: int) -> NDArray[np.float64]:
    """Scores of all spans (n, m): row the first token, column how many more; -inf past the end."""
    n = len(reading.starts)
    padded = np.full(n + longest, -np.inf)
    padded[:n] = reading.ends
    ends = np.lib.stride_tricks.sliding_window_view(padded, longest)[:n]
    table: NDArray[np.float64] = reading.starts.astype(np.float64)[:, None] + ends
    return table


def _same(one: RankedSpan, spans: Sequence[RankedSpan]) -> int | None:
    """The number of the span that overlaps this one or has its text, if any."""
    words = plain(one.text)
    for at, span in enumerate(spans):
        beside = span.end <= one.start or one.end <= span.start
        overlaps = span.passage == one.passage and not beside
        if overlaps or (words and plain(span.text) == words):
            return at
    return None


def _in_one_sentence(reading: WindowReading, text: str, longest: int) -> NDArray[np.bool_]:
    """Which spans (n, m) stay inside one sentence, one list item and one row of a table."""
    ends = [end for _, end in sentences(text)]
    ends += [match.start() for match in _NEW_ITEM.finditer(text)]
    numbers = np.searchsorted(np.array(sorted(ends)), reading.offsets[:, 0], side="right")
    padded = np.full(len(numbers) + longest, -1)
    padded[: len(numbers)] = numbers
    last = np.lib.stride_tricks.sliding_window_view(padded, longest)[: len(numbers)]
    inside: NDArray[np.bool_] = last == numbers[:, None]
    return inside


def _logsumexp(values: NDArray[np.float64]) -> float:
    top = float(values.max())
    return top + float(np.log(np.exp(values - top).sum()))
