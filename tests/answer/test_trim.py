"""Ends of answers: whole numbers, identifiers and commands, inside one line and one cell."""

from __future__ import annotations

import pytest

from ragcli.answer.rendered import Stretch
from ragcli.answer.trim import on_one_line, whole
from ragcli.models.reader.spans import RankedSpan

from .makers import part_of


def place(text: str, words: str) -> Stretch:
    """The first place of some words in a whole document."""
    at = text.index(words)
    return Stretch(part_of(text), at, at + len(words))


@pytest.mark.parametrize(
    ("text", "words", "all_of_it"),
    [
        ("Event: Choir; Place: Old mill", "Place: Old mill", "Old mill"),
        ("Name: Ada; Room: 12; Floor: 3", "Room: 12; Floor: 3", "12"),
        ("Note: one clause only, no table", "Note: one clause", "Note: one clause"),
        ("Her number: +49 3581", "49 3581", "+49 3581"),
        ("At -5 °C it freezes", "5 °C", "-5 °C"),
        ("See pages 3-5", "5", "5"),
        ("Give --no-round-robin to it", "round-robin", "--no-round-robin"),
        ("use the `TERM` signal", "TERM` signal", "TERM"),
        ("set to `0` here", "set to `0", "set to `0`"),
        ("for `10` seconds", "10` seconds", "10` seconds"),
        ("It needs `tblib` now", "needs `tblib", "tblib"),
        ("in 1914-1918", "1914", "1914"),
        ("Run foo passwd --reset on the host", "foo passwd", "foo passwd --reset"),
        ("Run foo passwd - it asks", "foo passwd", "foo passwd"),
    ],
)
def test_what_was_read_in_full(text: str, words: str, all_of_it: str) -> None:
    """One cell, the sign of a number, an identifier or a command; years stay."""
    found = whole(place(text, words))
    assert found.text == all_of_it and found.part.text[found.start : found.end] == all_of_it


@pytest.mark.parametrize(
    ("text", "span_text", "kept"),
    [
        ("Sir Leonard Fay\nChairman\n", "Sir Leonard Fay\nChairman", "Sir Leonard Fay"),
        ("Mary\n\n  Lind", "Mary\n\n  Lind", "Mary"),
        ("Mary Lind", "Mary Lind", "Mary Lind"),
        (
            "The first gauges will be shipped in August to the port of Port\nEllery in the north.",
            "Port\nEllery",
            "Port\nEllery",
        ),
    ],
)
def test_an_answer_ends_where_a_short_line_ends(text: str, span_text: str, kept: str) -> None:
    """The first line counts; wrapped prose stays."""
    at = text.index(span_text)
    found = RankedSpan(0, at, at + len(span_text), span_text, 1.0, 0.6, 0)
    cut = on_one_line(text, found)
    assert cut.text == kept == text[cut.start : cut.end]
