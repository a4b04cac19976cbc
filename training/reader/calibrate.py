"""Fit what turns the reader's logits into probabilities, on the sources' own dev parts.

``python -m training.reader.calibrate --weights FOLDER`` writes ``calibration.json`` there.

The confidence is a logistic regression on ``features``: is the best span over several passages
right, when now and then none of them holds the answer? The passages are the gold one and up to
seven that look like it, as a search would bring them; a third of the questions go without the gold
one. Claims are weighed by their own logit and that of their worst token.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from ragcli.evaluate.text_metrics import token_f1
from ragcli.models.locate import embedder_folder
from ragcli.models.reader import Calibration, Reader, rank
from ragcli.models.reader.spans import features
from training.reader.claims import make_claims
from training.reader.data import Example, Pool, find_data, load
from training.reader.evaluate import CLAIM_SOURCES, GOALS, auc, pairs, sample
from training.reader.windows import Maker, shuffled

SOURCES = (*GOALS, "qed", "tatqa_text", "quoref_contrast", "bioasq")
RIGHT = 0.5
"""Token F1 from which an answer counts as right."""


def main() -> int:
    """Fit both, write the file, print how well they do."""
    parser = argparse.ArgumentParser(prog="python -m training.reader.calibrate")
    parser.add_argument("--weights", type=Path, required=True, help="folder of the weights")
    parser.add_argument("--sample", type=int, default=200, help="examples of a source at most")
    given = parser.parse_args()
    data = find_data()
    if data is None:
        return 2
    report = calibrate(data, given.weights, given.sample)
    print(json.dumps(report, indent=1))
    return 0


def calibrate(data: Path, weights: Path, size: int = 200) -> dict[str, Any]:
    """Fit and write ``calibration.json`` into the folder ``weights``; returns its contents."""
    reader = Reader(embedder_folder(), weights)
    reader.calibration = Calibration()
    rows, right = answers(reader, data, size)
    model = LogisticRegression(C=1.0).fit(rows, right)
    logits, labels = claim_logits(reader, data, size)
    claim = LogisticRegression(C=10.0).fit(logits, labels)
    confidence = model.predict_proba(rows)[:, 1]
    fields = {
        "weights": [round(float(w), 4) for w in model.coef_[0]],
        "bias": round(float(model.intercept_[0]), 4),
        "support": [round(float(w), 4) for w in (*claim.coef_[0], *claim.intercept_)],
        "fitted": {
            "questions": len(right),
            "right": round(float(np.mean(right)), 3),
            "auc": round(auc(right.tolist(), confidence.tolist()), 3),
            "coverage": coverage(confidence, right),
            "bins": bins(confidence, right),
            "claims": len(labels),
            "claims_auc": round(auc(labels.tolist(), claim.decision_function(logits).tolist()), 3),
            "claims_auc_without_worst": round(auc(labels.tolist(), logits[:, 0].tolist()), 3),
        },
    }
    target = (weights if weights.is_dir() else weights.parent) / "calibration.json"
    target.write_text(json.dumps(fields, indent=1) + "\n", encoding="utf-8")
    return fields


def answers(reader: Reader, data: Path, size: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Features (questions, 4) and whether the best span is right."""
    rng = np.random.default_rng(7)
    rows, right = [], []
    for source in SOURCES:
        examples = sample(load(data, source, "dev"), size)
        maker = Maker(embedder_folder(), Pool(examples))
        for example in examples:
            if example.kind == "yesno":
                continue
            passages = _passages(example, maker, rng)
            readings = reader.read(example.question, pairs(passages))
            ranked = rank(readings, [p.text for p in passages])
            if not ranked.spans:
                continue
            best = ranked.spans[0]
            holds = bool(passages[best.passage].answers)
            score = token_f1(best.text, example.answers) if holds and example.answers else 0.0
            rows.append(features(ranked, readings))
            right.append(int(score >= RIGHT))
    return np.array(rows), np.array(right)


def _passages(example: Example, maker: Maker, rng: np.random.Generator) -> list:
    """The gold passage in two of three cases, and some that are like it."""
    gold = [p for p in example.passages if p.answers]
    others = [p for p in example.passages if not p.answers]
    gold = gold[:1] if rng.random() < 0.67 else []
    count = int(rng.integers(0 if gold else 1, 8))
    return shuffled(gold + maker.negatives(example, others, count, rng), rng)


def claim_logits(
    reader: Reader, data: Path, size: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Logits (claims, 2), of the claim and of its worst token, and whether it holds.

    Another seed than the evaluation's makes other claims.
    """
    rng = np.random.default_rng(8)
    logits, labels = [], []
    for source in CLAIM_SOURCES:
        examples = [e for e in sample(load(data, source, "dev"), size) if e.passages]
        pool = [p for e in examples for p in e.passages]
        for example in examples:
            passage = next((p for p in example.passages if p.answers), example.passages[0])
            other = pool[int(rng.integers(len(pool)))]
            made = make_claims(passage, example.question, other, rng)
            judged = reader.judge([(claim.text, 0) for claim in made], pairs([passage]))
            logits += [judgement.logits for judgement in judged]
            labels += [int(claim.holds) for claim in made]
    return np.clip(np.array(logits), -15, 15), np.array(labels)


def coverage(confidence: NDArray[np.float64], right: NDArray[np.int64]) -> dict[str, float]:
    """Share of right answers among the surest tenth, two tenths and so on."""
    order = np.argsort(-confidence)
    shares = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    return {
        f"{share:.1f}": round(float(right[order][: round(share * len(right))].mean()), 3)
        for share in shares
    }


def bins(confidence: NDArray[np.float64], right: Sequence[int]) -> dict[str, list[float]]:
    """For each fifth of the confidence: how many questions, mean confidence, share right."""
    found = {}
    place = np.minimum((confidence * 5).astype(int), 4)
    for at in range(5):
        inside = place == at
        if inside.any():
            found[f"{at / 5:.1f}"] = [
                int(inside.sum()),
                round(float(confidence[inside].mean()), 3),
                round(float(np.array(right)[inside].mean()), 3),
            ]
    return found


if __name__ == "__main__":
    raise SystemExit(main())
