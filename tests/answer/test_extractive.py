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
from ragcli.answer.extractive import _misfit, _pinned, extractive
from ragcli.answer.short import FoundAnswer
from ragcli.answer.view import look, missing_names
from ragcli.answer.windows import Stretch
from ragcli.retrieve.context import beside
from ragcli.types import Hit

from .makers import context_of, encode, stands

FILM = ("Night Ferry", "Night Ferry is a film directed by Ada Holm. It was shown in Oslo.")
WOMAN = ("Ada Holm", "Ada Holm is a director. She was born in the town of Skive.")
OTHER = ("Cheese", "Cheese is made of milk. It was sold in the town for three crowns.")


def test_one_hop_is_answered_by_its_sentence() -> None:
    """The sentence nearest to the question comes first."""
    reply = extractive("What is cheese made of?", context_of(OTHER, FILM), AnswerModels(encode))
    assert reply.text.startswith("Cheese is made of milk.")
    assert not reply.abstained and reply.by == "extractive"


def test_two_hops_are_bridged_by_the_name_between() -> None:
    """The director's page shares no rare word with the question, but the film's names her."""
    reply = extractive(
        "In which town was the director of Night Ferry born?",
        context_of(FILM, OTHER, WOMAN),
        AnswerModels(encode),
    )
    assert "directed by Ada Holm" in reply.text and "town of Skive" in reply.text
    assert "Cheese" not in reply.text


def test_what_stands_behind_a_fact_can_answer() -> None:
    """It is cited where it stands; of what a part holds already nothing is added."""
    fact = context_of(WOMAN).parts[0]
    start = WOMAN[1].index("She")
    behind = Hit("c9", "9.txt", "Ada Holm", start, fact.end, 1, 1, WOMAN[1][start:], 1, 1)
    double = Hit("c1", "1.txt", "Cheese", 0, 24, 1, 1, OTHER[1][:24], 1, 2)
    context = beside(context_of(OTHER, FILM), [double, behind])
    assert [part.n for part in context.behind] == [3]
    reply = extractive("In which town was Ada Holm born?", context, AnswerModels(encode))
    assert "town of Skive" in reply.text
    (citation,) = [c for c in reply.citations if c.doc == "9.txt"]
    assert citation.quote == WOMAN[1][start:] and citation.start == start


def test_neighbours_share_a_citation() -> None:
    """Adjacent sentences of one passage are quoted as one stretch, in the document's order."""
    reply = extractive(
        "Who directed Night Ferry, the film shown in Oslo?", context_of(FILM), AnswerModels(encode)
    )
    assert reply.text == f"{FILM[1]} [1]"
    (citation,) = reply.citations
    assert citation.quote == FILM[1] and (citation.start, citation.end) == (0, len(FILM[1]))


def test_nothing_is_said_twice() -> None:
    """Copies of a passage in several documents give one sentence, cited once."""
    copies = [(f"Copy {n}", WOMAN[1]) for n in range(3)]
    question = "Was Ada Holm born in the town of Skive?"
    reply = extractive(question, context_of(*copies), AnswerModels(encode))
    assert reply.text == f"{WOMAN[1]} [1]"
    twice = extractive(
        question, context_of(*copies), AnswerModels(encode), tuning=replace(TUNING, same=2)
    )
    assert twice.text.count("Skive") == 3


def test_another_question_is_not_answered() -> None:
    """Abstaining says what was searched and how near it came."""
    reply = extractive("Why do volcanoes erupt?", context_of(FILM, OTHER), AnswerModels(encode))
    assert reply.abstained and reply.text == "" and reply.citations == ()
    assert reply.note.startswith("searched 2 passages of 2 documents; the closest sentence has")


def test_names_that_nothing_says_are_told() -> None:
    """With an answer or without; words of a name may stand apart, and titles count."""
    context = context_of(FILM, OTHER)
    asked = extractive(
        "Is Night Ferry a film directed by Ada Holm or by Bodil Friis?",
        context,
        AnswerModels(encode),
    )
    assert not asked.abstained and asked.note == "nothing found about: Bodil Friis"
    for question in ("Who directed Night Ferry?", "who directed it?", "Who is Holm Ferry?"):
        assert missing_names(question, context) == ((), 0.0)
    assert missing_names("Did Bodil know Oslo?", context) == (("Bodil",), 0.5)
    away = extractive("Why does Mount Etna erupt?", context, AnswerModels(encode))
    assert away.abstained and "; nothing found about: Mount Etna; the closest" in away.note


def test_missing_names_make_abstaining_likelier() -> None:
    """Worth ``about_missed`` when all are missing, half of it for one of two."""
    context = context_of(FILM, OTHER)
    for question, share in (("Who is Bodil?", 1), ("Did Bodil know Oslo?", 0.5)):
        view = look(question, context, encode=encode, entities=(), pool=24)
        without = closeness(view, replace(TUNING, about_missed=0))
        assert without - closeness(view) == pytest.approx(TUNING.about_missed * share)


