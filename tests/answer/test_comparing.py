"""Two things compared by a measure that is read about each."""

from __future__ import annotations

import pytest

from ragcli.answer.comparing import compare
from ragcli.models.open_reader import open_reader
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Context

from .makers import context_of

PEAKS = context_of(
    ("Mount Ister", "# Mount Ister\n\nMount Ister is a mountain. It is 2,914 metres high."),
    ("Garnhorn", "# Garnhorn\n\nGarnhorn is a mountain in the north. It is 3,122 metres high."),
)
FERRIES = context_of(
    ("Ferry Ada", "Ferry Ada is 48 metres long."), ("Ferry Bo", "Ferry Bo is 61 yards long.")
)


@pytest.mark.parametrize(
    ("question", "context", "name"),
    [
        ("Which is higher, Mount Ister or Garnhorn?", PEAKS, "Garnhorn"),
        ("Which mountain is lower, Garnhorn or Mount Ister?", PEAKS, "Mount Ister"),
    ],
)
def test_the_larger_or_the_smaller_number_decides(
    question: str, context: Context, name: str
) -> None:
    """The name is told as the text has it, without the heading above it."""
    found = compare(AskedQuestion(question), context.parts, open_reader())
    assert found is not None and found.text == name == found.places[0].text


def test_numbers_of_other_units_are_not_compared() -> None:
    """What is left is how surely each passage answers, which is not sure."""
    found = compare(
        AskedQuestion("Which is longer, Ferry Ada or Ferry Bo?"), FERRIES.parts, open_reader()
    )
    assert found is not None and found.text in ("Ferry Ada", "Ferry Bo")
