"""A written answer beside the reader's: excerpts, disagreement, and sentences in its place."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from ragcli.answer import AnswerModels, answer
from ragcli.answer.check import NOTHING_EXPECTED, Draft, Expected, agrees
from ragcli.answer.claim_check import check_claim
from ragcli.models.open_reader import open_reader
from ragcli.models.reader import Reader
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Context

from .makers import Parrot, context_of, encode

MILL = (
    "The Orlen Mill",
    "The mill at Orlen grinds rye. Pia Strand bought the mill at Orlen in 1921. "
    "Jon Berg repaired the roof of the mill in 1950.",
)
CONTEXT = context_of(MILL, ("Skive", "Skive is a town on the fjord. " * 30))
QUESTION = "Who bought the mill at Orlen in 1921?"


@pytest.fixture(scope="module")
def reader() -> Reader:
    return open_reader()


def models(said: str, reader: Reader | None, excerpt: int = 60) -> AnswerModels:
    return AnswerModels(encode, reader, Parrot(said, parameters=10**10), excerpt=excerpt)


def shown_to(made: AnswerModels) -> str:
    assert isinstance(made.llm, Parrot)
    return made.llm.asked[1]


def test_the_model_reads_excerpts_and_is_checked_against_whole_passages(reader: Reader) -> None:
    """A fact of the same passage that it was not shown counts; nobody disagrees."""
    made = models("Pia Strand bought the mill at Orlen in 1921.", reader)
    reply = answer(AskedQuestion(QUESTION), CONTEXT, "llm", made)
    assert reply.by == "llm" and reply.text.startswith("Pia Strand bought") and reply.note == ""
    assert "Pia Strand bought" in shown_to(made) and len(shown_to(made).split()) < 90
    whole = models("Pia Strand bought the mill at Orlen in 1921.", reader, excerpt=0)
    answer(AskedQuestion(QUESTION), CONTEXT, "llm", whole)
    assert shown_to(whole).count("Skive is a town") == 30


def test_what_the_reader_contradicts_is_not_the_answer(reader: Reader) -> None:
    """What the model wrote is true, and not what was asked: the documents answer, and the note
    says what it wrote. Nothing is emitted."""
    said = "Jon Berg repaired the roof of the mill in 1950."
    pieces = list[str]()
    reply = answer(
        AskedQuestion(QUESTION), CONTEXT, "llm", models(said, reader), emit=pieces.append
    )
    assert reply.by == "extractive" and "Pia Strand bought" in reply.text
    assert not pieces
    assert (
        reply.note == f"these are the documents' sentences; the model wrote another answer: {said}"
    )


def test_a_written_answer_is_shown_from_where_it_agrees(reader: Reader) -> None:
    """A first sentence may lead up to the answer."""
    said = "The mill at Orlen grinds rye. Pia Strand bought the mill at Orlen in 1921."
    pieces = list[str]()
    reply = answer(
        AskedQuestion(QUESTION), CONTEXT, "llm", models(said, reader), emit=pieces.append
    )
    assert reply.by == "llm" and reply.text.startswith("The mill at Orlen grinds rye.")
    assert "".join(pieces) == reply.text and len(pieces) == 1


@pytest.mark.parametrize(
    ("short", "text", "same"),
    [
        ("Lorenz Abt", "Lorenz Abt, the engineer, built it.", True),
        ("the French-Canadian author Édith Watt", "It was written by Édith Watt.", True),
        ("Lorenz Abt, the engineer of the bridge", "Jon Berg, the engineer of the bridge.", False),
        ("Doctor Ana Maria Ruiz", "Ruiz found it.", False),
        ("Doctor Ana Ruiz", "Ruiz found it.", True),
        ("keeper of the Ysolde Hut", "He was a baker at Orlen.", False),
        ("12 members of the Orlen League", "The Orlen League has 15 members.", True),
    ],
)
def test_a_name_agrees_with_itself_whatever_stands_beside_it(
    short: str, text: str, same: bool
) -> None:
    """Epithets of a name make no other answer, and the same epithet makes no other name right.
    Answers with numbers, and what only mentions a name, are compared by all their words."""
    assert agrees(short, text) == same


def test_bare_words_must_be_what_the_reader_finds(reader: Reader) -> None:
    """Another name of the passage stands there as well, and answers another question."""
    right, wrong = (
        answer(AskedQuestion(QUESTION), CONTEXT, "llm", models(said, reader))
        for said in ("Pia Strand", "Jon Berg")
    )
    assert right.by == "llm" and right.text.startswith("Pia Strand")
    assert wrong.by == "extractive" and "Pia Strand" in wrong.text


def test_sentences_take_the_place_of_what_is_not_borne_out(reader: Reader) -> None:
    """Nothing is emitted that no model wrote; the note says what happened."""
    made, pieces = models("Napoleon bought the mill at Orlen in 1921.", reader), list[str]()
    reply = answer(AskedQuestion(QUESTION), CONTEXT, "llm", made, emit=pieces.append)
    assert reply.by == "extractive" and "Pia Strand" in reply.text
    assert not pieces
    assert "what the model wrote was not borne out by the passages" in reply.note
    assert (reply.written, reply.kept) == (1, 0)


def test_where_the_reader_finds_nothing_auto_does_not_ask(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the user's word it is asked all the same."""
    question, nothing = "What does the ferry to Aarhus cost?", "The mill at Orlen grinds rye."
    asked = models(nothing, reader)
    assert answer(AskedQuestion(question), CONTEXT, "auto", asked).abstained
    assert shown_to(asked) == ""
    assert answer(AskedQuestion(question), CONTEXT, "llm", asked).text and shown_to(asked)


