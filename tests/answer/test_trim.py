"""Ends of answers: long ones give way to the words in them, dates are told in full."""

from __future__ import annotations

import numpy as np
import pytest

from ragcli.answer.answer_kind import asks_amount, fits
from ragcli.answer.trim import clause_around, on_one_line, tightened, whole
from ragcli.answer.windows import Stretch
from ragcli.models.reader.spans import RankedSpan, WindowReading
from ragcli.types import Part

CLAUSE = "He found that the radar had been raising the alarm for paragliders"


def part(text: str) -> Part:
    """A whole document."""
    return Part(1, "d", "", 0, len(text), 1, 1, text)


def place(text: str, words: str) -> Stretch:
    """The first place of some words."""
    at = text.index(words)
    return Stretch(part(text), at, at + len(words))


def reading(starts: dict[str, float], ends: dict[str, float]) -> WindowReading:
    """Logits of the words of CLAUSE, 0 where none is given."""
    words = CLAUSE.split()
    firsts = [sum(len(w) + 1 for w in words[:i]) for i in range(len(words))]
    offsets = np.array([(f, f + len(w)) for f, w in zip(firsts, words, strict=True)])
    return WindowReading(
        0,
        offsets,
        np.array([starts.get(word, 0.0) for word in words], np.float32),
        np.array([ends.get(word, 0.0) for word in words], np.float32),
        0.0,
        0.0,
        np.zeros(3, np.float32),
    )


def span(score: float) -> RankedSpan:
    """The whole clause as an answer."""
    return RankedSpan(0, 0, len(CLAUSE), CLAUSE, score, 0.6, 0)


def test_a_clause_gives_way_to_the_words_that_answer() -> None:
    """If they are nearly as likely; not if they are far less so, and not for a reason."""
    likely = reading({"He": 6.5, "paragliders": 6.0}, {"paragliders": 6.0})
    asked = "What caused the alarms?"
    assert tightened(asked, span(12.5), likely).text == "paragliders"
    assert tightened(asked, span(30.0), likely).text == CLAUSE
    assert tightened("Why did it sound?", span(12.5), likely).text == CLAUSE


def test_a_short_answer_stays() -> None:
    """Few words are left as they are."""
    short = RankedSpan(0, 3, 8, "found", 1.0, 0.5, 0)
    assert tightened("What?", short, reading({"found": 1.0}, {})) == short


@pytest.mark.parametrize(
    ("question", "text", "words", "all_of_it"),
    [
        ("When did it open?", "Opened 8 October 2022 by a child", "October 2022", "8 October 2022"),
        ("When did he die?", "He died on April 5, 1975, in Taipei", "1975", "April 5, 1975"),
        ("When is it?", "Start: 2026-01-27 18:00; End: 2026", "27 18:00", "2026-01-27 18:00"),
        (
            "When is it off?",
            "Event: Choir; Start: 2018-04-30 (Paris); End: 2018-05-01",
            "2018-04-30 (Paris); End: 2018",
            "2018-04-30 (Paris)",
        ),
        ("Where is it?", "Event: Choir; Place: Old mill", "Place: Old mill", "Old mill"),
        ("What is her room?", "Name: Ada; Room: 12; Floor: 3", "Room: 12; Floor: 3", "12"),
        ("What is it?", "Note: one clause only, no table", "Note: one clause", "Note: one clause"),
        ("What is her number?", "Her number: +49 3581", "49 3581", "+49 3581"),
        ("How cold is it?", "At -5 °C it freezes", "5 °C", "-5 °C"),
        ("Which pages?", "See pages 3-5", "5", "5"),
        ("In what year did he die?", "He died on April 5, 1975, in Taipei", "1975", "1975"),
        ("When was it?", "It was in 1975, on April 5", "1975", "1975"),
        (
            "From what state is she?",
            "born in Portland, Oregon, in 1970",
            "Portland, Oregon",
            "Oregon",
        ),
        ("Where is she from?", "born in Portland, Oregon", "Portland, Oregon", "Portland, Oregon"),
        ("Where is she from?", "She came from New Hampshire.", "Hampshire", "New Hampshire"),
        ("Where is it?", "near St. Paul, and old", "Paul", "St. Paul"),
        ("What is it?", "It is old. New Windows came.", "Windows", "Windows"),  # a new sentence
        ("What came?", "It shows new windows", "windows", "windows"),
        ("Who spoke?", "to Mrs. O'Shaughnessy when", "Mrs", "Mrs. O'Shaughnessy"),
        ("Who spoke?", "said Dr. Ada Weil, and", "Dr.", "Dr. Ada Weil"),
        ("Who spoke?", "the Mr and no name", "Mr", "Mr"),
        ("Who spoke?", "said Mrs. Weil\nChapter", "Mrs", "Mrs. Weil"),
    ],
)
def test_what_was_asked_for_in_full(question: str, text: str, words: str, all_of_it: str) -> None:
    """A day, where the question asks when; the state, where it asks for a state."""
    found = whole(question, place(text, words))
    assert found.text == all_of_it and found.part.text[found.start : found.end] == all_of_it


