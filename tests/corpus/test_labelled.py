"""Labels and their values in rows, lines, lists and letters."""

from __future__ import annotations

import pytest
from laid_out import blocks_in

from ragcli.corpus.blocks.labelled import LONGEST_VALUE
from ragcli.types.blocks import Block


def pair(text: str, field: Block) -> tuple[str, str]:
    """A label and its value."""
    label, value = field.parts
    return text[label.start : label.end], text[value.start : value.end]


def said(text: str) -> list[tuple[str, str]]:
    """The labels and values that stand alone."""
    return [pair(text, block) for block in blocks_in(text) if block.kind == "field"]


def test_rows_of_cells_are_a_table() -> None:
    """As tables of PDF files are written out: each row names its cells."""
    text = "- Name: Ada Fell; Room: 1.02\n- Name: Per Lund; Room: 2.11\n\nName: Kari; Room: 3\n"
    tables = [block for block in blocks_in(text) if block.kind == "table"]
    assert [[[pair(text, f) for f in row.of("field")] for row in t.of("row")] for t in tables] == [
        [[("Name", "Ada Fell"), ("Room", "1.02")], [("Name", "Per Lund"), ("Room", "2.11")]],
        [[("Name", "Kari"), ("Room", "3")]],
    ]


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
    assert said(text) == expected


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
    assert [value for _, value in said(letter)] == ([name] if name else [])
