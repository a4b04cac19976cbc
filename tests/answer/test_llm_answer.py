"""A written answer beside the reader's: excerpts, disagreement, and sentences in its place."""

from __future__ import annotations

import pytest

from ragcli.answer import AnswerModels, answer
from ragcli.models.open_reader import open_reader
from ragcli.models.reader import Reader
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
    reply = answer(QUESTION, CONTEXT, "llm", made)
    assert reply.by == "llm" and reply.text.startswith("Pia Strand bought") and reply.note == ""
    assert "Pia Strand bought" in shown_to(made) and len(shown_to(made).split()) < 90
    whole = models("Pia Strand bought the mill at Orlen in 1921.", reader, excerpt=0)
    answer(QUESTION, CONTEXT, "llm", whole)
    assert shown_to(whole).count("Skive is a town") == 30


def test_where_reader_and_model_disagree_the_note_says_so(reader: Reader) -> None:
    """What the model wrote is true, and not what was asked."""
    made = models("Jon Berg repaired the roof of the mill in 1950.", reader)
    reply = answer(QUESTION, CONTEXT, "llm", made)
    assert reply.text.startswith("Jon Berg repaired")
    assert "the reader finds another answer: Pia Strand" in reply.note


def test_bare_words_must_be_what_the_reader_finds(reader: Reader) -> None:
    """Another name of the passage stands there as well, and answers another question."""
    right, wrong = (
        answer(QUESTION, CONTEXT, "llm", models(said, reader))
        for said in ("Pia Strand", "Jon Berg")
    )
    assert right.by == "llm" and right.text.startswith("Pia Strand")
    assert wrong.by == "extractive" and "Pia Strand" in wrong.text


def test_sentences_take_the_place_of_what_is_not_borne_out(reader: Reader) -> None:
    """All that is shown is emitted; the note says what happened."""
    made, pieces = models("Napoleon bought the mill at Orlen in 1921.", reader), list[str]()
    reply = answer(QUESTION, CONTEXT, "llm", made, emit=pieces.append)
    assert reply.by == "extractive" and "Pia Strand" in reply.text
    assert "".join(pieces) == reply.text
    assert "what the model wrote was not borne out by the passages" in reply.note
    assert (reply.written, reply.kept) == (1, 0)


def test_where_the_reader_finds_nothing_auto_does_not_ask(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the user's word it is asked all the same."""
    question, nothing = "What does the ferry to Aarhus cost?", "The mill at Orlen grinds rye."
    asked = models(nothing, reader)
    assert answer(question, CONTEXT, "auto", asked).abstained
    assert shown_to(asked) == ""
    assert answer(question, CONTEXT, "llm", asked).text and shown_to(asked)


def test_a_context_with_facts_is_shown_whole(reader: Reader) -> None:
    """Entities and relations are what their modes are asked for."""
    facts = Context(CONTEXT.parts, CONTEXT.tokens, entities=("Orlen: A mill.",))
    made = models("Pia Strand bought the mill at Orlen in 1921.", reader)
    answer(QUESTION, facts, "llm", made)
    assert "Orlen: A mill." in shown_to(made) and "Skive is a town" in shown_to(made)
