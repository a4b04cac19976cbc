"""Labels and their values in rows, lines, lists and letters."""

from __future__ import annotations

import pytest

from ragcli.text.labelled import LONGEST_VALUE, records


def said(text: str) -> list[list[tuple[str, str]]]:
    """The labels and values of each record."""
    return [[(one.label, text[one.start : one.end]) for one in rec.fields] for rec in records(text)]


def test_rows_of_cells_are_one_record_each() -> None:
    """As tables of CSV files and workbooks are written out."""
    text = "- Name: Ada Fell; Room: 1.02\n- Name: Per Lund; Room: 2.11\n"
    assert said(text) == [
        [("Name", "Ada Fell"), ("Room", "1.02")],
        [("Name", "Per Lund"), ("Room", "2.11")],
    ]
    assert all(record.row for record in records(text))


def test_a_table_with_bars_takes_its_labels_from_its_head() -> None:
    """Also where another table follows; a row of another length has no labels."""
    text = "| Key | Held by |\n|---|---|\n| K1 | Ada |\n| K2 |\n\n| Day |\n|---|\n| Monday |\n"
    assert said(text) == [[("Key", "K1"), ("Held by", "Ada")], [("Day", "Monday")]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**Due date:** 3 May 2024", [("Due date", "3 May 2024")]),
        ("- Total: £6,169.20  ", [("Total", "£6,169.20")]),
        ("Present:\n  Ada Fell (chair)\n  Per Lund\n\nThey met.", None),
        ("It was clear: nobody came. Then it rained.", []),
        ("see https://example.org/a", []),
        (f"Note: {'x' * (LONGEST_VALUE + 1)}", []),
        ("12:30 lunch", []),
    ],
)
def test_a_line_has_a_label_if_what_follows_is_no_prose(
    text: str, expected: list[tuple[str, str]] | None
) -> None:
    """None stands for the list below "Present:"."""
    if expected is None:
        expected = [("Present", "Ada Fell (chair)\n  Per Lund")]
    assert said(text) == [[one] for one in expected]


@pytest.mark.parametrize(
    ("letter", "name"),
    [
        (
            "Dear Ann,\n\nthank you.\n\nYours sincerely,\n\nRuth Amadi\nHead of Sales\n",
            "Ruth Amadi",
        ),
        ("No charge.\n\nYours faithfully\n\np.p. Imogen Strand\nManager", "Imogen Strand"),
        ("With our deepest sympathy,\n\nSir Leonard Fay\nChairman", "Sir Leonard Fay"),
        ("Kind regards\nKari Nilsen, pilot", "Kari Nilsen"),
        ("I send my love to all of you.\n\nIt rains.", ""),
        ("Best wishes\n\nthe whole crew", ""),
    ],
)
def test_the_name_below_the_closing_words_signs_a_letter(letter: str, name: str) -> None:
    """A line of the text that only mentions such words closes nothing."""
    assert said(letter) == ([[("signed by", name)]] if name else [])
