"""Where an enumeration begins and ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.text.enumerations import enumeration_around


def around(text: str, item: str) -> str:
    """The enumeration around the first place of an item."""
    start = text.index(item)
    return text[slice(*enumeration_around(text, start, start + len(item)))]


@pytest.mark.parametrize(
    ("text", "item", "whole"),
    [
        ("It runs on BSD, Linux, macOS and Solaris.", "macOS", "BSD, Linux, macOS and Solaris"),
        ("It needs salt, bread and oil since May.", "salt", "salt, bread and oil"),
        ("It calls at Varn (twice), Ost and Lund daily.", "Ost", "Varn (twice), Ost and Lund"),
        ("With Ada Fell; Per Lund; and Dr Berg.", "Per Lund", "Ada Fell; Per Lund; and Dr Berg"),
        ("Open on\nMondays and\nThursdays in winter.", "Mondays", "Mondays and\nThursdays"),
        ("It has a cap, a saw (or so) and a hat to go.", "a saw", "a cap, a saw (or so) and a hat"),
    ],
)  # fmt: skip
def test_whole(text: str, item: str, whole: str) -> None:
    """From the first item to the last."""
    assert around(text, item) == whole


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ("It came in May, and Ann left.", "May"),
        ("Ada, who met Per, left.", "Per"),
        ("It was built in Varn.", "Varn"),
        ("Cells of the skin and displays them.", "skin"),
        ("He sold Varn, Lund.", "Varn"),
        ("| Varn | and Lund | x |", "Varn"),
    ],
)
def test_none(text: str, item: str) -> None:
    """What is no list of few words with an "and" stays."""
    assert around(text, item) == item


@given(st.text(alphabet="aB,; \n()and.|", max_size=60), st.data())
def test_stays_inside(text: str, data: st.DataObject) -> None:
    """The result holds the item and lies in the text, for any text."""
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    first, last = enumeration_around(text, start, end)
    assert 0 <= first <= start <= end <= last <= len(text)
