"""What a question asks, parsed once."""

import pytest

from ragcli.text.asked_question import AskedQuestion


def test_what_was_parsed_is_kept() -> None:
    asked = AskedQuestion("When was nginx 1.21.0 released?")
    assert asked.terms is asked.terms
    assert asked == AskedQuestion(asked.text)


def test_numbers_of_an_identifier_are_no_words() -> None:
    asked = AskedQuestion("Which bug does 3.37.2 fix in 4 lines?")
    assert asked.identifiers == ("3.37.2",)
    assert asked.numbers_in_identifiers == {"3", "37", "2"}
    assert asked.terms == ("bug", "fix", "4", "lines", "3.37.2")


def test_a_short_option_makes_its_program_known() -> None:
    assert AskedQuestion("What does ssh -L do?").program_words == {"ssh"}
    assert AskedQuestion("What does ssh --verbose do?").program_words == frozenset()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("What are the main themes?", "about_whole"),
        ("Is the hut higher or lower?", "offers_choice"),
        ("Was it in Skive, and why?", "has_question_word"),
    ],
)
def test_a_kind_is_told_by_the_words(text: str, kind: str) -> None:
    assert getattr(AskedQuestion(text), kind)
    assert not getattr(AskedQuestion("Does the ferry sail?"), kind)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Who is she?", "person"),
        ("Who built the mill?", "for_person"),
        ("When was the mill built?", "for_number"),
        ("Is there a mill?", "thing"),
        ("And the mill?", "opens"),
        ("Where was it built?", "leans"),
    ],
)
def test_what_it_refers_to_is_told_by_the_words(text: str, said: str) -> None:
    assert getattr(AskedQuestion(text).references, said)
    assert not getattr(AskedQuestion("Does the ferry sail to Skive?").references, said)


def test_a_name_that_a_store_knows_makes_a_question_whole() -> None:
    assert AskedQuestion("When was its hut built?").leans([])
    assert not AskedQuestion("When was its hut built?").leans(["hut"])
    assert AskedQuestion("And the hut?").leans(["hut"])


def test_a_name_takes_the_place_of_a_description() -> None:
    asked = AskedQuestion("Who is the spouse of\n the director of Jump for Glory?")
    assert asked.description is not None
    assert asked.description.asks == "Who is the director of Jump for Glory?"
    left = asked.with_name(asked.description, "Raoul Walsh")
    assert left.text == "Who is the spouse of Raoul Walsh?"


def test_what_leans_on_a_former_question_is_left_out() -> None:
    asked = AskedQuestion("And when was it built?")
    assert asked.leans([])
    assert asked.references.bare_words == {"when", "was", "built"}
    assert AskedQuestion("Did Jon Berg pay 900 crowns?").stated_words == {"jon", "berg", "900"}
