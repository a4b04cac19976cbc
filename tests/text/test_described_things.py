"""Descriptions that hang on things without a name."""

from __future__ import annotations

import time

import pytest

from ragcli.text.described_things import innermost_thing
from ragcli.text.descriptions import LONGEST, innermost


@pytest.mark.parametrize(
    ("question", "asks", "left"),
    [
        (
            "Who leads the department that ordered the crane?",
            "Which department ordered the crane?",
            "Who leads Ann?",
        ),
        (
            "When was the company founded that built the bridge near the mill?",
            "Which company built the bridge near the mill?",
            "When was Ann founded?",
        ),
        (
            "In which town was the author of the 1924 report born?",
            "Who is the author of the 1924 report?",
            "In which town was Ann born?",
        ),
        (
            "Who wrote the program that the billing service replaced?",
            "Which program the billing service replaced?",
            "Who wrote Ann?",
        ),
        (
            "What is the timeout of the store in which the gateway keeps its sessions?",
            "In which store the gateway keeps its sessions?",
            "What is the timeout of Ann?",
        ),
        (
            "When did the state whose official sport is jousting change its flag?",
            "Which state's official sport is jousting?",
            "When did Ann change its flag?",
        ),
        (
            "Where was the project directed by the mayor presented?",
            "Which project was directed by the mayor?",
            "Where was Ann presented?",
        ),
        (
            "Where does the man who repaired the crane live?",
            "Which man repaired the crane?",
            "Where does Ann live?",
        ),
        (
            "How much is the prize worth that Ivo Dahl won in 1988?",
            "Which prize Ivo Dahl won in 1988?",
            "How much is Ann worth?",
        ),
        (
            "Which inspector at the company that checked the sling was sent on a course?",
            "Which company checked the sling?",
            "Which inspector at Ann was sent on a course?",
        ),
        (
            "The founder of the baking museum came to Tarnby in which year?",
            "Who is the founder of the baking museum?",
            "Ann came to Tarnby in which year?",
        ),
        (
            "The body that owns the ground also owns a house. What is it called?",
            "Which body owns the ground?",
            "Ann also owns a house. What is it called?",
        ),
        (
            "Which country does the winner of the 2019 race come from?",
            "Who is the winner of the 2019 race?",
            "Which country does Ann come from?",
        ),
        (
            "When did the author of the report on flooding retire?",
            "Who is the author of the report on flooding?",
            "When did Ann retire?",
        ),
        (
            "How long has the woman who signed the lease worked for the council?",
            "Which woman signed the lease?",
            "How long has Ann worked for the council?",
        ),
        (
            "What prize did the scientist after whom the crater is named receive?",
            "After which scientist the crater is named?",
            "What prize did Ann receive?",
        ),
        (
            "What port does the database used by the billing service listen on?",
            "Which database was used by the billing service?",
            "What port does Ann listen on?",
        ),
        (
            "Where is the head office of the firm we bought the boiler from?",
            "Which firm we bought the boiler from?",
            "Where is the head office of Ann?",
        ),
        (
            "Is the supplier of the valves certified?",
            "Who is the supplier of the valves?",
            "Is Ann certified?",
        ),
    ],
)
def test_what_is_asked_first_and_what_is_left(question: str, asks: str, left: str) -> None:
    """A description ends where the question goes on."""
    described = innermost_thing(question)
    assert described is not None
    assert described.name and described.name in question
    assert (described.asks, described.replaced(question, "Ann")) == (asks, left)


def test_the_inner_description_comes_first() -> None:
    """A description in a description, until nothing is described."""
    question, asked = "Where was the director of the film about the man who dug the well born?", []
    while described := innermost_thing(question):
        asked.append(described.asks)
        question = described.replaced(question, "Ann")
    assert innermost(question) is None
    assert asked == ["Which man dug the well?", "Who is the director of the film about Ann?"]
    assert question == "Where was Ann born?"


@pytest.mark.parametrize(
    "question",
    [
        "Who ordered the crane?",
        "Who is the organiser of the summer party?",
        "What is the name of the band that plays at the party?",
        "What are the main themes that run through these documents?",
        "Which version fixed the leak?",
        "What was the first time that the pump stopped?",
        "List the people who ordered the crane.",
        "",
    ],
)
def test_a_question_of_one_step_describes_nothing(question: str) -> None:
    """Or asks for the description itself."""
    assert innermost_thing(question) is None


@pytest.mark.parametrize(
    "words",
    [
        "the aa ",
        "the a that b ",
        "was the a born that b ",
        "the head of the ",
        "the a made by the A ",
        "the a whose b is ",
        "the a that the b, ",
    ],
)
def test_odd_questions_take_no_time(words: str) -> None:
    """Repetitions do not make a rule try for ever; what is very long is not looked at."""
    begun = time.process_time()
    innermost_thing((words * LONGEST)[:LONGEST])
    innermost((words * LONGEST)[:LONGEST])
    assert innermost_thing(words * LONGEST) is None
    assert time.process_time() - begun < 2
