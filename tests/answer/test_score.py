"""The score chooses between candidates by what is known of them, not by their order."""

from __future__ import annotations

import numpy as np

from ragcli.answer.score import (
    NAMES,
    AskedFeatures,
    CandidateFeatures,
    as_shown,
    chosen,
)

ASKS = AskedFeatures(6.0, -5.0, 0.7, 0.8, 1.0, 0.0, 1.0, -3.0, 1.0, 4.0)
SURE = CandidateFeatures(
    answered=6.0, near=0.7, covers=0.8, likely=-0.05, sharp=-0.1, above=8.0, lead=6.0
)
UNSURE = CandidateFeatures(
    answered=-3.0, near=0.2, covers=0.1, rank=5.0, likely=-7.0, alone=-5.0, above=-3.0, lead=-6.0
)


def test_the_likelier_candidate_is_chosen_wherever_it_stands() -> None:
    """Its probability is the same in any order."""
    first = chosen([(ASKS, SURE, "1871"), (ASKS, UNSURE, "a keeper")])
    second = chosen([(ASKS, UNSURE, "a keeper"), (ASKS, SURE, "1871")])
    assert (first.at, second.at) == (0, 1)
    assert abs(first.probability - second.probability) < 1e-9
    assert 0 < chosen([(ASKS, UNSURE, "a keeper")]).probability < first.probability < 1


def test_a_rival_as_good_makes_it_less_sure() -> None:
    """One that says the same does not count as one."""
    rows = np.array([[1.0] * len(NAMES)] * 2)
    logits = np.array([2.0, 1.5])
    other = as_shown(rows, logits, ["Marta Lund", "Ingrid Moe"])
    same = as_shown(rows, logits, ["Marta Lund", "marta lund of Skarvoy"])
    assert other[1] == 1.5 and same[1] == -10.0 and same[3] > other[3] == 0
