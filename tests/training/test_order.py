"""The fit of what orders hits and sentences by what was read."""

from __future__ import annotations

from typing import Any

import numpy as np
from answer.makers import context_of

from ragcli.answer.candidates import all_candidates
from training.score.collect import holds, told_in
from training.score.order import compared, hits, power, sentence_weights

ROW: dict[str, Any] = {"answers": [{"text": "Marta Lund"}]}


def question(number: int, rng: np.random.Generator) -> dict[str, Any]:
    """The right hit is the one with the highest sum of its log odds and thrice what it answers."""
    rows = np.column_stack([rng.normal(0, 2, 10), rng.exponential(1, 10)])
    right = int((rows[:, 0] + 3 * rows[:, 1] + rng.normal(0, 0.5, 10)).argmax())
    listed = [
        {"doc": f"d{at}", "row": row.tolist(), "right": at == right} for at, row in enumerate(rows)
    ]
    return {"id": f"q{number}", "source": f"s{number}", "field": "manual", "hits": listed}


def test_how_much_an_answer_counts_is_learnt() -> None:
    """Near to what made the questions; with it more are right than by the ranking alone."""
    rng = np.random.default_rng(0)
    asked = [question(number, rng) for number in range(200)]
    strength = power(asked[:150])
    assert 2 < strength < 4
    before, now = np.mean([compared(hits(one), strength) for one in asked[150:]], axis=0)
    assert now[0] > before[0] + 0.2


def test_a_sentence_that_holds_the_likeliest_answer_is_learnt() -> None:
    """The last number tells; the others are chance."""
    rng = np.random.default_rng(0)
    known = {}
    for number in range(60):
        rows = rng.random((6, 5))
        rows[:, 4] = np.arange(6) == number % 6
        known[f"q{number}"] = rows, rows[:, 4] > 0
    weights = sentence_weights([{"id": name, "field": "manual"} for name in known], known)
    assert weights[4] > 2 * max(map(abs, weights[:4]))


def test_the_sentence_with_the_evidence_is_right() -> None:
    """It holds the middle of it; a passage holds all of it, or is of a document that is named."""
    context = context_of(("Lighthouse", "Henrik Dahl built it. Its last keeper was Marta  Lund."))
    (part,) = context.parts
    assert [told_in(ROW, one) for one in all_candidates(context)] == [False, True]
    assert holds(ROW, part.doc, part.text) and not holds(ROW, part.doc, "Henrik Dahl")
    assert holds(ROW | {"documents": ["a.md"]}, "a.md", "Henrik Dahl")
