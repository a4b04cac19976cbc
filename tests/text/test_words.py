"""Words: folding, stems and what carries meaning."""

from __future__ import annotations

import pytest

from ragcli.text.words import SUMMARY_WORDS, content_words, fold, plain, stem


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("publishes", "published"),
        ("cities", "city"),
        ("running", "runs"),
        ("houses", "house"),
        ("stopped", "stop"),
    ],
)
def test_forms_of_a_word_share_their_stem(one: str, other: str) -> None:
    """Singular and plural, and the forms of a verb, meet."""
    assert stem(one) == stem(other)


def test_short_words_and_latin_endings_stay() -> None:
    """A stem keeps three letters; "glass" and "status" are no plurals."""
    assert [stem(word) for word in ("is", "used", "glass", "status")] == [
        "is",
        "used",
        "glass",
        "status",
    ]


def test_content_words_leave_out_stop_words_and_possessives() -> None:
    """What is left is what a sentence is about."""
    assert content_words("Who is the author of Delorme's letters?") == [
        "author",
        "delorm",
        "letter",
    ]


def test_plain_finds_whole_words_only() -> None:
    """A name is found whatever its case and punctuation, but not inside a word."""
    assert plain("Saint-Orrin") in plain("in SAINT ORRIN.")
    assert plain("art") not in plain("the party")
    assert fold("Ünïcode ﬁ") == "unicode fi"


def test_content_words_fold_plurals_and_drop_function_words() -> None:
    """Words that carry meaning, in order."""
    assert content_words("The boats of the glass buses", SUMMARY_WORDS) == ["boat", "glass", "buse"]
