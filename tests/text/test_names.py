"""Names and numbers: found, normalised, matched."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.text.names import (
    acronym_of,
    capitalised_runs,
    head_name,
    locate,
    name_words,
    names_in,
    normalise,
    numbers_in,
    person_key,
)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("The Northern  Ferries", "northern ferries"),
        ("Édith O’Brien-Müller", "edith o'brien muller"),
        ("the Queen's", "queen"),
        ("AT&T", "at&t"),
        ("  --  ", ""),
        ("ＦＵＬＬ Width", "full width"),
        ("U.S.", "u s"),
    ],
)
def test_spellings_of_one_thing_share_a_key(name: str, key: str) -> None:
    """Case, width, accents, articles, possessives and punctuation do not tell things apart."""
    assert normalise(name) == key


@pytest.mark.parametrize(
    ("name", "key"),
    [("Mr. Darcy", "darcy"), ("Dr Ana Ruiz", "ana ruiz"), ("King George", "king george")],
)
def test_titles_leave_a_name_unless_they_are_part_of_it(name: str, key: str) -> None:
    """A form of address is dropped; a rank before a lone first name stays."""
    assert person_key(name) == key


def test_acronym_takes_the_capitals() -> None:
    """Small words of a name give no letter."""
    assert acronym_of("Royal Society of the Arts") == "rsa"


def test_names_are_capitalised_runs() -> None:
    """Small joining words stay inside names, stop words at the edges do not."""
    text = "The Duke of Wellington met Étienne Vautrin's dog in Saint-Orrin. He left."
    assert names_in(text) == ["Duke of Wellington", "Étienne Vautrin", "Saint-Orrin"]


def test_small_letters_with_accents_begin_no_name() -> None:
    """A class of capitals is wanted, not of letters outside a to z."""
    assert names_in("when élan met Élan") == ["Élan"]


def test_numbers_lose_their_grouping() -> None:
    """ "1,200" and "1200" are one number; "3.5" is not "35"."""
    assert numbers_in("1,200 or 1200, 3.5 and 12 of 1986") == ["1200", "3.5", "12", "1986"]


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("He left the University of Copenhagen early.", ["University of Copenhagen"]),
        ("In July 2011 it rained.", ["July 2011"]),
        ("J. R. Tolkien wrote.", ["J. R. Tolkien"]),
        ("Rain fell on Rome.", ["Rome"]),
        ("However, nothing came.", []),
        ("nothing at all, 1999", []),
    ],
)
def test_what_counts_as_a_run(sentence: str, found: list[str]) -> None:
    """Links inside stay, function words in front and a lone first word do not."""
    assert [sentence[a:b] for a, b in capitalised_runs(sentence)] == found


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ("Sea Otter, SEA  OTTER\nand sea-otter's", "the Sea Otter", 3),
        ("ferryman and ferries", "ferry", 0),
        ("Édith Piaf sang.", "edith piaf", 1),
        ("Straße 5", "strasse 5", 1),
        ("written in C++ and C", "C", 1),
        ("written in C++ and C", "c++", 1),
        ("oh oh oh oh", "oh oh", 2),
        ("nothing", "—", 0),
    ],
)
def test_a_name_is_found_as_whole_words(text: str, name: str, said: int) -> None:
    """Whatever its case, accents, spacing and article; never as part of a word."""
    assert len(locate(text, [name]).get(name, [])) == said


def test_a_name_inside_a_longer_one_does_not_count_beside_it() -> None:
    """Unless it stands nowhere else."""
    text = "The University of Rome is in Rome. Bishop of Ely."
    found = locate(text, ["Rome", "University of Rome", "Ely", "Bishop of Ely"])
    assert {name: len(spans) for name, spans in found.items()} == {
        "Rome": 1,
        "University of Rome": 1,
        "Ely": 1,
        "Bishop of Ely": 1,
    }
    assert found["Rome"] == [(29, 33)]


@given(st.text("abAB é.-\n", max_size=40), st.lists(st.text("ab é", min_size=1, max_size=4)))
def test_every_span_says_the_name(text: str, names: list[str]) -> None:
    """What is found reads as the name does."""
    for name, spans in locate(text, names).items():
        assert spans == sorted(spans)
        for start, end in spans:
            assert name_words(f"x {text[start:end]}") == ["x", *name_words(name)]


@pytest.mark.parametrize(
    ("phrase", "name"),
    [
        ("French-Canadian author Édith Watt", "Édith Watt"),
        ("Lorenz Abt, the engineer of the Ravoire Bridge", "Lorenz Abt"),
        ("the engineer Lorenz Abt (1871-1940)", "Lorenz Abt"),
        ("Lorenz Abt who had built the Ravoire Bridge", "Lorenz Abt"),
        ("the Duke of Wellington", "Duke of Wellington"),
        ("director of the Kesselhorn Observatory", ""),
        ("American restaurant chain", ""),
        ("paragliders", ""),
        ("", ""),
    ],
)
def test_the_name_that_a_phrase_describes(phrase: str, name: str) -> None:
    """Epithets are left out; a name that only describes something else is not the head."""
    assert head_name(phrase) == name
