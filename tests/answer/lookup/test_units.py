"""Units of settings, as documentation tells them."""

from __future__ import annotations

import pytest

from ragcli.answer.lookup.units import unit_answer
from ragcli.types import Part

TEXT = """# Lantern

* **coolDown** `number` - The pause, in milliseconds. Set burnTime to seconds.
* **wickSize** `string` - Its name.
"""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What unit is coolDown in?", "milliseconds"),
        ("In which unit is burnTime?", "seconds"),
        ("What unit is wickSize in?", None),
        ("What unit is it in?", None),
        ("What is coolDown?", None),
    ],
)
def test_units(question: str, answer: str | None) -> None:
    """Below the setting's name, or else in a sentence with it."""
    part = Part(1, "d.md", "Lantern", 0, len(TEXT), 1, 4, TEXT, headings=((0, "Lantern"),))
    found = unit_answer(question, [part])
    assert (found.places[0].text if found else None) == answer
