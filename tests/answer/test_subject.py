"""Whether the document of an answer mentions what a plain question names."""

from __future__ import annotations

import pytest

from ragcli.answer.subject import strangers
from ragcli.answer.windows import Stretch
from ragcli.types import Part

from .makers import context_of

LAKE = ("Lakes", "Lac Corvane lies below the dam. Corvane Hydro owns it.")
SNOW = ("Deposits", "The deposit on the bridge was 2.8 metres deep. Captain Weil measured it.")
BOTH = context_of(LAKE, SNOW)


def _place(words: str) -> Stretch:
    part = next(part for part in BOTH.parts if words in part.text)
    start = part.start + part.text.index(words)
    return Stretch(part, start, start + len(words))


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("How deep is Lac Corvane at the dam?", ["Lac Corvane"]),
        ("Who measured Lac Corvane and Aldeny?", ["Lac Corvane and Aldeny"]),
        ("In which year was --max-depth added?", ["--max-depth"]),
        ("What did Anna Weil measure?", []),  # Captain Weil
        ("What is written in Deposits?", []),  # the title
        ("How deep was it?", []),
        ("", []),
        ("Why is Lac Corvane so deep?", []),
        ("How deep is Lac Corvane, and who measured it?", []),
        ("Lac Corvane is how deep?", []),
        ("How deep is the new snow on the old road bridge behind Lac Corvane?", []),
        ("How deep is the lake that feeds Corvane Hydro?", []),
    ],
)
def test_the_names_of_a_plain_question_are_looked_for(question: str, names: list[str]) -> None:
    """All of them if none stands there; a question in steps, for several things, for reasons, or
    with many words is answered elsewhere than where its names stand."""
    assert strangers(question, [_place("2.8 metres")], BOTH) == names


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Who loves Elsa Brinkman?", []),  # Brinkmann there
        ("Who loves Elsa Bergmann?", ["Elsa Bergmann"]),
        ("Who loves Brinkman?", ["Brinkman"]),  # a name of one word may be another one
        ("Who loves Hilda Brinkman?", ["Hilda Brinkman"]),  # two words differ
    ],
)
def test_one_word_of_a_name_may_be_spelt_a_little_differently(
    question: str, names: list[str]
) -> None:
    """The others say who is meant."""
    context = context_of(("Film", "Elsa Brinkmann is an actress. Zarkan loves her."))
    place = Stretch(context.parts[0], 30, 36)
    assert strangers(question, [place], context) == names


def test_every_place_of_an_answer_counts() -> None:
    """An answer that was found in steps stands in several documents."""
    question = "How deep is Lac Corvane?"
    assert strangers(question, [_place("2.8 metres"), _place("dam")], BOTH) == []
    assert strangers(question, [_place("dam")], BOTH) == []


def test_another_passage_of_the_document_may_hold_the_name() -> None:
    """A page names what it is about at its top."""
    text = "Lac Corvane\n\nIt is 40 metres deep."
    top = Part(1, "lake.md", "", 0, 11, 1, 1, text[:11])
    rest = Part(2, "lake.md", "", 13, len(text), 3, 3, text[13:])
    place = Stretch(rest, 19, 28)
    assert place.text == "40 metres"
    alone = context_of(SNOW)
    assert strangers("How deep is Lac Corvane?", [place], alone) == ["Lac Corvane"]
    with_top = type(alone)((top, rest), 0)
    assert strangers("How deep is Lac Corvane?", [place], with_top) == []


ACCOUNTS = (
    "Accounts",
    "Board meeting of 3 June 2024\n\nIn 2023 the profit was 540 crowns.\nThe season 2020–21 is told"
    " apart. The audit began on 2024-02-12.",
)
TABLE = (
    "events",
    "- Date: 2024-05-22; Event: Fair; Organiser: Peter Maddox\n"
    "- Date: 2024-06-15; Event: Naming; Organiser: Leonard Fay\n",
)


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("How much was the profit in 2022?", ["2022"]),
        ("How much was the profit in 2023?", []),
        ("How much was the profit in 2021?", []),  # 2020–21
        ("Who attended the meeting in May 2024?", ["May 2024"]),
        ("Who attended the meeting in June 2024?", []),
        ("When was the meeting of the board in July 2024?", ["July 2024"]),
        ("When was the long first meeting of the board in July 2024?", []),  # not plain
        ("Who audited it in February 2024?", []),  # 2024-02-12
        ("How much was the profit from 2022 to 2026?", []),  # 2023, 2024
        ("How much was the profit between May 2022 and 2023?", []),
        ("How much was the profit from 2017 to Dec 2019?", ["2017", "2019"]),
    ],
)
def test_another_year_or_month_is_not_told(question: str, missing: list[str]) -> None:
    """A document with years tells what it tells of these years."""
    context = context_of(ACCOUNTS)
    part = context.parts[0]
    start = part.text.index("540 crowns")
    assert strangers(question, [Stretch(part, start, start + 10)], context) == missing


TERMS = (
    "Office",
    "Weil (1909-1996) was minister from December 2004 to October 2006. She taught in Lund from 2010"
    " until at least 2012, and in 2015.",
)


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("Who was minister in 2005?", []),
        ("Who was minister in May 2005?", []),
        ("Who taught in Lund in 2011?", []),
        ("Who taught in Lund in Jul 2011?", []),  # no name
        ("Who taught in Lund in 2014?", ["2014"]),
        ("Who was minister in 1950?", ["1950"]),  # a life
    ],
)
def test_the_years_of_a_span_are_told(question: str, missing: list[str]) -> None:
    """Only its ends are written there."""
    context = context_of(TERMS)
    place = Stretch(context.parts[0], 0, 4)
    assert strangers(question, [place], context) == missing


def test_a_document_without_years_may_tell_of_any() -> None:
    """Its own date stands elsewhere."""
    context = context_of(("Note", "The profit was 540 crowns."))
    place = Stretch(context.parts[0], 15, 25)
    assert strangers("How much was the profit in 2022?", [place], context) == []


def test_of_a_table_only_the_row_of_the_answer_counts() -> None:
    """The other rows are about others."""
    context = context_of(TABLE)
    part = context.parts[0]

    def asked(date: str) -> list[str]:
        start = part.text.index(date)
        place = Stretch(part, start, start + len(date))
        return strangers("When is Peter Maddox's birthday?", [place], context)

    assert asked("2024-06-15") == ["Peter Maddox"]
    assert asked("2024-05-22") == []
