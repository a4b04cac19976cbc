"""Fits the weights of ``ragcli.answer.score`` and says what they are worth.

``python -m training.score.fit COLLECTED.jsonl ... [--write]``

Every figure is of questions whose source was left out of the fit (six folds over sources). The
weights that are written are fitted on all.
"""

from __future__ import annotations

import argparse
import json
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from ragcli.answer import score
from training.reader.evaluate import auc

Question = dict[str, Any]
Floats = NDArray[np.float64]
Chosen = tuple[Question, dict[str, Any] | None, float]
"""A question, its best candidate, and the probability of that."""

FOLDS = 6
RIDGE = 1.0
"""Inverse strength of the penalty on weights of standardised features."""
TREES = {
    "max_iter": 150,
    "learning_rate": 0.05,
    "max_leaf_nodes": 12,
    "min_samples_leaf": 30,
    "l2_regularization": 1.0,
    "random_state": 0,
}


def main() -> int:
    """Print the tables; with ``--write`` also write the weights."""
    parser = argparse.ArgumentParser(prog="python -m training.score.fit")
    parser.add_argument("collected", type=Path, nargs="+")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    asked = [json.loads(line) for file in given.collected for line in file.open(encoding="utf-8")]
    best = out_of_fold(asked, calibrated)
    told: list[tuple[bool, float]] = []
    for rest, held in folds(asked):
        fitted = regression(rest)
        told += [(tells(one), _told(fitted, one)) for one in held if one["candidates"]]
    sources = {one["source"] for one in asked}
    print(f"{len(asked)} questions over {len(sources)} sources")
    for line in report(best, told):
        print(line)
    if given.write:
        path = Path(score.__file__).with_name("score.json")
        answer = asdict(calibrated(asked))
        weights = {"told": regression(asked), "answer": answer}
        path.write_text(json.dumps(weights, separators=(",", ":")) + "\n", encoding="utf-8")
    return 0


@dataclass(frozen=True, slots=True)
class Trees:
    """Boosted trees as ``ragcli.answer.score`` reads them."""

    bias: float
    trees: list[list[list[float]]]
    scale: float = 1.0
    shift: float = 0.0

    def chosen(self, asked: Question) -> tuple[dict[str, Any] | None, float]:
        """The best candidate of a question and its probability."""
        scored = [(self.logit(one["row"]), at) for at, one in enumerate(asked["candidates"])]
        if not scored:
            return None, 0.0
        logit, at = max(scored)
        return asked["candidates"][at], float(1 / (1 + np.exp(-np.clip(logit, -60, 60))))

    def logit(self, row: Sequence[float]) -> float:
        """The log odds of a candidate."""
        total = self.bias + sum(score.leaf(tree, row) for tree in self.trees)
        return self.scale * total + self.shift


def folds(asked: Sequence[Question]) -> Iterator[tuple[list[Question], list[Question]]]:
    """The questions in two parts, by source: those to fit on and those left out, in turns."""
    fold_of = {one["source"]: zlib.crc32(one["source"].encode()) % FOLDS for one in asked}
    for fold in range(FOLDS):
        yield (
            [one for one in asked if fold_of[one["source"]] != fold],
            [one for one in asked if fold_of[one["source"]] == fold],
        )


def out_of_fold(
    asked: Sequence[Question], fit: Callable[[Sequence[Question]], Trees]
) -> list[Chosen]:
    """The best candidate of every question, by trees that have not seen its source."""
    found: list[Chosen] = []
    for rest, held in folds(asked):
        trees = fit(rest)
        found += [(one, *trees.chosen(one)) for one in held]
    return found


def grown(asked: Sequence[Question]) -> Trees:
    """Trees fitted on all candidates."""
    candidates = [one for question in asked for one in question["candidates"]]
    rows = np.array([one["row"] for one in candidates])
    model = HistGradientBoostingClassifier(**TREES).fit(rows, [one["right"] for one in candidates])
    # scikit-learn has no public way to these nodes.
    trees = [_nodes(predictors[0].nodes) for predictors in model._predictors]
    return Trees(float(model._baseline_prediction[0, 0]), trees)


