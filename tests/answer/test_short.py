"""Short answers: the words of a document, at their exact place, or none; with the real reader."""

from __future__ import annotations

import pytest

from ragcli.answer import AnswerModels, notes
from ragcli.answer.extractive import extractive
from ragcli.answer.short import find
from ragcli.answer.view import look
from ragcli.answer.windows import PART_CHARS, READ_CHARS
from ragcli.asking.answer_json import answer_json
from ragcli.config import MIN_CONFIDENCE
from ragcli.models.open_reader import open_reader
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Answer, Context, Reply

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
    reply = extractive(AskedQuestion(question), BOTH, models())
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


def test_an_unsure_answer_leaves_the_sentences() -> None:
    """Below the least confidence there is no short answer; what the passages say is shown."""
    reply = extractive(
        AskedQuestion("When was the lighthouse on Skarvoy built?"), BOTH, models(0.9999)
    )
    assert reply.short is None and "1871" in reply.text and not reply.abstained


def test_what_nothing_tells_is_refused_with_a_place_to_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing is said, and the note names the nearest sentence, if one is near."""
    reply = extractive(
        AskedQuestion("Who painted the ceiling of the opera in Turin?"), BOTH, models(0.05)
    )
    assert reply.abstained and reply.text == "" and reply.short is None
    assert reply.nearest is None and "nearest" not in reply.note
    monkeypatch.setattr(notes, "NEAR", 0.0)
    near = extractive(AskedQuestion("How tall is the lighthouse on Skarvoy?"), BOTH, models(0.05))
    assert near.abstained and near.nearest is not None
    assert f"nearest: {near.nearest.path}:{near.nearest.line_start}" in near.note


def test_confidence_falls_when_the_evidence_goes() -> None:
    """Without the passage that answers, the best answer left is less sure."""
    question = "Who was the last keeper of the lighthouse?"
    whole = extractive(AskedQuestion(question), BOTH, models()).short
    rest = extractive(AskedQuestion(question), context_of(MILL), models()).short
    assert whole is not None
    assert rest is None or rest.confidence < whole.confidence


def test_no_reader_means_no_short_answer() -> None:
    """The sentences answer alone, as without the model."""
    reply = extractive(AskedQuestion("When was the lighthouse built?"), BOTH, AnswerModels(encode))
    assert reply.short is None and "1871" in reply.text


def test_a_span_stays_inside_its_list_item() -> None:
    """Two items of a list are never one answer."""
    beds = context_of(("Hut", "# Beds\n\n- 46 beds in summer\n- 8 beds in the winter room\n"))
    reply = extractive(AskedQuestion("How many beds are there in the winter room?"), beds, models())
    assert reply.short is not None and "\n" not in reply.short.text


def test_long_passages_are_read_where_they_are_about_the_question() -> None:
    """The sentence that answers is read although it stands far behind the first window."""
    filler = " ".join(f"Line {i} is about the weather of that year." for i in range(200))
    long = context_of(("Diary", f"{filler} The harbour bell was cast by Ingrid Moe. {filler}"))
    view = look(
        AskedQuestion("Who cast the harbour bell?"), long, encode=encode, entities=(), pool=24
    )
    found = find(AskedQuestion("Who cast the harbour bell?"), long, view, open_reader())
    assert found is not None
    assert "Ingrid Moe" in found.text
    assert PART_CHARS <= READ_CHARS < len(found.places[0].part.text)


def test_yes_or_no_cites_what_was_read_about_both() -> None:
    """The reply names a place in each document; the text is no slice, so ``kind`` says so."""
    pair = context_of(
        ("Ada Fell", "Ada Fell (born 1901) was a Danish film director. She grew up in Skive."),
        ("Per Lund", "Per Lund (born 1899) was a Danish film director and a painter."),
    )
    reply = extractive(
        AskedQuestion("Were Ada Fell and Per Lund both film directors?"), pair, models()
    )
    short = reply.short
    assert short is not None and short.text == "yes" and short.kind == "yes-no"
    assert {item.doc for item in short.items} == {"1.txt", "2.txt"}
    quotes = {c.n: c for c in reply.citations}
    for item in short.items:
        begin = item.start - quotes[item.n].start
        assert quotes[item.n].quote[begin : begin + len(item.text)] == item.text
    assert "short" in (shown := answer_json(answered(reply))) and "items" in shown["short"]


def test_the_older_of_two_is_the_one_born_first() -> None:
    """The answer is its name as the document writes it."""
    pair = context_of(
        ("Ada Fell", "Ada Maria Fell (born 3 May 1901) was a Danish film director."),
        ("Per Lund", "Per Lund (born 1899) was a Danish painter."),
    )
    assert answer_to("Who is older, Ada Fell or Per Lund?", pair) == "Per Lund"
    assert answer_to("Who is younger, Ada Fell or Per Lund?", pair) == "Ada Maria Fell"


def answer_to(question: str, context: Context) -> str:
    """The short answer alone."""
    reply = extractive(AskedQuestion(question), context, models())
    return reply.short.text if reply.short else ""


def answered(reply: Reply) -> Answer:
    """A reply as the result of ``ask``."""
    return Answer("?", "auto", reply, (), (), 0, {}, 1)


def test_nothing_to_read() -> None:
    """An empty context has no answer."""
    empty = Context((), 0)
    reply = extractive(AskedQuestion("When?"), empty, models())
    assert reply.abstained and reply.short is None


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Did the postman bite the dog?", "The postman bit the dog in the yard."),
        ("Is the hut open in winter?", "The hut is open all year, in winter too."),
    ],
)
def test_yes_is_read_where_it_is_told(question: str, told: str) -> None:
    """The sentence that tells it is the evidence."""
    short = extractive(AskedQuestion(question), context_of(("T", told)), models()).short
    assert short is not None and short.kind == "yes-no" and short.text == "yes"
    assert short.items[0].text in told


def test_silence_is_no_no() -> None:
    """What neither biography tells is not denied with confidence."""
    pair = context_of(
        ("Ada Fell", "Ada Fell (born 1901) was a Danish film director. She grew up in Skive."),
        ("Per Lund", "Per Lund (born 1899) was a Danish film director and a painter."),
    )
    found = extractive(
        AskedQuestion("Were both Ada Fell and Per Lund vegetarians?"), pair, models()
    ).short
    assert found is None or found.confidence < MIN_CONFIDENCE
