"""Questions with the passages that a search brings, answerable or not: what confidence is fitted on
and how many unanswerable ones it withholds.

Of each development question three ways: ``as`` it is; ``gone``, the sentences with the answer taken
out of the passages; ``altered``, the question changed so that its passage does not answer it. And
``none``: questions that their documents leave unanswered.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragcli.evaluate.text_metrics import token_f1
from ragcli.models.locate import embedder_folder
from ragcli.models.reader import Calibration, Reader, rank
from ragcli.models.reader.spans import features
from training.reader.contrast import altered, without_answer
from training.reader.data import Example, Passage, Pool, load
from training.reader.evaluate import GOALS, auc, pairs, sample
from training.reader.later import LaterMaker, cropped, digest
from training.reader.windows import shuffled

SOURCES = (*GOALS, "qed", "tatqa_text", "bioasq")
NONE_SOURCES = ("timeqa", "medquad", "cuad")
WAYS = ("as", "gone", "altered", "none")
READ = 5
"""Passages beside the digest: about what ``ask`` reads."""
RIGHT = 0.5
"""Token F1 from which an answer counts as right."""
WITHHELD = 0.05
"""Share of right answers that may be withheld for the sake of the unanswerable."""


@dataclass(frozen=True, slots=True)
class Case:
    """A question with passages, the last one a digest; without ``answers`` it has none there."""

    source: str
    way: str
    question: str
    passages: tuple[Passage, ...]
    answers: tuple[str, ...]


def cases(data: Path, size: int) -> Iterator[Case]:
    """At most ``size`` questions of each source, in every way that its rules allow."""
    rng = np.random.default_rng(9)
    for source in dict.fromkeys((*SOURCES, *NONE_SOURCES)):
        examples = load(data, source, "dev")
        maker = LaterMaker(embedder_folder(), Pool(examples))
        none = [e for e in examples if e.kind == "none"]
        if source in NONE_SOURCES:
            for example in sample(none, size):
                yield _case(example, "none", example.question, list(example.passages), maker, rng)
        if source in SOURCES:
            spans = [e for e in examples if e.kind == "span" and any(e.answers)]
            for example in sample(spans, size):
                yield from _ways(example, maker, rng)


def _ways(example: Example, maker: LaterMaker, rng: np.random.Generator) -> Iterator[Case]:
    question = example.question
    gold = [cropped(p, 288, rng, maker) for p in example.passages if p.answers][:2]
    others = [p for p in example.passages if not p.answers] + maker.nearest(example)
    others = others[: READ - len(gold)]
    yield _case(example, "as", question, gold + others, maker, rng)
    least = [without_answer(p, example.answers) for p in gold]
    kept = [p for p in least if p is not None]
    answers = [answer.lower() for answer in example.answers]
    clean = [p for p in others if not any(a in p.text.lower() for a in answers)]
    if kept:
        yield _case(example, "gone", question, kept + clean, maker, rng)
    other = altered(question, gold[0], [p.text for p in others[:2]], rng)
    if other:
        yield _case(example, "altered", other, gold + others, maker, rng)


def _case(
    example: Example,
    way: str,
    question: str,
    passages: list[Passage],
    maker: LaterMaker,
    rng: np.random.Generator,
) -> Case:
    if way != "as":
        passages = [replace(p, answers=()) for p in passages]
    read = shuffled(passages[:READ], rng)
    read.append(digest(question, read, maker, rng))
    answers = example.answers if way == "as" else ()
    return Case(example.source, way, question, tuple(p for p in read if p.text), answers)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the reader made of a case."""

    case: Case
    features: tuple[float, ...]
    right: bool


def outcomes(reader: Reader, given: Iterator[Case]) -> list[Outcome]:
    """Read every case; those with nothing to choose from are left out."""
    found = []
    for case in given:
        readings = reader.read(case.question, pairs(case.passages))
        ranked = rank(readings, [p.text for p in case.passages])
        if not ranked.spans:
            continue
        best = ranked.spans[0]
        score = token_f1(best.text, case.answers) if case.answers else 0.0
        found.append(Outcome(case, features(ranked, readings), score >= RIGHT))
    return found


def confidences(found: list[Outcome], calibration: Calibration) -> NDArray[np.float64]:
    """How sure the calibration is of each outcome's best answer."""
    rows = np.array([one.features for one in found])
    logits = rows @ np.array(calibration.weights) + calibration.bias
    return np.asarray(1 / (1 + np.exp(-logits)), np.float64)


def withheld(found: list[Outcome], sure: NDArray[np.float64]) -> dict[str, Any]:
    """For each way how many unanswerable questions fall below the confidence that withholds
    ``WITHHELD`` of the right answers, and the AUC against the right answers."""
    right = sure[[one.right for one in found]]
    threshold = float(np.quantile(right, WITHHELD))
    shown: dict[str, Any] = {"threshold": round(threshold, 4), "right": len(right)}
    answerable = [one.case.way == "as" for one in found]
    shown["right_of_answerable"] = round(len(right) / max(1, sum(answerable)), 3)
    for way in WAYS[1:]:
        own = sure[[one.case.way == way for one in found]]
        if len(own):
            labels = [1] * len(right) + [0] * len(own)
            shown[way] = {
                "n": len(own),
                "withheld": round(100 * float(np.mean(own < threshold)), 1),
                "auc": round(auc(labels, [*right.tolist(), *own.tolist()]), 3),
            }
    return shown