def _nodes(nodes: NDArray[Any]) -> list[list[float]]:
    return [
        [round(float(node["value"]), 5)]
        if node["is_leaf"]
        else [
            int(node["feature_idx"]),
            round(float(node["num_threshold"]), 5),
            int(node["left"]),
            int(node["right"]),
        ]
        for node in nodes
    ]


def calibrated(asked: Sequence[Question]) -> Trees:
    """Trees whose probabilities are right for the best of several candidates, on left-out sources;
    without that they are too high."""
    picked = [(one, sure) for _, one, sure in out_of_fold(asked, grown) if one is not None]
    logits = np.array([[np.log(sure / (1 - sure))] for _, sure in picked])
    model = LogisticRegression(C=1e3).fit(logits, [one["right"] for one, _ in picked])
    return replace(
        grown(asked),
        scale=round(float(model.coef_[0, 0]), 5),
        shift=round(float(model.intercept_[0]), 5),
    )


def tells(asked: Question) -> bool:
    """Whether the passages that were found tell what was asked."""
    return bool(asked["kind"] != "none" and asked["rank"] >= 0)


def regression(asked: Sequence[Question]) -> dict[str, Any]:
    """Whether the passages tell it: a logistic regression over standardised features, as weights
    for the features themselves."""
    first = [one for one in asked if one["candidates"]]
    x = np.array([one["candidates"][0]["asked"] for one in first])
    middle, spread = x.mean(axis=0), x.std(axis=0) + 1e-6
    model = LogisticRegression(C=RIDGE, max_iter=1000)
    model.fit((x - middle) / spread, [tells(one) for one in first])
    weights = model.coef_[0] / spread
    bias = float(model.intercept_[0] - weights @ middle)
    return {"bias": round(bias, 5), "weights": [round(float(w), 5) for w in weights]}


def _told(fitted: dict[str, Any], asked: Question) -> float:
    logit = np.dot(fitted["weights"], asked["candidates"][0]["asked"]) + fitted["bias"]
    return float(1 / (1 + np.exp(-logit)))


def report(
    best: Sequence[Chosen],
    told: Sequence[tuple[bool, float]],
) -> Iterable[str]:
    """Tables: how right the best is by kind, what a threshold shows, how honest it is."""
    rows = [(one, bool(pick and pick["right"]), sure) for one, pick, sure in best]
    able = [(right, sure) for one, right, sure in rows if one["kind"] != "none"]
    unable = [sure for one, _, sure in rows if one["kind"] == "none"]
    yield "kind: questions, right by the best candidate"
    kinds: dict[str, list[bool]] = defaultdict(list)
    for one, right, _ in rows:
        kinds[one["qkind"]].append(right)
    for kind, found in sorted(kinds.items()):
        yield f"  {kind:12s}{len(found):6d}{np.mean(found):7.3f}"
    yield f"told: AUC {auc([int(a) for a, _ in told], [b for _, b in told]):.3f}"
    yield f"right against wrong: AUC {auc([int(r) for _, r, _ in rows], [s for *_, s in rows]):.3f}"
    yield "shown from | precision | coverage | right of answerable | unanswerable shown"
    for least in np.arange(0.1, 0.95, 0.05):
        shown = [right for _, right, sure in rows if sure >= least]
        answered = [right for right, sure in able if sure >= least]
        yield (
            f"  {least:.2f} | {np.mean(shown or [False]):.3f} | {len(answered) / len(able):.3f}"
            f" | {sum(answered) / len(able):.3f}"
            f" | {np.mean([sure >= least for sure in unable] or [False]):.3f}"
        )
    yield f"expected calibration error: {calibration_error([(r, s) for _, r, s in rows]):.3f}"


def calibration_error(pairs: Sequence[tuple[bool, float]], bins: int = 10) -> float:
    """The mean distance of probability and share of right ones, over bins of equal width."""
    right = np.array([r for r, _ in pairs], np.float64)
    sure = np.array([s for _, s in pairs])
    at = np.minimum((sure * bins).astype(int), bins - 1)
    return float(
        sum(
            (at == one).mean() * abs(right[at == one].mean() - sure[at == one].mean())
            for one in range(bins)
            if (at == one).any()
        )
    )


if __name__ == "__main__":
    raise SystemExit(main())
