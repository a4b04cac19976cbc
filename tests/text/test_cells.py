"""Cells of tables as numbers, dates and words."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.text.cells import MOST_UNREAD, cell_text, is_blank, typed

UNITS = st.sampled_from(["", "Nm", "kg", "%", "km²", "m/s", "°C", "USD"])


@given(st.lists(st.integers(-(10**12), 10**12), min_size=1), UNITS)
def test_whole_numbers_come_back(numbers: list[int], unit: str) -> None:
    """With thousands apart, and with their unit."""
    found = typed([f"{n:,} {unit}".strip() for n in numbers])
    assert (found.kind, list(found.values), found.unit) == ("number", numbers, unit)


@given(st.lists(st.decimals(-(10**9), 10**9, places=2), min_size=2))
def test_fractions_come_back_with_a_comma_or_a_point(numbers: list[object]) -> None:
    """The whole column is written in one way."""
    english = [f"{n:,}" for n in numbers]
    other = [cell.translate(str.maketrans(",.", ".,")) for cell in english]
    for cells in (english, other):
        assert list(typed(cells).values) == pytest.approx([float(str(n)) for n in numbers])


@given(st.lists(st.dates(dt.date(1000, 1, 1), dt.date(2999, 12, 31)), min_size=1))
def test_dates_come_back(days: list[dt.date]) -> None:
    ways = ("%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%d.%m.%Y", "%d %b %Y")
    for way in ways:
        found = typed([day.strftime(way) for day in days])
        assert (found.kind, list(found.values)) == ("date", [day.isoformat() for day in days])


def test_whether_the_day_comes_first_must_be_told_by_a_cell() -> None:
    assert list(typed(["3/4/2021", "25/4/2021"]).values) == ["2021-04-03", "2021-04-25"]
    assert list(typed(["3/4/2021", "4/25/2021"]).values) == ["2021-03-04", "2021-04-25"]
    assert typed(["3/4/2021", "5/6/2021"]).kind == "text"


@pytest.mark.parametrize(
    "cells",
    [
        ["0171", "0205"],  # codes
        ["1.21.0", "2.0.1"],
        ["51 Nm", "30 kg"],
        ["12:30", "13:00"],
        ["1-2", "2-3"],
        ["9" * 40],
        ["31 February 2021"],
        ["M8", "M10"],
    ],
)
def test_what_is_no_number_and_no_date_stays_text(cells: list[str]) -> None:
    found = typed(cells)
    assert (found.kind, list(found.values), found.unread) == ("text", cells, 0)


def test_few_words_in_a_column_of_numbers_are_counted_and_left_out() -> None:
    many = ["7"] * 99
    found = typed([*many, "seven"])
    assert (found.kind, found.values[-1], found.unread) == ("number", None, 1)
    worse = round(99 * MOST_UNREAD) + 2
    assert typed([*many, *["seven"] * worse]).kind == "text"


@pytest.mark.parametrize("cell", ["", "-", "–", "n/a", "?", "  ", "None", "..."])
def test_signs_for_nothing_are_no_values(cell: str) -> None:
    assert is_blank(cell)
    assert list(typed([cell, "5", "6"]).values) == [None, 5, 6]


def test_marks_of_markdown_and_footnotes_are_not_part_of_a_cell() -> None:
    assert cell_text("**51**[2]") == "51"
    assert cell_text("[`--in`](x.md)") == "--in"
    assert cell_text("`a` or `b`") == "`a` or `b`"
    assert cell_text("snake_case_name") == "snake_case_name"


@given(st.lists(st.text(max_size=20), max_size=30))
def test_any_cells_are_typed(cells: list[str]) -> None:
    """There is a value for each cell; of text it is the cell."""
    found = typed([cell_text(cell) for cell in cells])
    assert len(found.values) == len(cells)
    if found.kind != "text":
        kinds = (int, float) if found.kind == "number" else str
        assert all(value is None or isinstance(value, kinds) for value in found.values)
