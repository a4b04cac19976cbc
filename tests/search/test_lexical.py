"""BM25 by FTS5."""

import math
import sqlite3
from pathlib import Path

import pytest

from ragcli.search import lexical
from ragcli.search.lexical import IndexedPassage
from ragcli.store.writer import StoreWriter
from ragcli.text.asked_question import AskedQuestion

TEXTS = {
    1: ("", "the ferry sails to the island at dawn"),
    2: ("", "the ferry company bought a ferry and a second ferry"),
    3: ("Island", "sheep graze on the hill"),
    4: ("", "nothing to see here at all"),
}


@pytest.fixture
def db() -> sqlite3.Connection:
    made = sqlite3.connect(":memory:")
    made.execute(
        "CREATE VIRTUAL TABLE lexical USING fts5 (title, body, content = '',"
        ' tokenize = "porter unicode61 remove_diacritics 2")'
    )
    passages = [IndexedPassage(row, *texts) for row, texts in TEXTS.items()]
    lexical.add(StoreWriter(made, Path()), passages)
    return made


def bm25(term: str, row: int, k1: float = 1.2, b: float = 0.75) -> float:
    """Okapi BM25 of a one-word query, by the formula, over title and body together."""
    words = {r: f"{t} {x}".lower().split() for r, (t, x) in TEXTS.items()}
    holding = sum(term in w for w in words.values())
    idf = math.log((len(words) - holding + 0.5) / (holding + 0.5))
    count = words[row].count(term)
    average = sum(map(len, words.values())) / len(words)
    return idf * count * (k1 + 1) / (count + k1 * (1 - b + b * len(words[row]) / average))


def test_scores_are_bm25(db: sqlite3.Connection) -> None:
    """The score of a rare word equals the formula's."""
    ((row, score),) = lexical.search(db, AskedQuestion("sheep"), 5)
    assert row == 3 and score == pytest.approx(bm25("sheep", 3), rel=1e-6)


def test_titles_count_and_words_are_stemmed(db: sqlite3.Connection) -> None:
    """A search for "islands" finds the title Island as well as the island in a text."""
    assert {row for row, _ in lexical.search(db, AskedQuestion("islands"), 5)} == {1, 3}


def test_removed_passages_are_gone(db: sqlite3.Connection) -> None:
    """After removal with the same text nothing of it is found, and the rest stays."""
    lexical.remove(StoreWriter(db, Path()), [IndexedPassage(2, *TEXTS[2])])
    assert [row for row, _ in lexical.search(db, AskedQuestion("ferry"), 5)] == [1]


@pytest.mark.parametrize("question", ['"', "AND OR NOT", "ferry*", "(island", "title:x", "", "--"])
def test_any_text_is_a_query(db: sqlite3.Connection, question: str) -> None:
    """Signs that mean something to FTS5 are only words or nothing here."""
    lexical.search(db, AskedQuestion(question), 5)


def test_words_that_are_almost_everywhere_do_not_tell(db: sqlite3.Connection) -> None:
    """Left are the words of some passages but not of too many, stemmed as the index stems."""
    text = "Which ferries sail to islands of sheep and dragons?"
    assert lexical.rare_terms(db, AskedQuestion(text), 2).text == "ferries sail islands sheep"
    assert lexical.rare_terms(db, AskedQuestion(text), 1).text == "sail sheep"
    assert lexical.rare_terms(db, AskedQuestion("the of"), 4).text == ""


def test_an_identifier_is_one_phrase(db: sqlite3.Connection) -> None:
    """Its parts count in their order only, and its numbers not by themselves."""
    passages = [
        IndexedPassage(11, "Changes 1.21.0", "25 May"),
        IndexedPassage(12, "Changes 0.1.21", "22 February"),
        IndexedPassage(13, "", "21 lines of 1 page, 0 of 5"),
    ]
    lexical.add(StoreWriter(db, Path()), passages)
    assert [row for row, _ in lexical.search(db, AskedQuestion("When was 1.21.0 out?"), 5)] == [11]
    assert lexical.rare_terms(db, AskedQuestion("when was 1.21.0 out"), 5).text == "1.21.0"


def test_a_mistyped_word_is_searched_as_the_nearest(db: sqlite3.Connection) -> None:
    """Only in small letters: a name that stands nowhere is not another name."""
    for typed, meant in (("ferrry", "ferry"), ("compnay", "company"), ("ilsand", "island")):
        found = lexical.search(db, lexical.rare_terms(db, AskedQuestion(typed), 3), 5)
        assert found and found == lexical.search(db, AskedQuestion(meant), 5), typed
    assert lexical.rare_terms(db, AskedQuestion("Compnay"), 3).text == ""
    assert lexical.rare_terms(db, AskedQuestion("zzzzzzzz"), 3).text == ""
