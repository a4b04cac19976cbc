"""Numbers with their units, and bounds."""

from __future__ import annotations

import pytest

from ragcli.text.quantities import asked_bound, quantities, years


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("19.6 km long", [(19.6, "km")]),
        ("1.92 million crowns", [(1_920_000.0, "crown")]),
        ("two million crowns", [(2_000_000.0, "crown")]),
        ("12,500 wheels", [(12_500.0, "wheel")]),
        ("twelve metres and 30%", [(12.0, "m"), (30.0, "%")]),
        ("version 7.70.1", []),
        ("none", []),
    ],
)
def test_quantities(text: str, found: list[tuple[float, str]]) -> None:
    """In digits or words, with the unit in the singular; a version is no number."""
    assert list(quantities(text)) == found


def test_years() -> None:
    """Numbers of four digits that are no counts and no dates of other kinds."""
    assert years("in 1938, again 2020; 1,938 or 12345 or 2019-14") == [1938, 2020]


@pytest.mark.parametrize(
    ("said", "value", "holds"),
    [
        ("more than 15 km long", 19.6, True),
        ("longer than 25 km", 19.6, False),
        ("at least 20 km long", 20.0, True),
        ("under two million crowns", 1.92e6, True),
        ("founded before 1970", 1969.0, True),
        ("founded after 1975", 1969.0, False),
        ("finished in 2024", 2024.0, True),
        ("opened since 2000", 2000.0, True),
    ],
)
def test_bounds(said: str, value: float, holds: bool) -> None:
    """Above, below, at, and whether the bound itself counts."""
    bound = asked_bound(said)
    assert bound is not None
    assert bound.holds(value) is holds


@pytest.mark.parametrize(
    "said",
    ["used before 1970", "founded in May", "more than a few", "under budget", "kept in 1999"],
)
def test_no_bounds(said: str) -> None:
    """What lasts has no year to compare, and words give no number."""
    assert asked_bound(said) is None


def test_numbers_in_words_are_read_whole() -> None:
    """No six in "sixteen", no eight in "eighty-five", and "sixfold" is no number of things."""
    text = "Sixteen beds, eighty-five metres, seventy crowns, one sixfold bell"
    assert list(quantities(text)) == [
        (16.0, "bed"),
        (85.0, "m"),
        (70.0, "crown"),
        (1.0, "sixfold"),
    ]