def test_the_clause_of_a_number() -> None:
    """Commas, semicolons and lines end it; a comma in a number does not."""
    text = "46 beds, in summer; 8 beds in the winter room\n12 blankets"
    assert clause_around(place(text, "8")) == "8 beds in the winter room"
    assert (
        clause_around(place("of which 24,000 were larch", "24,000")) == "of which 24,000 were larch"
    )


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("Which CVE was fixed in 15.3?", "CVE-2023-2454", "template database"),
        ("Since which curl version is it stable?", "7.77.0", "3"),
        ("On which port does it listen?", "8000", "SimpleHTTPRequestHandler"),
        ("Which train speed limit applies?", "20 km/h", "string G4"),
        ("What does it cost a member to belong?", "45 crowns", "the ISP"),
        ("How large is it?", "64MB", "set by the user"),
        ("Who found when it was built?", "Anna Weil", "1931"),
    ],
)
def test_kinds(question: str, right: str, wrong: str) -> None:
    """The first words that ask for a kind decide."""
    assert fits(question, right) and not fits(question, wrong)


def test_amounts() -> None:
    """A question for a number is one; one for a person is none."""
    assert asks_amount("How many beds?") and not asks_amount("Who made the beds?")


@pytest.mark.parametrize(
    ("question", "text", "words", "answer"),
    [
        ("When was it released?", "## 1.2.3 / 2019/11/23", "2019", "2019/11/23"),
        (
            "Which CVE is fixed?",
            "a hole in data (CVE-2020-14382)",
            "data (CVE-2020-14382",
            "CVE-2020-14382",
        ),
        ("Which option is it?", "Give --no-round-robin to it", "round-robin", "--no-round-robin"),
        ("Which signal is it?", "use the `TERM` signal", "TERM` signal", "TERM"),
        ("What do I do?", "set to `0` here", "set to `0", "set to `0`"),
        ("How long is it?", "for `10` seconds", "10` seconds", "10` seconds"),
        ("Which library is it?", "It needs `tblib` now", "needs `tblib", "tblib"),
        ("How many years was it?", "in 1914-1918", "1914", "1914"),
        ("Who is it?", "in 1914-1918", "1914", "1914"),
    ],
)
def test_whole_words_of_technical_texts(question: str, text: str, words: str, answer: str) -> None:
    """Dates with strokes, identifiers whole, one CVE, code without its quotes; years stay."""
    assert whole(question, place(text, words)).text == answer


@pytest.mark.parametrize(
    ("question", "text", "span_text", "kept"),
    [
        (
            "Who wrote it?",
            "Sir Leonard Fay\nChairman\n",
            "Sir Leonard Fay\nChairman",
            "Sir Leonard Fay",
        ),
        ("When is it due?", "Invoice T\n30 June 2024\n", "T\n30 June", "30 June"),
        ("Who wrote it?", "Mary\n\n  Lind", "Mary\n\n  Lind", "Mary"),
        ("Who wrote it?", "Mary Lind", "Mary Lind", "Mary Lind"),
        (
            "Which harbour?",
            "The first gauges will be shipped in August to the port of Port\nEllery in the north.",
            "Port\nEllery",
            "Port\nEllery",
        ),
    ],
)
def test_an_answer_ends_where_a_short_line_ends(
    question: str, text: str, span_text: str, kept: str
) -> None:
    """The first line counts, or the one of the kind asked for; wrapped prose stays."""
    at = text.index(span_text)
    found = RankedSpan(0, at, at + len(span_text), span_text, 1.0, 0.6, 0)
    cut = on_one_line(question, text, found)
    assert cut.text == kept == text[cut.start : cut.end]
