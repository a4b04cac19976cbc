"""Extractive answers: the right sentences, together, exactly quoted, or none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ragcli.answer import AnswerModels
from ragcli.answer.choose import TUNING, closeness
from ragcli.answer.cite import take_marks
from ragcli.answer.extractive import extractive
from ragcli.answer.view import look, missing_names
from ragcli.models.open_reader import open_reader
from ragcli.papers.known import beside
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Hit

from .makers import context_of, encode, stands

FILM = ("Night Ferry", "Night Ferry is a film directed by Ada Holm. It was shown in Oslo.")
WOMAN = ("Ada Holm", "Ada Holm is a director. She was born in the town of Skive.")
OTHER = ("Cheese", "Cheese is made of milk. It was sold in the town for three crowns.")


def test_one_hop_is_answered_by_its_sentence() -> None:
    """The sentence nearest to the question comes first."""
    reply = extractive(
        AskedQuestion("What is cheese made of?"), context_of(OTHER, FILM), AnswerModels(encode)
    )
    assert reply.text.startswith("Cheese is made of milk.")
    assert not reply.abstained and reply.by == "extractive"


def test_two_hops_are_bridged_by_the_name_between() -> None:
    """The director's page shares no rare word with the question, but the film's names her: one of
    both is shown, the other is named as a further place."""
    reply = extractive(
        AskedQuestion("In which town was the director of Night Ferry born?"),
        context_of(FILM, OTHER, WOMAN),
        AnswerModels(encode),
    )
    quotes = " ".join(one.quote for one in (*reply.citations, *reply.also))
    assert "directed by Ada Holm" in quotes and "town of Skive" in quotes
    assert len({one.doc for one in reply.citations}) == 1 and "Cheese" not in quotes


def test_what_stands_behind_a_fact_can_answer() -> None:
    """It is cited where it stands; of what a part holds already nothing is added."""
    fact = context_of(WOMAN).parts[0]
    start = WOMAN[1].index("She")
    behind = Hit("c9", "9.txt", "Ada Holm", start, fact.end, 1, 1, WOMAN[1][start:], 1, 1)
    double = Hit("c1", "1.txt", "Cheese", 0, 24, 1, 1, OTHER[1][:24], 1, 2)
    context = beside(context_of(OTHER, FILM), [double, behind])
    assert [part.n for part in context.behind] == [3]
    reply = extractive(
        AskedQuestion("In which town was Ada Holm born?"), context, AnswerModels(encode)
    )
    assert "town of Skive" in reply.text
    (citation,) = [c for c in reply.citations if c.doc == "9.txt"]
    assert citation.quote == WOMAN[1][start:] and citation.start == start


def test_neighbours_share_a_citation() -> None:
    """Adjacent sentences of one passage are quoted as one stretch, in the document's order."""
    reply = extractive(
        AskedQuestion("Who directed Night Ferry, the film shown in Oslo?"),
        context_of(FILM),
        AnswerModels(encode),
    )
    assert reply.text == f"{FILM[1]} [1]"
    (citation,) = reply.citations
    assert citation.quote == FILM[1] and (citation.start, citation.end) == (0, len(FILM[1]))


def test_nothing_is_said_twice() -> None:
    """Copies of a passage in several documents give one place."""
    copies = [(f"Copy {n}", WOMAN[1]) for n in range(3)]
    question = "Was Ada Holm born in the town of Skive?"
    reply = extractive(AskedQuestion(question), context_of(*copies), AnswerModels(encode))
    assert reply.text == f"{WOMAN[1]} [1]" and not reply.also
    twice = extractive(
        AskedQuestion(question),
        context_of(*copies),
        AnswerModels(encode),
        tuning=replace(TUNING, same=2),
    )
    assert twice.text == reply.text and len(twice.also) == 2


def test_another_question_is_not_answered() -> None:
    """Abstaining says what was searched and how near it came."""
    reply = extractive(
        AskedQuestion("Why do volcanoes erupt?"), context_of(FILM, OTHER), AnswerModels(encode)
    )
    assert reply.abstained and reply.text == "" and reply.citations == ()
    assert reply.note.startswith("searched 2 passages of 2 documents; the closest sentence has")


def test_names_that_nothing_says_are_told() -> None:
    """With an answer or without; words of a name may stand apart, and titles count."""
    context = context_of(FILM, OTHER)
    asked = extractive(
        AskedQuestion("Is Night Ferry a film directed by Ada Holm or by Bodil Friis?"),
        context,
        AnswerModels(encode),
    )
    assert not asked.abstained and asked.note == "nothing found about: Bodil Friis"
    for question in ("Who directed Night Ferry?", "who directed it?", "Who is Holm Ferry?"):
        assert missing_names(AskedQuestion(question), context) == ((), 0.0)
    assert missing_names(AskedQuestion("Did Bodil know Oslo?"), context) == (("Bodil",), 0.5)
    away = extractive(AskedQuestion("Why does Mount Etna erupt?"), context, AnswerModels(encode))
    assert away.abstained and "; nothing found about: Mount Etna; the closest" in away.note


def test_missing_names_make_abstaining_likelier() -> None:
    """Worth ``about_missed`` when all are missing, half of it for one of two."""
    context = context_of(FILM, OTHER)
    for question, share in (("Who is Bodil?", 1), ("Did Bodil know Oslo?", 0.5)):
        view = look(AskedQuestion(question), context, encode=encode, entities=(), pool=24)
        without = closeness(view, replace(TUNING, about_missed=0))
        assert without - closeness(view) == pytest.approx(TUNING.about_missed * share)


