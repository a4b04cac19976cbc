"""Whether passages tell what was asked, and whether an answer is of the kind asked for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragcli.answer.answer_kind import fits
from ragcli.answer.told import Signs, told

SURE = Signs(answered=4.0, near=1.2, missed=0.0)


def test_signs_that_speak_against_an_answer_lower_the_probability() -> None:
    """Whatever the weights: a window that does not answer, names that are nowhere."""
    doubtful = replace(SURE, answered=-4.0)
    unnamed = replace(SURE, missed=1.0)
    assert 0 < told(doubtful) < told(SURE) < 1
    assert told(unnamed) < told(SURE)


def test_extreme_signs_give_a_probability() -> None:
    """No overflow, however sure."""
    assert told(Signs(*[1e6] * 3)) in (0.0, 1.0) or 0 < told(Signs(*[1e6] * 3)) < 1
    assert 0 <= told(Signs(*[-1e6] * 3)) <= 1


@pytest.mark.parametrize(
    ("question", "answer", "fit"),
    [
        ("In what year did it open?", "1931", True),
        ("In what year did it open?", "May", False),
        ("When did it open?", "the second of May", True),
        ("When did it open?", "Anna Weil", False),
        ("How many people came?", "twenty-three", True),
        ("How many people came?", "a lot of them", False),
        ("Who came?", "Mr Arslan", True),
        ("Who came?", "1931", False),
        ("Where is it?", "1931", True),
    ],
)
def test_kinds(question: str, answer: str, fit: bool) -> None:
    """Only what a question surely asks for is judged."""
    assert fits(question, answer) is fit