def test_a_context_with_facts_is_shown_whole(reader: Reader) -> None:
    """Entities and relations are what their modes are asked for."""
    facts = Context(CONTEXT.parts, CONTEXT.tokens, entities=("Orlen: A mill.",))
    made = models("Pia Strand bought the mill at Orlen in 1921.", reader)
    answer(AskedQuestion(QUESTION), facts, "llm", made)
    assert "Orlen: A mill." in shown_to(made) and "Skive is a town" in shown_to(made)


CHOICE = context_of(
    ("Orlen Mill", "The Orlen Mill was built in 1874 by Tove Halm, who came from Skive."),
    ("Skive Mill", "The Skive Mill was built in 1881 by Pia Strand, who came from Aarhus."),
)


def test_the_other_of_two_things_does_not_stand_beside_a_sure_reader() -> None:
    """All words of "Orlen is older" stand in the question, and it answers it all the same."""
    older, question = Expected("Orlen", 0.9), "Which mill is older, Orlen or Skive?"
    assert older.excludes("The mill at Skive is older.", AskedQuestion(question))
    assert not older.excludes("Orlen is older.", AskedQuestion(question))
    assert not Expected("Orlen", 0.4).excludes(
        "The mill at Skive is older.", AskedQuestion(question)
    )
    assert not older.excludes(
        "The mill at Skive is older than that.", AskedQuestion("Which mill is older?")
    )
    assert not NOTHING_EXPECTED.excludes("1951", AskedQuestion(question))
    assert older.confirms("Orlen is older.") and not NOTHING_EXPECTED.confirms("1951")


class Doubting:
    """A reader that finds everything said about as likely as ``share``."""

    def __init__(self, share: float) -> None:
        self.share = share

    def judge(self, said: list[object], _passages: list[tuple[str, str]]) -> list[SimpleNamespace]:
        """The same share for every sentence."""
        return [SimpleNamespace(probability=self.share) for _ in said]


def test_what_the_reader_doubts_stands_only_if_it_gives_its_own_answer() -> None:
    """All words stand there; the reader still does not believe it."""
    sentence, part = "Tove Halm built the Orlen Mill in 1874.", CHOICE.parts
    for share, confirmed, stands in ((0.4, False, True), (0.2, False, False), (0.2, True, True)):
        reader = cast("Reader", Doubting(share))
        found = check_claim(sentence, part, reader, confirmed=confirmed)
        assert bool(found.quotes) == stands


def test_a_pattern_that_is_not_borne_out_is_not_tried_with_every_number() -> None:
    """One of them may hit upon a year that stands somewhere."""
    draft = Draft(AskedQuestion("When did the mill change?"), CHOICE.parts, lambda _text: None)
    for year in (1870, 1871, 1872, 1874):
        draft.take("\n", f"The Orlen Mill was built in {year} by Tove Halm.")
    reply = draft.reply(CHOICE)
    assert reply.abstained and reply.written == 4
    assert "another number: 2, like others that are not borne out: 2" in reply.note
