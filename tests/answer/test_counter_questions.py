"""Questions that are put beside the one asked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

import pytest

from ragcli.answer.answer_kind import counts_other, fits, lacks_number
from ragcli.answer.counter_questions import LIMIT, about_names, countered, unasked, without_names
from ragcli.answer.windows import Stretch
from ragcli.models.reader import Reader
from ragcli.types import Part

TEXT = (
    "The league has a plough. It is painted green. Its driver is Anna Weil. Her dog Pepper sleeps"
    " in the cabin. The cabin has a stove. Nobody heats it in May. The road is long."
)


@dataclass
class _Scripted:
    """A reader that says how sure it is by the question, and remembers what it was given."""

    sure: dict[str, float]
    given: list[str] = field(default_factory=list)

    def answered(self, questions: Sequence[str], passage: tuple[str, str]) -> list[float]:
        self.given.append(passage[1])
        return [self.sure.get(question, -math.inf) for question in questions]


def _place(words: str, text: str = TEXT) -> Stretch:
    part = Part(1, "d.md", "The plough", 100, 100 + len(text), 1, 1, text)
    start = 100 + text.index(words)
    return Stretch(part, start, start + len(words))


def test_each_question_is_asked_of_the_sentences_around_the_answer() -> None:
    """Two before and two after; a logit beyond the limit counts as the limit."""
    reader = _Scripted({"What Pepper?": 99.0, "What breed of dog is it?": -3.5})
    found = countered("What breed of dog is Pepper?", _place("Pepper"), cast(Reader, reader))
    assert (found.named, found.unnamed, found.uncounted) == (LIMIT, -3.5, False)
    assert len(reader.given) == 1
    assert reader.given[0].startswith("It is painted") and reader.given[0].endswith("in May.")


def test_of_long_sentences_only_the_one_with_the_answer_is_read() -> None:
    """And what cannot be read answers nothing."""
    text = f"First {'very ' * 150}long. Pepper sleeps. Then {'very ' * 150}long."
    reader = _Scripted({})
    found = countered("Who is Pepper?", _place("Pepper", text), cast(Reader, reader))
    assert set(reader.given) == {"Pepper sleeps."}
    assert found.named == found.unnamed == -LIMIT


def test_what_is_counted_must_stand_around_the_answer() -> None:
    """In the sentences, or in the title above them."""
    reader = cast(Reader, _Scripted({}))
    assert countered("How many horses has Anna Weil?", _place("May"), reader).uncounted
    assert not countered("How many ploughs has Anna Weil?", _place("May"), reader).uncounted
    assert unasked("How many horses has Anna Weil?", _place("May")).uncounted
    assert not unasked("How many ploughs has Anna Weil?", _place("May")).uncounted


@pytest.mark.parametrize(
    ("question", "named", "unnamed"),
    [
        ("Who wrote to Anna Weil and Anna Weil Senior?", "Who Anna Weil and Anna Weil Senior?", ""),
        ("What does --max-time do?", "What --max-time?", "What does it do?"),
        ("Tell me about it", "What?", "Tell me about it"),
        ("", "What?", ""),
    ],
)
def test_odd_questions(question: str, named: str, unnamed: str) -> None:
    """Joined names, options, no question word, nothing at all."""
    assert about_names(question) == named
    if unnamed:
        assert without_names(question) == unnamed
    assert without_names(question).count("Weil") == 0


@pytest.mark.parametrize(
    ("question", "said", "other"),
    [
        ("How many of the huts burned?", "Three huts burned.", False),
        ("How many people came?", "Twenty-three were there.", False),
        ("How many?", "six", False),
        ("How many members has the club?", "They are gamers.", True),
        ("Who counted the members?", "Anna did.", False),
    ],
)
def test_counted_things(question: str, said: str, other: bool) -> None:
    """The noun after "how many", unless anything may be meant by it."""
    assert counts_other(question, said) is other


@pytest.mark.parametrize(
    ("question", "answer", "lacks"),
    [
        ("What is the price of curl?", "L2070", True),
        ("What did the foundry charge for the bells?", "uphill from the village", True),
        ("What did the foundry charge for the bells?", "1,250 crowns", False),
        ("What was the final cost of the plough?", "1.15 million crowns", False),
        ("What is the fee of the hut?", "free", False),
        ("How much did the dress cost?", "CHF20", False),
        ("What is the height of the tower?", "extremely lofty", True),
        ("What is the height of the tower?", "forty metres", False),
        ("Who paid the price of the tower?", "Anna Weil", False),
    ],
)
def test_sums_and_measures_have_a_number(question: str, answer: str, lacks: bool) -> None:
    """A price is no code of letters and digits; what is free has a price too."""
    assert lacks_number(question, answer) is lacks


def test_addresses() -> None:
    """Of people, and of pages."""
    assert fits("What is the email address of Anna?", "anna@example.org")
    assert not fits("What is the email address of Anna?", "Marenz")
    assert fits("What is the URL of the shop?", "https://example.org/shop")
    assert not fits("What is the URL of the shop?", "in Marenz")