def test_a_context_without_sentences_is_not_answered() -> None:
    """Headings alone answer nothing, nor does an empty context."""
    for context in (context_of(), context_of(("", "# Only a heading"))):
        reply = extractive(AskedQuestion("What?"), context, AnswerModels(encode))
        assert reply.abstained and "no sentence" in reply.note


def test_embedding_is_bounded() -> None:
    """A long context costs no more than the pool: the encoder takes nearly all the time."""
    sizes: list[int] = []

    def counting(texts: Sequence[str]) -> NDArray[np.float32]:
        sizes.append(len(texts))
        return encode(texts)

    pages = [("P", " ".join(f"Line {n} of page {page}." for n in range(90))) for page in range(5)]
    view = look(AskedQuestion("Line 7?"), context_of(*pages), encode=counting, entities=(), pool=32)
    assert sizes == [33] and len(view.sentences) == 32
    assert {sentence.part.n for sentence in view.sentences} == {1, 2, 3, 4, 5}


@pytest.mark.parametrize("most", [1, 2, 3])
def test_no_more_sentences_than_asked_for(most: int) -> None:
    """``most`` is a limit, whatever the gain."""
    tuning = replace(TUNING, most=most, second=-9, stop=-9)
    towns = ("Towns", "The town was old. The town burned. The town rose. The town is new.")
    reply = extractive(
        AskedQuestion("Town?"), context_of(towns, OTHER), AnswerModels(encode), tuning=tuning
    )
    assert sum(citation.quote.count(".") for citation in reply.citations) == most


@given(
    st.lists(st.text(st.sampled_from("abCD .?|#-\n\t"), max_size=60), max_size=4),
    st.text(st.sampled_from("abCD ?"), max_size=20),
)
def test_quotes_are_exact(texts: Sequence[str], question: str) -> None:
    """Whatever the text: each mark has its citation, and each quote stands where it says."""
    documents = {f"{n}.txt": text for n, text in enumerate(texts, start=1)}
    tuning = replace(TUNING, about=-9)
    context = context_of(*(("T", text) for text in texts))
    reply = extractive(AskedQuestion(question), context, AnswerModels(encode), tuning=tuning)
    assert take_marks(reply.text)[1] == tuple(citation.n for citation in reply.citations)
    for citation in reply.citations:
        text = documents[citation.doc]
        assert stands(citation, text)
        assert citation.line_start == 1 + text.count("\n", 0, citation.start)
        assert citation.line_end == 1 + text.count("\n", 0, citation.end)


def test_an_identifier_of_the_question_decides_between_near_twins() -> None:
    """The version stands in the title; its numbers stand in the other's text."""
    question = "Which CVE did release 2.35.2 fix?"
    parts = [
        ("Release 2.37.1", "Of 2 holes and 35 faults CVE-2022-39260 is fixed."),
        ("Release 2.35.2", "Of 3 holes and 12 faults CVE-2022-24765 is fixed."),
    ]
    for context in (context_of(*parts), context_of(*reversed(parts))):
        reply = extractive(AskedQuestion(question), context, AnswerModels(encode))
        assert reply.citations[0].quote == parts[1][1]


def test_identifiers_are_missed_whole() -> None:
    """No name is made of a part of one, and one that nothing read holds is told."""
    context = context_of(("Pump HX-1042", "The pump sends os.EOL after --max-lines."), FILM)
    for asked in ("HX-1042 sends what?", "What is os.EOL?", "What does --max-lines do?"):
        assert missing_names(AskedQuestion(asked), context) == ((), 0.0), asked
    assert missing_names(AskedQuestion("What is HX-1043?"), context) == (("HX-1043",), 1.0)
    assert missing_names(AskedQuestion("What does --max-line do?"), context) == (
        ("--max-line",),
        1.0,
    )


def test_a_label_without_a_value_is_no_answer() -> None:
    """Its sentence is shown, if any; nothing breaks."""
    club = context_of(("Alpine Club", "# Alpine Club\n\nMembers: and\n"))
    models = AnswerModels(encode, open_reader())
    reply = extractive(AskedQuestion("Which members are in the Alpine Club?"), club, models)
    assert reply.short is None


RELEASE = (
    "pump-4.2.1",
    "# Release 4.2.1\n\nThe valve no longer leaks (CVE-2031-77001). Thanks go to Jon Aas for the "
    "report.\n",
)


def test_an_identifier_is_answered_although_the_reader_is_unsure() -> None:
    """Sentences about it are shown, with no short answer; not if the kind asked for is missing."""
    context = context_of(RELEASE)
    models = AnswerModels(encode, open_reader(), min_confidence=0.999)
    reply = extractive(AskedQuestion("Which CVEs were fixed in release 4.2.1?"), context, models)
    assert not reply.abstained and "CVE-2031-77001" in reply.text and reply.short is None
    without = context_of((RELEASE[0], RELEASE[1].replace("(CVE-2031-77001)", "")))
    assert extractive(
        AskedQuestion("Which CVEs were fixed in release 4.2.1?"), without, models
    ).abstained
    assert extractive(AskedQuestion("When was the valve mended?"), context, models).abstained