def test_a_context_without_sentences_is_not_answered() -> None:
    """Headings alone answer nothing, nor does an empty context."""
    for context in (context_of(), context_of(("", "# Only a heading"))):
        reply = extractive("What?", context, AnswerModels(encode))
        assert reply.abstained and "no sentence" in reply.note


def test_embedding_is_bounded() -> None:
    """A long context costs no more than the pool: the encoder takes nearly all the time."""
    sizes: list[int] = []

    def counting(texts: Sequence[str]) -> NDArray[np.float32]:
        sizes.append(len(texts))
        return encode(texts)

    pages = [("P", " ".join(f"Line {n} of page {page}." for n in range(90))) for page in range(5)]
    view = look("Line 7?", context_of(*pages), encode=counting, entities=(), pool=32)
    assert sizes == [33] and len(view.sentences) == 32
    assert {sentence.part.n for sentence in view.sentences} == {1, 2, 3, 4, 5}


@pytest.mark.parametrize("most", [1, 2, 3])
def test_no_more_sentences_than_asked_for(most: int) -> None:
    """``most`` is a limit, whatever the gain."""
    tuning = replace(TUNING, most=most, second=-9, stop=-9)
    reply = extractive("Town?", context_of(FILM, WOMAN, OTHER), AnswerModels(encode), tuning=tuning)
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
    reply = extractive(question, context, AnswerModels(encode), tuning=tuning)
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
        reply = extractive(question, context, AnswerModels(encode))
        assert reply.citations[0].quote == parts[1][1]


def test_identifiers_are_missed_whole() -> None:
    """No name is made of a part of one, and one that nothing read holds is told."""
    context = context_of(("Pump HX-1042", "The pump sends os.EOL after --max-lines."), FILM)
    for asked in ("HX-1042 sends what?", "What is os.EOL?", "What does --max-lines do?"):
        assert missing_names(asked, context) == ((), 0.0), asked
    assert missing_names("What is HX-1043?", context) == (("HX-1043",), 1.0)
    assert missing_names("What does --max-line do?", context) == (("--max-line",), 1.0)


def test_a_mistyped_word_meets_the_nearest_that_a_sentence_holds() -> None:
    """Its sentence is as near in words as when it is typed right; names are left alone."""

    def covered(question: str) -> float:
        view = look(question, context_of(OTHER, FILM), encode=encode, entities=(), pool=24)
        return float(view.covers.sum(axis=1).max())

    right = covered("how much were three crowns worth")
    assert covered("how much were three crwons worth") == pytest.approx(right)
    assert covered("how much were three Crwons worth") < right


def test_a_fix_of_another_release_is_not_shown_for_the_one_asked_about() -> None:
    """The sentence about the release names no CVE; those that do are about others."""
    question = "Which CVE was fixed in lantern 2.0.1?"
    context = context_of(
        ("Release 2.0.1", "In lantern 2.0.1 the wick option was changed."),
        ("Release 2.3.0", "In lantern 2.3.0 the oil was fixed: CVE-2023-41419."),
    )
    view = look(question, context, encode=encode, entities=(), pool=24)
    assert not _pinned(question, view, TUNING)
    asked = question.replace("2.0.1", "2.3.0")
    view = look(asked, context, encode=encode, entities=(), pool=24)
    assert _pinned(asked, view, TUNING)


def test_how_to_is_told_by_a_sentence_with_the_identifier() -> None:
    """The step itself holds it, not only the heading above."""
    question = "How do I turn off a warning such as LAN-004?"
    for text, shown in (
        ("Pass --without=LAN-004 to turn off a warning.", True),
        ("Turn it off in the yard.", False),
    ):
        context = context_of(("LAN-004", text))
        view = look(question, context, encode=encode, entities=(), pool=24)
        assert _pinned(question, view, TUNING) is shown


def test_an_unsure_answer_of_another_kind_is_no_short_answer() -> None:
    """Of the kind that is asked for, or sure, it is one."""
    part = context_of(("T", "The lantern burns rape oil for 3 hours.")).parts[0]

    def found(words: str, confidence: float) -> FoundAnswer:
        at = part.text.index(words)
        place = Stretch(part, at, at + len(words))
        return FoundAnswer((place,), confidence, judge=lambda every: pytest.fail("not asked"))

    question = "How many hours does it burn?"
    assert _misfit(question, found("rape oil", 0.1), 0.05)
    assert not _misfit(question, found("3 hours", 0.1), 0.05)
    assert not _misfit(question, found("rape oil", 0.6), 0.05)
    # What is no version is none, however sure the reader is.
    assert _misfit("Since which version does it burn oil?", found("rape oil", 0.9), 0.05)
    # No words are an answer to a question for yes or no, unless nothing is to be withheld.
    assert _misfit("Does it burn rape oil?", found("rape oil", 0.9), 0.05)
    assert not _misfit("Does it burn rape oil?", found("rape oil", 0.9), 0.0)
    assert not _misfit("Does it burn rape oil?", replace(found("oil", 0.9), said="yes"), 0.05)
