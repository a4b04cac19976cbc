"""Normalised names."""

import pytest

from ragcli.graph.names import acronym_of, normalise, person_key


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
