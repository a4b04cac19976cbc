"""Whether passages tell what was asked, and whether an answer is of the kind asked for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragcli.answer.answer_kind import fits
from ragcli.answer.counter_questions import LIMIT
from ragcli.answer.told import LEAST_TOLD, Signs, decided, told

SURE = Signs(
    answered=4.0, near=1.2, missed=0.0, named=0.0, unnamed=3.0, uncounted=0.0, sure=1.0, lengthy=0.0
)


@pytest.mark.parametrize(
    "against",
    [
        replace(SURE, answered=-4.0),
        replace(SURE, missed=1.0),
        replace(SURE, unnamed=-9.0),
        replace(SURE, answered=0.5, unnamed=0.0, uncounted=1.0),
    ],
)
def test_signs_that_speak_against_an_answer_lower_the_probability(against: Signs) -> None:
    """Whatever the weights: a window that does not answer, names that are nowhere, what is asked
    not told of anything, things of another kind counted."""
    assert 0 < told(against) < told(SURE) < 1


def test_what_the_passages_and_what_the_question_lacks_are_each_enough() -> None:
    """The lower of two probabilities counts; where both are high the answer is given."""
    assert told(SURE) >= LEAST_TOLD
    assert told(replace(SURE, near=-2.0, missed=1.0)) < LEAST_TOLD
    unasked = replace(SURE, answered=1.5, unnamed=-5.0, sure=-1.0)
    assert told(unasked) < LEAST_TOLD
    assert told(replace(unasked, lengthy=1.0)) >= LEAST_TOLD


@pytest.mark.parametrize(
    ("known", "sure"),
    [
        (SURE, False),
        (replace(SURE, answered=-5.0), True),
        (replace(SURE, answered=LIMIT, sure=9.0), True),
        (replace(SURE, lengthy=1.0), True),
    ],
)
def test_what_cannot_change_the_verdict_need_not_be_asked(known: Signs, sure: bool) -> None:
    """Decided is what no pair of logits of the other questions changes."""
    assert decided(known) is sure
    verdicts = {
        told(replace(known, named=named, unnamed=unnamed)) < LEAST_TOLD
        for named in (-LIMIT, LIMIT)
        for unnamed in (-LIMIT, LIMIT)
    }
    assert (len(verdicts) == 1) is sure


def test_extreme_signs_give_a_probability() -> None:
    """No overflow, however sure."""
    for value in (1e6, -1e6):
        assert 0 <= told(Signs(*[value] * 8)) <= 1


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
