"""Fits the weights of ``ragcli.answer.ordering`` and says what they are worth.

``python -m training.score.order COLLECTED.jsonl ... [--write]``

COLLECTED is what ``collect`` wrote. As in ``fit``, every figure is of questions whose source was
left out of the fit, or of sets that are never in it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragcli.answer import ordering
from ragcli.config import Settings
from ragcli.evaluate.bootstrap import intervals
from training.ranking.fit import Asked, weighed
from training.score.fit import Question, calibrated, fit, folds, measured, out_of_fold

Floats = NDArray[np.float64]
Sentences = Mapping[str, tuple[Floats, NDArray[np.bool_]]]
"""By question: the rows of its sentences (n, 5), and which of them hold the evidence."""


def main() -> int:
    """Print the tables; with ``--write`` also write the weights."""
    parser = argparse.ArgumentParser(prog="python -m training.score.order")
    parser.add_argument("collected", type=Path, nargs="+")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    asked = [json.loads(line) for file in given.collected for line in file.open(encoding="utf-8")]
    best = calibrated(out_of_fold(asked, fit))
    known = {one["id"]: sentences(one, chosen) for one, chosen, _ in best if chosen}
    if given.write:
        path = Path(ordering.__file__).with_name("ordering.json")
        fitted = {"power": power(asked), "sentence": sentence_weights(asked, known)}
        path.write_text(json.dumps(fitted) + "\n", encoding="utf-8")
    unsure = {one["id"] for one, _, sure in best if sure < Settings().min_confidence}
    for line in report(asked, known, unsure):
        print(line)
    return 0


def hits(one: Question) -> Asked:
    """The hits of a question."""
    rows = np.array([hit["row"] for hit in one["hits"]])
    right = np.array([hit["right"] for hit in one["hits"]], bool)
    several = one["field"] == "cases"
    return Asked(one["source"], several, rows, right, [hit["doc"] for hit in one["hits"]])


def sentences(one: Question, chosen: dict[str, Any]) -> tuple[Floats, NDArray[np.bool_]]:
    """The sentences of a question, with whether they hold the candidate that is ``chosen``."""
    rows = np.array([sentence["row"] for sentence in one["sentences"]])
    right = np.array([sentence["right"] for sentence in one["sentences"]], bool)
    return np.column_stack([rows, chosen["held"]]), right


def power(asked: Sequence[Question]) -> float:
    """What the odds that a passage answers count beside those of the ranking."""
    ranked, read = _weights([(one.rows, one.right) for one in map(hits, measured(asked))])
    return round(read / ranked, 4)


def sentence_weights(asked: Sequence[Question], known: Sentences) -> list[float]:
    """The weights of what is known of a sentence."""
    some = [known[one["id"]] for one in measured(asked) if one["id"] in known]
    return [round(weight, 4) for weight in _weights(some)]


def _weights(groups: Sequence[tuple[Floats, NDArray[np.bool_]]]) -> list[float]:
    useful = [(rows, right) for rows, right in groups if right.any() and not right.all()]
    rows, right = zip(*useful, strict=True)
    each = np.full(len(useful), 1 / len(useful))
    return [float(weight) for weight in weighed(rows, right, each)]


def report(asked: Sequence[Question], known: Sentences, unsure: set[str]) -> Iterator[str]:
    """Figures of hits, of folders and of each set beside; and of the first sentence, where no
    short answer is sure."""
    pairs: list[tuple[Any, Any]] = []
    first: list[tuple[Any, Any]] = []
    for rest, held in folds(asked):
        strength, weights = power(rest), np.array(sentence_weights(rest, known))
        answerable = [one for one in measured(held) if one["kind"] != "none"]
        pairs += [compared(hits(one), strength) for one in answerable if one["hits"]]
        for one in answerable:
            if one["id"] in unsure and one["id"] in known:
                rows, right = known[one["id"]]
                first.append(([right[one["first"]]], [right[(rows @ weights).argmax()]]))
    yield from _lines("hits: right one first, among 3, among 5", pairs)
    yield from _lines("no short answer is sure: the first sentence holds the evidence", first)
    others = [one for one in asked if one["field"] == "cases" and one["hits"]]
    for name in sorted({one["source"] for one in others}):
        some = [compared(hits(one), power(asked)) for one in others if one["source"] == name]
        yield from _lines(f"{name}: recall@2, recall@5, perfect@8", some)


def compared(one: Asked, strength: float) -> tuple[list[float], list[float]]:
    """Figures of hits as they were ranked and as they are read."""
    return one.figures(one.rows[:, 0]), one.figures(one.rows @ np.array([1.0, strength]))


def _lines(name: str, pairs: Sequence[tuple[Any, Any]]) -> Iterator[str]:
    before, now = np.array(pairs, np.float64).transpose(1, 0, 2)
    yield f"{len(pairs)} questions, {name}"
    yield f"  before {_listed(before.mean(axis=0))}, now {_listed(now.mean(axis=0))}"
    yield f"  difference {'; '.join(f'{a:+.3f} to {b:+.3f}' for a, b in intervals(now - before))}"


def _listed(values: Floats) -> str:
    return " ".join(f"{value:.3f}" for value in values)


if __name__ == "__main__":
    raise SystemExit(main())
