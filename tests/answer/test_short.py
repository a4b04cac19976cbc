"""Short answers: the words of a document, at their exact place, or none; with the real reader."""

from __future__ import annotations

import pytest

from ragcli.answer import AnswerModels
from ragcli.answer.extractive import extractive
from ragcli.answer.short import PART_CHARS, READ_CHARS, find
from ragcli.answer.view import look
from ragcli.models.open_reader import open_reader
from ragcli.types import Context

from .makers import context_of, encode, stands

KEEPER = (
    "Skarvoy Lighthouse",
    "The lighthouse on Skarvoy was built in 1871 by the engineer Henrik Dahl. The last keeper, "
    "Marta Lund, left the station in August 1986, when the light was automated.",
)
MILL = (
    "Paper mill",
    "Oskar Brandt opened the paper mill at Ellenau with forty workers. After the flood of 1908 "
    "his daughter Clara moved the machines to higher ground.",
)
BOTH = context_of(KEEPER, MILL)


def models(least: float = 0.0) -> AnswerModels:
    """The real reader beside the tests' encoder."""
    return AnswerModels(encode, open_reader(), min_confidence=least)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Who was the last keeper of the lighthouse?", "Marta Lund"),
        ("When was the lighthouse built?", "1871"),
        ("How many workers did the mill have when it opened?", "forty"),
    ],
)
def test_the_short_answer_stands_in_its_citation(question: str, words: str) -> None:
    """It is a slice of the document, inside the citation that it names, which comes first."""
    reply = extractive(question, BOTH, models())
    assert reply.short is not None and not reply.abstained
    assert words in reply.short.text
    (holder,) = [c for c in reply.citations if c.n == reply.short.n]
    assert holder.n == 1
    assert holder.doc == reply.short.doc
    begin = reply.short.start - holder.start
    assert holder.quote[begin : begin + len(reply.short.text)] == reply.short.text
    assert reply.short.end - reply.short.start == len(reply.short.text)
    assert 0 <= reply.short.confidence <= 1
    texts = {part.doc: part.text for part in BOTH.parts}
    assert all(stands(c, texts[c.doc]) for c in reply.citations)


def test_a_question_without_an_answer_is_refused_with_a_place_to_look() -> None:
    """Below the least confidence nothing is said, and the note names the nearest sentence."""
    reply = extractive("When was the lighthouse on Skarvoy built?", BOTH, models(0.9999))
    assert reply.abstained and reply.text == "" and reply.short is None
    assert "below 1.00" in reply.note and "nearest: " in reply.note


def test_confidence_falls_when_the_evidence_goes() -> None:
    """Without the passage that answers, the best answer left is less sure."""
    question = "Who was the last keeper of the lighthouse?"
    whole = extractive(question, BOTH, models()).short
    rest = extractive(question, context_of(MILL), models()).short
    assert whole is not None
    assert rest is None or rest.confidence < whole.confidence


def test_no_reader_means_no_short_answer() -> None:
    """The sentences answer alone, as without the model."""
    reply = extractive("When was the lighthouse built?", BOTH, AnswerModels(encode))
    assert reply.short is None and "1871" in reply.text


def test_a_span_stays_inside_its_list_item() -> None:
    """Two items of a list are never one answer."""
    beds = context_of(("Hut", "# Beds\n\n- 46 beds in summer\n- 8 beds in the winter room\n"))
    reply = extractive("How many beds are there in the winter room?", beds, models())
    assert reply.short is not None and "\n" not in reply.short.text


def test_long_passages_are_read_where_they_are_about_the_question() -> None:
    """The sentence that answers is read although it stands far behind the first window."""
    filler = " ".join(f"Line {i} is about the weather of that year." for i in range(200))
    long = context_of(("Diary", f"{filler} The harbour bell was cast by Ingrid Moe. {filler}"))
    view = look("Who cast the harbour bell?", long, encode=encode, entities=(), pool=24)
    found = find("Who cast the harbour bell?", long, view, open_reader())
    assert found is not None
    part = found.part
    text = part.text[found.start - part.start : found.end - part.start]
    assert "Ingrid Moe" in text
    assert PART_CHARS <= READ_CHARS < len(part.text)


def test_nothing_to_read() -> None:
    """An empty context has no answer."""
    empty = Context((), 0)
    reply = extractive("When?", empty, models())
    assert reply.abstained and reply.short is None
