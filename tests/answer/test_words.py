"""Words, names and numbers."""

from __future__ import annotations

import pytest

from ragcli.answer.words import content_words, fold, names, numbers, plain, stem


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
def test_forms_of_a_word_share_their_stem(one, other):
    """Singular and plural, and the forms of a verb, meet."""
    assert stem(one) == stem(other)


def test_short_words_and_latin_endings_stay():
    """A stem keeps three letters; "glass" and "status" are no plurals."""
    assert [stem(word) for word in ("is", "used", "glass", "status")] == [
        "is",
        "used",
        "glass",
        "status",
    ]


def test_content_words_leave_out_stop_words_and_possessives():
    """What is left is what a sentence is about."""
    assert content_words("Who is the author of Delorme's letters?") == [
        "author",
        "delorm",
        "letter",
    ]


def test_names_are_capitalised_runs():
    """Small joining words stay inside names, stop words at the edges do not."""
    text = "The Duke of Wellington met Étienne Vautrin's dog in Saint-Orrin. He left."
    assert names(text) == ["Duke of Wellington", "Étienne Vautrin", "Saint-Orrin"]


def test_small_letters_with_accents_begin_no_name():
    """A class of capitals is wanted, not of letters outside a to z."""
    assert names("when élan met Élan") == ["Élan"]


def test_numbers_lose_their_grouping():
    """ "1,200" and "1200" are one number; "3.5" is not "35"."""
    assert numbers("1,200 or 1200, 3.5 and 12 of 1986") == ["1200", "3.5", "12", "1986"]


def test_plain_finds_whole_words_only():
    """A name is found whatever its case and punctuation, but not inside a word."""
    assert plain("Saint-Orrin") in plain("in SAINT ORRIN.")
    assert plain("art") not in plain("the party")
    assert fold("Ünïcode ﬁ") == "unicode fi"
