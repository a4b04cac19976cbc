"""Yes or no from a sentence that plainly says it, and nothing from any other."""

from __future__ import annotations

import pytest

from ragcli.answer.view import look
from ragcli.answer.yes_no import ANSWERED_SURE, YesOrNo, yes_or_no

from .makers import context_of, encode

GUIDE = """The lodge stands on the ridge. The lodge was built in 1921 and repaired in 1987.
The line to it is 19.6 km long. The lodge is closed in winter. Bread is baked on Mondays.
The bell is not original. Per Lund sold the boat to Ada Fell in May. The porter may sell maps.
The hall was not only heated but painted. Guests do not usually pay. No guest is turned away.
Staff enable the alarm at dusk (it is disabled at night).
"""
FAQ = """# Questions

**Does the league own the lodge?** No, the club does.

**Is the cheese made of milk from cows?** Yes. Of nothing else.
"""


def decided(question: str, *texts: str) -> YesOrNo | None:
    """What the texts say to a question."""
    context = context_of(*(("Lodge guide", text) for text in texts or (GUIDE, FAQ)))
    view = look(question, context, encode=encode, entities=(), pool=40)
    return yes_or_no(question, view, [*context.parts, *context.behind])


@pytest.mark.parametrize(
    ("question", "said", "quote"),
    [
        ("Does the league own the lodge?", "no", "No, the club does."),
        ("Is the cheese made of milk from cows?", "yes", "Yes."),
        ("Is the line more than 15 km long?", "yes", "19.6 km"),
        ("Is the line longer than 25 km?", "no", "19.6 km"),
        ("Was the lodge built before 1930?", "yes", "1921"),
        ("Was the lodge built after 1930?", "no", "1921"),
        ("Was the lodge repaired in 1987?", "yes", "1987"),
        ("Is the lodge open in winter?", "no", "closed"),
        ("Is the bell original?", "no", "not original"),
        ("Did Per Lund sell the boat?", "yes", "Per Lund sold"),
        ("Is bread baked on Mondays?", "yes", "Mondays"),
    ],
)
def test_said(question: str, said: str, quote: str) -> None:
    """By the same question, a number, a year, an opposite, a denial, or its own words."""
    found = decided(question)
    assert found is not None
    assert found.said == said
    assert quote in found.place.text


@pytest.mark.parametrize(
    "question",
    [
        "Does the lodge take dogs?",
        "Did Ada Fell sell the lodge?",
        "Must the porter sell maps?",
        "Was the hall heated?",
        "Do guests pay?",
        "Is the lodge heated in winter?",
        "Is the alarm enabled at night?",
        "Was the lodge used before 1930?",
        "Is the line more than 15 miles long?",
        "Is it open?",
        "When was the lodge built?",
        "Is all bread baked on Mondays?",
    ],
)
def test_undecided(question: str) -> None:
    """Not told, told of another thing, under a condition, usually, or in another unit."""
    assert decided(question) is None


def test_pronouns() -> None:
    """What "they" are stands before."""
    text = "Ada Fell draws; Bo Fell paints. They are not related."
    found = decided("Are Ada and Bo Fell related?", text)
    assert found is not None
    assert found.said == "no"
    assert decided("Are Ada and Cyrus Fell related?", text) is None


def test_two_that_differ() -> None:
    """Where one sentence says yes and another no, nothing is said."""
    assert decided("Is bread baked on Mondays?", "Bread is not baked on Mondays.") is not None
    assert decided("Is bread baked on Mondays?", GUIDE, "Bread is not baked on Mondays.") is None


def test_the_same_question_is_surest() -> None:
    """What stands below the question itself counts more than sentences elsewhere."""
    other = "The league might own the lodge. The league owns the lodge."
    found = decided("Does the league own the lodge?", FAQ, other)
    assert found is not None
    assert (found.said, found.sure) == ("no", ANSWERED_SURE)


def test_nothing_to_read() -> None:
    """Without sentences there is no answer."""
    assert decided("Is bread baked on Mondays?", "# Title") is None


def test_months_and_days() -> None:
    """A line about one day says nothing of a month."""
    text = "# Lido\n\nThe lido is open from May to September.\n\n- Monday: closed\n"
    for question, said in (
        ("Is the lido open in May?", "yes"),
        ("Is the lido open on Monday?", "no"),
    ):
        found = decided(question, text)
        assert found is not None
        assert found.said == said
    assert decided("Is the lido open in March?", text) is None
    assert decided("Is the lido closed in March?", text) is None


def test_words_above() -> None:
    """A heading may say a word of the predicate, but its verb stands in the sentence."""
    text = "# Joining the league\n\nFirms and societies may join too.\n\nMembers get a card.\n"
    found = decided("May firms join the league?", text)
    assert found is not None
    assert found.said == "yes"
    assert decided("May members join the league?", text) is None


def test_a_thing_that_is_there_is_no_verb() -> None:
    """ "Lift the handset" is no lift."""
    text = "# Lodge\n\nLift the handset at the lodge.\n"
    assert decided("Is there a lift at the lodge?", text) is None
    found = decided(
        "Is there a lift at the lodge?", "Beside the old lift at the lodge stands a bell."
    )
    assert found is not None
    assert found.said == "yes"
