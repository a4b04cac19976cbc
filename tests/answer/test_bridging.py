"""Questions in steps: the reader names what is described, and what is left is asked."""

from __future__ import annotations

from ragcli.answer import AnswerModels
from ragcli.answer.bridging import AGAIN, bridge
from ragcli.answer.extractive import extractive
from ragcli.answer.view import look
from ragcli.answer.windows import READ_CHARS, windows
from ragcli.models.open_reader import open_reader
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Context

from .makers import context_of, encode

ROAD = ("The Salt Road", "The Salt Road is a 2015 drama film. It was directed by Jon Aas.")
JON = ("Jon Aas", "Jon Aas is a film director. He was born in Tarnby in 1962 and lives in Velden.")
TARNBY = ("Tarnby", "Tarnby is a fishing town. It has 4,300 inhabitants and a wooden church.")
VELDEN = ("Velden", "Velden is a market town with 9,100 inhabitants and two stone bridges.")
ALL = context_of(ROAD, JON, VELDEN, TARNBY)
QUESTION = "How many inhabitants has the town where the director of The Salt Road was born?"


def steps(question: str, context: Context) -> tuple[str, list[str]] | None:
    """What is left to ask, and the names."""
    view = look(AskedQuestion(question), context, encode=encode, entities=(), pool=24)
    found = bridge(
        AskedQuestion(question), context.parts, windows(context.parts, view), open_reader()
    )
    if found is None:
        return None
    assert len(found.read) <= AGAIN
    assert all(step.place.text in step.place.part.text for step in found.steps)
    return found.asked.text, [step.place.text for step in found.steps]


def test_descriptions_are_named_one_after_the_other() -> None:
    """The second step asks with the name that the first has found."""
    found = steps(QUESTION, ALL)
    assert found == ("How many inhabitants has Tarnby?", ["Jon Aas", "Tarnby"])


def test_nothing_is_named_where_no_passage_mentions_it() -> None:
    """Nor in a question that describes nothing."""
    assert steps(QUESTION, context_of(TARNBY, VELDEN)) is None
    assert steps("How many inhabitants has Tarnby?", ALL) is None


def test_the_answer_comes_with_the_sentences_of_the_steps() -> None:
    """The town's number is that of the right town; the sentences that lead there are cited."""
    reply = extractive(
        AskedQuestion(QUESTION), ALL, AnswerModels(encode, open_reader(), min_confidence=0.0)
    )
    assert reply.short is not None and reply.short.text == "4,300"
    cited = " ".join(citation.quote for citation in reply.citations)
    assert "born in Tarnby" in cited


CRANE = ("Order 4471", "The Kahn crane was ordered by Terminal Operations in February.")
SHARE = context_of(
    CRANE,
    ("Organisation", "Terminal Operations is led by Ingrid Berg. Finance is led by Matt Dray."),
    ("Minutes", "The chair of the meeting on the harbour was Carol Lund."),
)


def test_an_answer_that_says_only_a_name_of_a_step_says_nothing() -> None:
    """It is the description's name, or words of the question."""
    question = "Who leads the department that ordered the Kahn crane?"
    view = look(AskedQuestion(question), SHARE, encode=encode, entities=(), pool=24)
    found = bridge(AskedQuestion(question), SHARE.parts, windows(SHARE.parts, view), open_reader())
    assert found is not None
    assert found.says("Terminal Operations") and found.says("the department Terminal Operations")
    assert not found.says("Ingrid Berg") and not found.says("Ingrid Berg of Terminal Operations")


def test_passages_that_were_too_many_to_be_read_are_read_for_a_step() -> None:
    """The last one mentions the town that the first step has found."""
    rain = "It rained for many days, and the mill by the river stood still. " * 15
    others = [(f"Diary {n}", rain) for n in range(1 + READ_CHARS // len(rain))]
    context = context_of(ROAD, JON, *others, TARNBY)
    question = "How many inhabitants has the town where Jon Aas was born?"
    view = look(AskedQuestion(question), context, encode=encode, entities=(), pool=24)
    read = windows(context.parts, view)
    assert all(window.of.part.title != "Tarnby" for window in read if not window.digest)
    found = bridge(AskedQuestion(question), context.parts, read, open_reader())
    assert found is not None
    assert found.read[0].of.part.title == "Tarnby"
