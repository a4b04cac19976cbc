"""Answer scores against worked examples and against the package that defines ROUGE."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcli.evaluate import text_metrics as text

WORDS = st.lists(st.sampled_from(["the", "cat", "sat", "mat", "2", "É", "a-b", "."]), max_size=12)


@pytest.mark.parametrize(
    ("raw", "normal"),
    [
        ("The Eiffel Tower!", "eiffel tower"),
        ("an apple, a day", "apple day"),
        ("U.S.A.", "usa"),
        ("  Theatre  ", "theatre"),
        ("the", ""),
    ],
)
def test_squad_normalisation(raw: str, normal: str) -> None:
    """Worked examples of SQuAD's evaluation script."""
    assert text.squad_normalise(raw) == normal


def test_exact_match_takes_the_best_gold() -> None:
    """One gold that fits is enough."""
    assert text.exact_match("The Beatles.", ["Rolling Stones", "beatles"]) == 1.0
    assert text.exact_match("Beatles band", ["beatles"]) == 0.0


def test_token_f1_by_hand() -> None:
    """Two of three words right, of two gold words: P = 2/3, R = 1, F1 = 0.8."""
    assert text.token_f1("born in Tupelo", ["in Tupelo"]) == pytest.approx(0.8)
    assert text.token_f1("x", []) == 0.0
    assert text.token_f1("", ["the"]) == 1.0
    assert text.token_f1("", ["cat"]) == 0.0


def test_token_f1_counts_repeated_words_once_each() -> None:
    """A word said three times matches a gold that has it once only once."""
    assert text.token_f1("no no no", ["no"]) == pytest.approx(0.5)


def test_rouge_l_by_hand() -> None:
    """Lin's example: "police kill the gunman" and "police killed the gunman": LCS 3 of 4."""
    assert text.rouge_l("police kill the gunman", ["police killed the gunman"]) == 0.75


@settings(deadline=None)  # the package takes seconds to import
@given(WORDS, WORDS)
def test_rouge_l_equals_the_package(left: list[str], right: list[str]) -> None:
    """Our own ROUGE-L gives the figures of rouge-score to the last bit but rounding."""
    scorer = pytest.importorskip("rouge_score.rouge_scorer").RougeScorer(["rougeL"])
    answer, gold = " ".join(left), " ".join(right)
    expected = scorer.score(gold, answer)["rougeL"].fmeasure
    assert text.rouge_l(answer, [gold]) == pytest.approx(expected, abs=1e-12)


@settings(deadline=None)
@given(WORDS, st.lists(WORDS, max_size=3))
def test_all_scores_are_between_0_and_1(said: list[str], golds: list[list[str]]) -> None:
    """No text takes a score out of its range, and an exact match has full F1."""
    known = [" ".join(gold) for gold in golds]
    answer = " ".join(said)
    scores = [f(answer, known) for f in (text.exact_match, text.token_f1, text.rouge_l)]
    assert all(0 <= score <= 1 for score in scores)
    assert scores[0] <= scores[1]


@pytest.mark.parametrize(
    ("answer", "place"),
    [
        ("B", 1),
        ("(c)", 2),
        ("Answer: B. Because it is.", 1),
        ("The correct answer is A) red", 0),
        ("It was blue all along.", 1),
        ("red or blue", None),
        ("dark red", 2),
        ("A dog", None),
        ("Z.", None),
        ("", None),
    ],
)
def test_choices_are_read_from_words(answer: str, place: int | None) -> None:
    """A letter in front decides, else the one choice named."""
    assert text.chosen(answer, ["red", "blue", "dark red"]) == place


def test_contains_whole_words_only() -> None:
    """A gold inside another word does not count; articles and case do not matter."""
    assert text.contains("It is the Avery County.", ["avery county"])
    assert not text.contains("In 1935 it was", ["35"])
    assert not text.contains("anything", ["the"])


def test_redundancy_by_hand() -> None:
    """Two equal texts repeat half of their runs; different texts none; short ones have none."""
    ten = "one two three four five six seven eight nine ten"
    assert text.redundancy([ten, ten.upper()]) == 0.5
    assert text.redundancy([ten, "a b c d e f g h"]) == 0.0
    assert text.redundancy(["too short", "too short"]) == 0.0
    # "a" ten times: three runs of eight, two of them repeat the first.
    assert text.redundancy(["a " * 10]) == pytest.approx(2 / 3)
    # Runs do not reach over the end of a text.
    assert text.redundancy(["a b c d", "e f g h", "a b c d", "e f g h"]) == 0.0


def test_marks_are_taken_out() -> None:
    """Citation marks are no words of the answer."""
    assert text.without_marks("He was [1][2, 3] born [here].") == "He was born [here]."
