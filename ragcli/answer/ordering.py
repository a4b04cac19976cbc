"""What the reader says of the passages orders them, and says which sentence is shown.

The odds of a passage (``retrieve.compare``) are multiplied by a power of one more than the odds
that it answers. So silence takes nothing away: what leads to an answer need not answer. Where no
short answer is sure, a weighted sum chooses the sentence. Both are fitted on questions over folders
(``training/score/order.py``); figures: docs/adr/ranking.md.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragcli.answer.finders import AnswerCandidate
from ragcli.answer.reading import ReadQuestion
from ragcli.answer.short import FoundAnswer
from ragcli.types import Hit, ReadPlace

Floats = NDArray[np.float64]

_WEIGHTS = Path(__file__).with_name("ordering.json")


def reordered(hits: Sequence[Hit], read: Sequence[ReadPlace]) -> list[Hit]:
    """The hits by their scores, which are odds, and by what was read of them; those of which
    nothing was read keep their order."""
    power = _weights()["power"]
    odds = [answers(hit.doc, hit.start, hit.end, read) for hit in hits]
    scores = [hit.score * float(np.exp(power * x)) for hit, x in zip(hits, odds, strict=True)]
    order = sorted(range(len(hits)), key=lambda at: -scores[at])
    return [replace(hits[at], score=scores[at], rank=rank) for rank, at in enumerate(order, 1)]


def answers(doc: str, start: int, end: int, read: Sequence[ReadPlace]) -> float:
    """The log of one more than the odds that what was read of a place answers; 0 if nothing was."""
    held = (x.answered for x in read if x.doc == doc and x.start < end and start < x.end)
    return round(float(np.logaddexp(0.0, max(held, default=-np.inf))), 4)


def first_sentence(found: FoundAnswer) -> int:
    """The number of the sentence to show, of those that were compared with the question."""
    weights = np.array(_weights()["sentence"])
    rows, held = sentence_rows(found.read), held_by(found.candidate, found.read)
    return int((np.column_stack([rows, held]) @ weights).argmax())


def sentence_rows(read: ReadQuestion) -> Floats:
    """What is known of each sentence whatever the answer is, (n, 4): its cosine, the share of the
    question's words that it holds, how early its passage was found, and what its passage answers.
    """
    view = read.view
    rank = [1 / one.part.n for one in view.sentences]
    told = [answers(one.part.doc, one.start, one.end, read.places) for one in view.sentences]
    return np.round(np.column_stack([view.similarity, view.covers.sum(axis=1), rank, told]), 4)


def held_by(candidate: AnswerCandidate, read: ReadQuestion) -> list[bool]:
    """Whether each sentence holds a candidate for the answer, the last number of the five."""
    places = {(one.part.n, one.start) for one in candidate.sentences}
    return [(one.part.n, one.start) in places for one in read.view.sentences]


@cache
def _weights() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_WEIGHTS.read_bytes())
    return found
