"""Fit what turns the reader's logits into probabilities, on the sources' own dev parts.

``python -m training.reader.calibrate --weights FOLDER`` writes ``calibration.json`` there.

The confidence is a logistic regression on ``features``: is the best span over several passages
right, when now and then none of them holds the answer? The questions are those of ``abstain``: with
the passages and the digest that a search brings, and again without their answer. Claims are weighed
by their own logit and that of their worst token.
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

from ragcli.models.locate import embedder_folder
from ragcli.models.reader import Calibration, Reader
from training.reader.abstain import cases, outcomes, withheld
from training.reader.claims import make_claims
from training.reader.data import find_data, load
from training.reader.evaluate import CLAIM_SOURCES, auc, pairs, sample

SHARE = {"as": 1.0, "gone": 0.4, "altered": 0.2, "none": 0.5}
"""Weight of a question in the fit: most questions that people ask have an answer."""
USED = (0, 3, 4)
"""The features that are fitted. The score above no answer and the best answer's window say nearly
what the first and the last say: with them the fit spread its weight and told less."""


def main() -> int:
    """Fit both, write the file, print how well they do."""
    parser = argparse.ArgumentParser(prog="python -m training.reader.calibrate")
    parser.add_argument("--weights", type=Path, required=True, help="folder of the weights")
    parser.add_argument("--sample", type=int, default=60, help="questions of a source")
    given = parser.parse_args()
    data = find_data()
    if data is None:
        return 2
    report = calibrate(data, given.weights, given.sample)
    print(json.dumps(report, indent=1))
    return 0


def calibrate(data: Path, weights: Path, size: int = 60) -> dict[str, Any]:
    """Fit and write ``calibration.json`` into the folder ``weights``; returns its contents."""
    reader = Reader(embedder_folder(), weights)
    reader.calibration = Calibration()
    found = outcomes(reader, cases(data, size))
    rows = np.array([one.features for one in found])
    right = np.array([int(one.right) for one in found])
    weights_of = np.array([SHARE[one.case.way] for one in found])
    model = LogisticRegression(C=1.0).fit(rows[:, USED], right, sample_weight=weights_of)
    coefficients = np.zeros(rows.shape[1])
    coefficients[list(USED)] = model.coef_[0]
    logits, labels = claim_logits(reader, data, 3 * size)
    claim = LogisticRegression(C=10.0).fit(logits, labels)
    confidence = model.predict_proba(rows[:, USED])[:, 1]
    asked = np.array([one.case.way == "as" for one in found])
    fields = {
        "weights": [round(float(w), 4) for w in coefficients],
        "bias": round(float(model.intercept_[0]), 4),
        "support": [round(float(w), 4) for w in (*claim.coef_[0], *claim.intercept_)],
        "fitted": {
            "questions": len(right),
            "answerable": int(asked.sum()),
            "right": round(float(np.mean(right[asked])), 3),
            "auc": round(auc(right[asked].tolist(), confidence[asked].tolist()), 3),
            "auc_with_unanswerable": round(auc(right.tolist(), confidence.tolist()), 3),
            "coverage": coverage(confidence[asked], right[asked]),
            "bins": bins(confidence[asked], right[asked]),
            "unanswerable": withheld(found, confidence),
            "claims": len(labels),
            "claims_auc": round(auc(labels.tolist(), claim.decision_function(logits).tolist()), 3),
            "claims_auc_without_worst": round(auc(labels.tolist(), logits[:, 0].tolist()), 3),
        },
    }
    target = (weights if weights.is_dir() else weights.parent) / "calibration.json"
    target.write_text(json.dumps(fields, indent=1) + "\n", encoding="utf-8")
    return fields


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
