"""One of several answers: their probabilities, and the nearest sentence."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log

import pytest

from ragcli.answer.choose import TUNING
from ragcli.answer.multiple_choice import (
    SYSTEM,
    nearest,
    probabilities,
    read_evidence,
    read_probabilities,
)
from ragcli.answer.prompt import SYSTEM as LONGER
from ragcli.answer.view import look
from ragcli.models.llm import Llm, llama_installed
from ragcli.models.locate import llm_file
from ragcli.models.open_reader import open_reader
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Citation, Context, Reply, ShortAnswer

from .makers import context_of, encode

RED = context_of(("Huts", "The upper hut is painted red. It was built in 1931."))
BORN = "Where was Ada Holm born?"


class Sure:
    """A model that gives each choice the probability it is told."""

    def __init__(self, chances: dict[str, float], context: int = 4096) -> None:
        self.chances, self.context = chances, context
        self.asked: tuple[str, str] = ("", "")

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def choose(self, system: str, user: str, choices: Sequence[str]) -> list[float]:
        self.asked = (system, user)
        return [log(self.chances[choice]) for choice in choices]


def test_probabilities_are_given_that_it_is_one_of_the_choices() -> None:
    """0.02 and 0.06 of all replies are 1/4 and 3/4 of these; the prompt holds the passage."""
    model = Sure({"blue": 0.02, "red": 0.06})
    assert probabilities(
        AskedQuestion("Which colour?"), ("blue", "red"), RED, model
    ) == pytest.approx((1 / 4, 3 / 4))
    system, user = model.asked
    assert system == SYSTEM and "painted red" in user and user.endswith("Question: Which colour?")


def test_hopeless_logits_are_no_division_by_zero() -> None:
    """Logarithms far below what a float can hold as a probability."""

    class Cold(Sure):
        def choose(self, system: str, user: str, choices: Sequence[str]) -> list[float]:
            return [-5000.0, -5001.0]

    assert exp(-5000) == 0
    likely = probabilities(AskedQuestion("Which colour?"), ("blue", "red"), RED, Cold({}))
    assert likely == pytest.approx((1 / (1 + exp(-1)), exp(-1) / (1 + exp(-1))))


def test_the_prompt_leaves_room_for_the_longest_choice() -> None:
    """Passages are shortened until they, the frame and that choice fit the context."""
    context = context_of(*((f"Hut {n}", "It is painted red. " * 20) for n in range(9)))
    long = "red " * 100
    model = Sure({"blue": 0.1, long: 0.2}, context=600)
    probabilities(AskedQuestion("Which colour?"), ("blue", long), context, model)
    system, user = model.asked
    assert model.count_tokens(system) <= model.count_tokens(LONGER)
    assert "painted red" in user and model.count_tokens(system + user) + 100 + 64 <= 600


def test_the_nearest_choice() -> None:
    """The one nearest to any sentence; none when nothing was said."""
    choices = ("a wooden bridge", "a red hut", "the station")
    assert nearest(choices, "It snowed. The upper hut is red.", encode) == 1
    assert nearest(choices, "They crossed a bridge of wood. It snowed.", encode) == 0
    assert nearest(choices, "", encode) is None


def likely(
    question: str, choices: Sequence[str], context: Context, reply: Reply
) -> tuple[float, ...] | None:
    """Probabilities of choices by the reader in the package."""
    view = look(AskedQuestion(question), context, encode=encode, entities=[], pool=TUNING.pool)
    reader = open_reader()
    return read_probabilities(
        read_evidence(AskedQuestion(question), choices, context, view, reader, encode, reply)
    )


NOTHING = Reply("", (), "extractive")
RAIL = context_of(
    ("Railcars", "Marmot was built in 1929. Swallow was built in 1938 and has 44 seats."),
    ("Ploughs", "The wedge plough was built in 1911."),
)


def test_the_reader_weighs_choices_that_all_stand_in_the_passages() -> None:
    """Each question takes its own year; the words alone hold all three."""
    years = ("1911", "1929", "1938")
    for name, year in (("Swallow", "1938"), ("Marmot", "1929"), ("the wedge plough", "1911")):
        weighed = likely(f"When was {name} built?", years, RAIL, NOTHING)
        assert weighed and years[weighed.index(max(weighed))] == year
        assert sum(weighed) == pytest.approx(1)


def test_numbers_in_words_and_shared_words() -> None:
    """ "Forty-four seats" is 44 seats, and "seats" says nothing, as all choices have it."""
    seats = ("twenty-nine seats", "forty-four seats", "eleven seats")
    weighed = likely("How many seats has Swallow?", seats, RAIL, NOTHING)
    assert weighed and weighed.index(max(weighed)) == 1


def test_an_answer_that_was_looked_up_counts() -> None:
    """The short answer that was given decides between choices that the reader does not know."""
    quote = "| Ewan | 41 |"
    short = ShortAnswer("41", "a.md", 0, 2, 0.85, 1)
    given = Reply(
        "", (Citation(1, "a.md", "Staff", 0, len(quote), 1, 1, quote),), "extractive", short=short
    )
    table = context_of(("Staff", "| Name | Ext. |\n|---|---|\n| Danièle | 42 |\n| Ewan | 41 |"))
    weighed = likely("What is the number of Ewan?", ("42", "41", "35"), table, given)
    assert weighed and weighed.index(max(weighed)) == 1


def test_choices_that_nothing_mentions_are_not_weighed() -> None:
    """Neither an answer nor a sentence has a word of them; nor have "yes" and "no" words."""
    assert likely("Who keeps bees?", ("Ada Holm", "Jon Berg"), RED, NOTHING) is None
    assert likely("Is the hut red?", ("yes", "no"), RED, NOTHING) is None


@pytest.mark.slow
@pytest.mark.skipif(not llama_installed() or llm_file() is None, reason="no language model")
def test_a_real_model_reads_the_passages() -> None:
    """Each place is likelier when the passage names it than when it names another."""
    file = llm_file()
    assert file
    model = Llm(file, 512, 2)
    places = ("Bergen", "Oslo", "Rome")

    def likely(place: str) -> tuple[float, ...]:
        said = context_of(("Ada Holm", f"Ada Holm was born in {place} and was a painter."))
        return probabilities(AskedQuestion(BORN), places, said, model)

    by_passage = [likely(place) for place in places]
    for column, place in enumerate(places):
        best = max(by_passage, key=lambda row: row[column])
        assert best == by_passage[column] == likely(place)
    assert all(sum(row) == pytest.approx(1) for row in by_passage)
    model.close()
