"""What was read of passages orders them, and says which sentence is shown."""

from __future__ import annotations

import pytest

from ragcli.answer import AnswerModels
from ragcli.answer.extractive import extractive
from ragcli.answer.ordering import first_sentence, reordered
from ragcli.answer.short import find
from ragcli.answer.view import look
from ragcli.models.open_reader import open_reader
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Hit, ReadPlace

from .makers import context_of, encode

QUAY = ("Old quay", "The quay was built of oak. Its oak piles stood in the sea for a century.")
KEEPER = ("Lighthouse", "Henrik Dahl built the lighthouse. Its last keeper was Marta Lund.")
ASKED = AskedQuestion("Who was the last keeper of the lighthouse?")
BOTH = context_of(QUAY, KEEPER)


def hit(doc: str, score: float) -> Hit:
    """A hit of ten characters."""
    return Hit(doc, doc, doc, 10, 20, 1, 1, "", score, 1)


def test_a_passage_that_answers_goes_before_likelier_ones() -> None:
    """Those that do not answer, or were not read, keep their order; ranks and scores fit it."""
    hits = [hit("a", 4.0), hit("b", 3.0), hit("c", 2.0), hit("d", 1.0)]
    read = [ReadPlace("a", 0, 15, -9.0), ReadPlace("c", 15, 30, 5.0), ReadPlace("d", 0, 15, -9.0)]
    found = reordered(hits, read)
    assert [one.doc for one in found] == ["c", "a", "b", "d"]
    assert [one.rank for one in found] == [1, 2, 3, 4]
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert [one.score for one in found[1:]] == pytest.approx([4.0, 3.0, 1.0], rel=0.01)


def test_what_was_read_elsewhere_counts_for_no_passage() -> None:
    """Neither before or after a hit nor in another document."""
    hits = [hit("a", 2.0), hit("b", 1.0)]
    read = [ReadPlace("b", 0, 10, 9.0), ReadPlace("b", 20, 30, 9.0), ReadPlace("c", 0, 30, 9.0)]
    assert reordered(hits, read) == [hits[0], reordered(hits, ())[1]]


def test_a_reply_says_what_was_read_for_it() -> None:
    """Whether or not it answers; the passage that does has the highest logit."""
    for question in (ASKED, AskedQuestion("Who was the first captain of the ferry?")):
        reply = extractive(question, BOTH, AnswerModels(encode, open_reader(), min_confidence=0.5))
        assert {one.doc for one in reply.read} == {part.doc for part in BOTH.parts}
    logits = {one.doc: one.answered for one in extractive(ASKED, BOTH, _unsure()).read}
    assert logits[BOTH.parts[1].doc] > 0 > logits[BOTH.parts[0].doc]


def test_where_no_words_are_sure_the_sentence_that_holds_the_likeliest_is_shown() -> None:
    """It stands in the second passage."""
    view = look(ASKED, BOTH, encode=encode, entities=(), pool=24)
    found = find(ASKED, BOTH, view, open_reader())
    assert found and "Marta Lund" in view.sentences[first_sentence(found)].text
    reply = extractive(ASKED, BOTH, _unsure())
    assert reply.short is None and "Marta Lund" in reply.citations[0].quote


def _unsure() -> AnswerModels:
    return AnswerModels(encode, open_reader(), min_confidence=0.9999)
