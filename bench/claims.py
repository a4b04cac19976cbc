"""Which written sentences pass the check against what they cite? True ones should, others not.

    python bench/claims.py [--through KIND] [--fit]

``claims.jsonl`` holds sentences over the sample corpus as a model writes them, each with its
question, the passage it cites and what it is: ``true``; ``swapped`` (names or roles exchanged, an
order turned round); ``other`` (a date, number or event that the passage does not tell of);
``negated``; ``unsupported`` (the passage says nothing of it). A check that works passes all of the
first and none of the rest. ``--through`` lists the untrue sentences of one kind that pass, or the
true ones that do not.

The rows ``fitted`` and ``kept apart`` are halves of the set (by a hash of the question). The
weights of the check were fitted on the first; ``--fit`` fits them again and prints them. Written up
in docs/adr/answers-by-reading.md.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np
from measure import table

from ragcli.answer.cite import sources
from ragcli.answer.claim_check import LEAST_WORDS, check_claim, findings
from ragcli.models.open_reader import open_reader
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Part

CLAIMS = Path(__file__).with_name("claims.jsonl")
KINDS = ("true", "swapped", "other", "negated", "unsupported")
KEPT = 0.95
"""Share of the true sentences of the fitted half that the fitted weights let pass."""

Check = Callable[[str, str, Part], bool]
"""Tells whether a sentence (the second argument), written for a question, stands in the part."""


def lexical(question: str, sentence: str, part: Part) -> bool:
    """Names, numbers and half of the other words stand in the quotes: the check until 1.3."""
    return bool(sources(sentence, [part], asked_words=AskedQuestion(question).words))


def rules(question: str, sentence: str, part: Part) -> bool:
    """The check of ``ask`` where there is no reader."""
    return bool(
        check_claim(sentence, [part], None, asked_words=AskedQuestion(question).words).quotes
    )


def judged(question: str, sentence: str, part: Part) -> bool:
    """The reader alone, at even odds."""
    return float(open_reader().support([sentence], [("", part.text)])[0, 0]) >= 0.5


def check(question: str, sentence: str, part: Part) -> bool:
    """The check of ``ask``."""
    return bool(
        check_claim(
            sentence, [part], open_reader(), asked_words=AskedQuestion(question).words
        ).quotes
    )


CHECKS: dict[str, Check] = {
    "words (before)": lexical,
    "words and rules": rules,
    "reader alone": judged,
    "ask": check,
}


def claims(path: Path = CLAIMS) -> list[dict[str, Any]]:
    """Read the claims."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def fitted(claim: dict[str, Any]) -> bool:
    """Whether a claim belongs to the half that weights are fitted on."""
    return not int(hashlib.md5(claim["question"].encode()).hexdigest(), 16) & 1


def cited(claim: dict[str, Any]) -> Part:
    """The passage that a claim cites, as a part of a context."""
    (evidence,) = claim["evidence"]
    text = evidence["quote"]
    return Part(
        n=1,
        doc=evidence["doc"],
        title="",
        start=0,
        end=len(text),
        line_start=1,
        line_end=1 + text.count("\n"),
        text=text,
    )


def share(given: Sequence[dict[str, Any]], passed: set[str], kind: str) -> str:
    """Percent of one kind that pass."""
    of_kind = [one["id"] in passed for one in given if one["label"] == kind]
    return f"{100 * np.mean(of_kind):.0f}"


def fit(given: Sequence[dict[str, Any]]) -> None:
    """Print weights fitted on the first half, in the order of ``Weights``."""
    from sklearn.linear_model import LogisticRegression

    rows, true = [], []
    for one in filter(fitted, given):
        part = cited(one)
        quotes = sources(
            one["sentence"],
            [part],
            asked_words=AskedQuestion(one["question"]).words,
            least=LEAST_WORDS,
        )
        if quotes:
            values = astuple(findings(one["sentence"], quotes, open_reader()))
            rows.append(
                [min(float(value), 3.0) if at == 2 else value for at, value in enumerate(values)]
            )
            true.append(one["label"] == "true")
    features = np.array(rows, dtype=np.float64)
    model = LogisticRegression(C=10.0, class_weight="balanced", max_iter=1000)
    model.fit(features, true)
    # The least score at which the wanted share of the true ones stands becomes 0.
    sums = np.sort((features @ model.coef_[0])[np.array(true)])
    bias = -float(sums[int((1 - KEPT) * len(sums))])
    print("Weights" + str(tuple(round(float(w), 1) for w in (*model.coef_[0], bias))))


def main() -> int:
    """Print the share of each kind that passes each check."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--through", choices=KINDS)
    parser.add_argument("--fit", action="store_true")
    asked = parser.parse_args()
    given = claims()
    if asked.fit:
        fit(given)
        return 0
    rows = [["sentences", *(str(sum(one["label"] == kind for one in given)) for kind in KINDS)]]
    for name, passes in CHECKS.items():
        passed = {
            one["id"] for one in given if passes(one["question"], one["sentence"], cited(one))
        }
        rows.append([name, *(share(given, passed, kind) for kind in KINDS)])
        if name == "ask":
            halves = {"fitted": True, "kept apart": False}
            for label, half in halves.items():
                some = [one for one in given if fitted(one) == half]
                rows.append([f"  {label}", *(share(some, passed, kind) for kind in KINDS)])
            for one in given:
                if one["label"] == asked.through and (one["id"] in passed) != (
                    asked.through == "true"
                ):
                    print(f"{one['id']} {one['sentence']}")
    table(("pass, %", *KINDS), rows)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
