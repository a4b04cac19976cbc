"""Lists below a line or heading, and columns of tables, as whole answers."""

from __future__ import annotations

import pytest

from ragcli.answer.lookup.lists import item_lists, list_answer
from ragcli.types import Part

REPORT = """The bridge at Varn fell in May.

## Causes

1. **Frost.** It split the stone.
2. **Age.** The bridge was old.

## Recommendations

- That a new bridge be built, of iron.
  It should be wide.
- That the old one be kept.

The tool takes the following arguments:

* `--wide` (the width)
* `--deep` (the depth)

Nothing else helps.
"""
TABLE = """Members of the board in 2023:

| No. | Member | Kind |
|-----|--------|------|
| 1 | **Ada Fell** (chair) | citizen |
| 2 | Per Lund | citizen |
| 3 | Ost Mills | firm |

It meets twice.
"""
RAILCARS = """| No. | Name | Kind |
|---|---|---|
| 5 | Marmot | railcar |
| 7 | Swallow | railcar |
| 9 | Old Tom | plough |

They stand at Varn.
"""


def part_of(text: str, start: int = 0, doc: str = "varn/bridge.md") -> Part:
    """The whole text as a part with its headings."""
    headings = tuple(
        (start + at, line[3:])
        for line in text.splitlines()
        if line.startswith("## ") and (at := text.index(line)) >= 0
    )
    return Part(1, doc, "Bridge of Varn", start, start + len(text), 1, 9, text, headings=headings)


def answered(question: str, text: str, start: int = 0) -> list[str] | None:
    """The items of the answer."""
    found = list_answer(question, [part_of(text, start)])
    if found is None:
        return None
    assert found.listed
    assert all(
        place.text == text[place.start - start : place.end - start] for place in found.places
    )
    return [place.text for place in found.places]


@pytest.mark.parametrize(
    ("question", "items"),
    [
        ("What were the causes?", ["Frost", "Age"]),
        (
            "What are the recommendations on the bridge of Varn?",
            ["That a new bridge be built, of iron", "That the old one be kept"],
        ),
        ("Which arguments does the tool take?", ["--wide", "--deep"]),
        ("Name the two causes of the fall of the bridge.", ["Frost", "Age"]),
    ],
)
def test_items(question: str, items: list[str]) -> None:
    """The terms of the items, or their first sentences, wherever the part begins."""
    assert answered(question, REPORT) == items
    assert answered(question, REPORT, start=70) == items


@pytest.mark.parametrize(
    "question",
    [
        "What are the three causes?",
        "What are the costs of the bridge?",
        "What is the recommendation?",
        "What are the recommendations of the report on the Ost bridge?",
        "Which recommendations did the school of Lund make about windows?",
    ],
)
def test_another_list(question: str) -> None:
    """Another number of items, another noun, one thing, or words that stand nowhere above."""
    assert answered(question, REPORT) is None


def test_columns() -> None:
    """The column with the noun in its head, without the roles of persons."""
    people = ["Ada Fell", "Per Lund", "Ost Mills"]
    assert answered("Who are the members of the board?", TABLE) == people
    assert answered("Which members does the board of Varn have?", TABLE)
    assert answered("Who are the members of the choir?", TABLE) is None


def test_rows_of_a_kind() -> None:
    """The names in the rows with the noun in a cell."""
    assert answered("What are the names of the railcars?", RAILCARS) == ["Marmot", "Swallow"]
    assert answered("What are the names of the boats?", RAILCARS) is None


def test_cut() -> None:
    """A list with which the passage ends may go on, so it is less sure."""
    whole = list_answer("Who are the members of the board?", [part_of(TABLE)])
    cut = list_answer(
        "Who are the members of the board?", [part_of(TABLE[: TABLE.index("\n\nIt")])]
    )
    assert whole is not None
    assert cut is not None
    assert cut.confidence < whole.confidence


def test_lists_of_a_text() -> None:
    """Single items and text between lists make none."""
    text = "One:\n- a\n\nText.\n- b\n- c\n  more\n  - inner\n\nMore text.\n\n1. x\n\n2. y\n"
    found = [[text[a:b] for a, b in one.items] for one in item_lists(text)]
    assert found == [["b", "c\n  more\n  - inner"], ["x", "y"]]
    assert [one.lead for one in item_lists(text)] == ["Text.", "More text."]
