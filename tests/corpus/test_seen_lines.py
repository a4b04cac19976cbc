"""The order of texts in a picture: lines, columns, tables, pages that lie askew."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ragcli.corpus.read.pdf_layout import lay_out
from ragcli.corpus.read.seen_lines import SeenText, in_lines

LONG = 400


def seen(text: str, left: float, top: float, width: float = LONG, angle: float = 0.0) -> SeenText:
    """A text of a height of 20, turned about the corner of the page by degrees."""
    corners = np.array(
        [(left, top), (left + width, top), (left + width, top + 20), (left, top + 20)]
    )
    turn = math.radians(angle)
    matrix = np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
    return SeenText(text, 0.9, corners @ matrix)


def read(found: list[SeenText]) -> list[str]:
    """The lines of a page of 1000 pixels in both directions."""
    return [line.text for line in in_lines(found, 1000, 1000)]


@pytest.mark.parametrize("angle", [-4, 0, 4])
def test_columns_below_a_title(angle: float) -> None:
    """The left one is read first, between what crosses both."""
    texts = [seen("title", 50, 0, 860, angle), seen("foot", 50, 300, 860, angle)]
    for n in range(5):
        texts += [seen(f"l{n}", 50, 40 * n + 50, angle=angle)]
        texts += [seen(f"r{n}", 500, 40 * n + 50, angle=angle)]
    columns = [*(f"l{n}" for n in range(5)), *(f"r{n}" for n in range(5))]
    assert read(texts[::-1]) == ["title", *columns, "foot"]


def test_three_columns() -> None:
    """Each part of a page may have columns of its own."""
    texts = [seen(f"{c}{n}", 300 * c, 40 * n, 250) for n in range(4) for c in range(3)]
    assert read(texts) == [f"{c}{n}" for c in range(3) for n in range(4)]


def test_a_table_is_read_row_by_row() -> None:
    """Its cells are short, and those of a row stand on one line."""
    texts = [seen(f"{c}{n}", 200 * c, 40 * n, 60) for c in range(3) for n in range(4)]
    assert read(texts) == [f"0{n} 1{n} 2{n}" for n in range(4)]


def test_larger_print_is_larger() -> None:
    """A box that is a little higher is not."""
    title = SeenText("Title", 0.9, np.array([(50, 0), (450, 0), (450, 40), (50, 40)]))
    lines = in_lines([title, *(seen("text", 50, 60 + 30 * n) for n in range(4))], 1000, 1000)
    assert [line.size for line in lines] == [2.0, 1.0, 1.0, 1.0, 1.0]
    assert lines[0].scan == (900, 50, 0, 450, 40)


def test_a_divided_word_keeps_the_places_of_both_lines() -> None:
    """The hyphen goes, and each line knows where its letters stand in the text."""
    lines = in_lines([seen("An exam-", 50, 0), seen("ple, said he.", 50, 30)], 1000, 1000)
    laid, scanned = lay_out([lines])
    assert laid.text == "An example, said he."
    assert [laid.text[start:end] for start, end, *_ in scanned] == ["An exam", "ple, said he"]
    assert [line[4] for line in scanned] == [0, 30]
