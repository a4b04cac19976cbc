"""Cells of tables: the row of an identifier, the column that the question names."""

from __future__ import annotations

import pytest

from ragcli.answer.lookup.tables import cell_answer
from ragcli.types import Part

TABLE = """Support of lanterns:

| Version | Release date | End of support | **Wick** |
| :------ | ------------ | -------------- | -------- |
| 1.0.0   | 2018-03-06   | 2019-09-01     | cotton   |
| 2.0.0   | 2019-02-25   | -              | `flax`   |
"""


def answered(question: str, text: str = TABLE, start: int = 40) -> str | None:
    """What stands at the place of the answer."""
    part = Part(1, "d.md", "", start, start + len(text), 1, 9, text)
    found = cell_answer(question, [part])
    return found.places[0].text if found else None


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When was lantern 1.0.0 released?", "2018-03-06"),
        ("Which wick does version 2.0.0 need?", "flax"),
        ("What is the end of support of 1.0.0?", "2019-09-01"),
    ],
)
def test_cells(question: str, answer: str) -> None:
    """The cell without the marks around it."""
    assert answered(question) == answer


@pytest.mark.parametrize(
    "question",
    [
        "When was lantern 3.0.0 released?",  # no such row
        "What colour has 1.0.0?",  # no such column
        "What is the end of support of 2.0.0?",  # the cell is empty
        "Which wick is best?",  # no row is named
    ],
)
def test_no_cell(question: str) -> None:
    """Row and column must both be named."""
    assert answered(question) is None


def test_rows_that_differ() -> None:
    """Two tables that tell otherwise are left to the reader."""
    other = TABLE.replace("cotton", "wool")
    assert answered("Which wick does 1.0.0 need?", f"{TABLE}\n{other}") is None
