"""What questions describe instead of naming it, and what asks for it."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from ragcli.text.descriptions import LONGEST, MOST_STEPS, innermost, steps_of


@pytest.mark.parametrize(
    ("question", "steps", "left"),
    [
        (
            "Who is the spouse of the director of The Salt Road?",
            ["Who is the director of The Salt Road?"],
            "Who is the spouse of Ann?",
        ),
        (
            "When was Marta Lind's first husband born?",
            ["Who is the first husband of Marta Lind?"],
            "When was Ann born?",
        ),
        (
            "What is the height of the tower in the town where Marta Lind was born?",
            ["In which town was Marta Lind born?"],
            "What is the height of the tower in Ann?",
        ),
        (
            "When did the country Lumen Records is from join the union?",
            ["Which country is Lumen Records from?"],
            "When did Ann join the union?",
        ),
        (
            "Who leads the club that Ivo Dahl joined after he left Tarnby?",
            ["In which club Ivo Dahl joined after he left Tarnby?"],
            "Who leads Ann?",
        ),
        (
            "Where did the man who dug Ivo Dahl out of the snow die?",
            ["Which man dug Ivo Dahl out of the snow?"],
            "Where did Ann die?",
        ),
        (
            "How high is the capital of the country where the author of Salt Roads was born?",
            [
                "Who is the author of Salt Roads?",
                "In which country was Ann born?",
                "What is the capital of Ann?",
            ],
            "How high is Ann?",
        ),
    ],
)
def test_what_is_asked_step_by_step(question: str, steps: list[str], left: str) -> None:
    """The innermost description first; with each named, less of the question is left."""
    asked = []
    while described := innermost(question):
        assert question[described.start : described.end]
        asked.append(described.asks)
        question = described.replaced(question, "Ann")
    assert (asked, question) == (steps, left)


@pytest.mark.parametrize(
    "question",
    [
        "Who is the director of The Salt Road?",
        "What is the name of Marta Lind's mother?",
        "Who followed Ivo Dahl as captain of the Tarnby Rescue?",
        "When was the tower built?",
        "Name the mother of Ivo Dahl, who was a captain.",
        "What was the last time that Ivo Dahl sang?",
        "",
    ],
)
def test_a_question_of_one_step_describes_nothing(question: str) -> None:
    """Or asks for the description itself."""
    assert innermost(question) is None


@pytest.mark.parametrize(
    "words",
    ["A ", "the author of A of the ", "A's b ", "the aa aa A is ", "the b that c ", "'\" A"],
)
def test_odd_questions_take_no_time(words: str) -> None:
    """Repetitions do not make a rule try for ever; what is very long is not looked at."""
    begun = time.process_time()
    innermost((words * LONGEST)[:LONGEST])
    assert innermost(words * LONGEST) is None
    assert time.process_time() - begun < 2


def test_steps_of_a_question_in_several() -> None:
    """What is asked for each description, innermost first, then what is left."""
    question = "What is the capital of the country where the director of The Salt Road was born?"
    assert steps_of(question) == [
        "Who is the director of The Salt Road?",
        "In which country was it born?",
        "What is the capital of it?",
    ]


def test_a_question_that_describes_nothing_has_no_steps() -> None:
    """Nor has an empty one."""
    assert steps_of("When was Marta Lind born?") == []
    assert steps_of("") == []


def test_there_are_few_steps() -> None:
    """However many descriptions a question has."""
    question = "Who is " + "the wife of the boss of " * 9 + "Marta Lind?"
    assert len(steps_of(question)) <= MOST_STEPS + 1


def test_words_that_may_be_a_name_or_stand_between_names() -> None:
    """ "I" is a word in capitals, and so part of names only: each run of capitals is read once.

    In another process, which is killed if a pattern tries all ways to divide the run.
    """
    program = (
        "from ragcli.text.descriptions import innermost;"
        "innermost('Which ' + 'I I Bo of ' * 50 + 'is it?')"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
