"""Questions that ask for several things of one kind."""

from __future__ import annotations

import pytest

from ragcli.text.asked_lists import asked_list


@pytest.mark.parametrize(
    ("question", "noun", "count"),
    [
        ("Which villages does the bus serve?", "villag", 0),
        ("In which two villages does it stop?", "villag", 2),
        ("What are the three modes of the pump?", "mod", 3),
        ("What are the names of the railcars?", "railcar", 0),
        ("Name all the pillows' sites.", "sit", 0),
        ("List the members of the board.", "member", 0),
        ("Who were the members of the inquiry?", "member", 0),
        ("What tools are needed to build it?", "tool", 0),
        ("Which options set the colour?", "option", 0),
        ("Who attended the meeting on 3 May?", "", 0),
    ],
)
def test_several_are_asked_for(question: str, noun: str, count: int) -> None:
    """The stem of what they are, and how many."""
    asked = asked_list(question)
    assert asked is not None
    assert (asked.noun, asked.count) == (noun, count)


@pytest.mark.parametrize(
    "question",
    [
        "Which bus serves the villages?",
        "Which class does he teach?",
        "What does the bus cost?",
        "What is the name of the bus?",
        "Who signed the letters?",
        "What were the goats doing when the wolf came?",
        "What were the January incidents called?",
        "How many villages are there?",
        "Name the village with the mill.",
        "What news did he bring?",
    ],
)
def test_one_thing_is_asked_for(question: str) -> None:
    """A word with an s does not make several."""
    assert asked_list(question) is None


def test_other_words() -> None:
    """Neither the noun nor the words that ask are among them."""
    asked = asked_list("List the two bridges of Varn.")
    assert asked is not None
    assert asked.words == {"varn"}
