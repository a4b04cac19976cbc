"""Ruled tables of PDF: files of three programs, tables over two pages, and drawings."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.corpus.read import read
from ragcli.corpus.read.pdf_layout import Line, lay_out
from ragcli.corpus.read.pdf_rows import TableRows
from ragcli.corpus.read.pdf_tables import Edge, RuledTable, TableGrid, grids_of, rules_of
from ragcli.types import ParsedDocument, Source

DATA = Path(__file__).resolve().parent.parent / "data"


def document(name: str) -> ParsedDocument:
    path = DATA / name
    (found,) = read(Source(name, str(path), path.stat().st_size, 0))
    assert isinstance(found, ParsedDocument)
    return found


@pytest.mark.parametrize("program", ["chromium", "libreoffice"])
def test_tables_of_web_pages(program: str) -> None:
    """Cells of several lines, joined and empty cells; a table without a head keeps its rows."""
    found = document(f"cranes-{program}.pdf")
    first, second = (found.text[slice(*span)].split("\n") for span in found.protected)
    assert first == [
        "- Crane | Load | Keeper",
        "- Crane: North crane with a long name that wraps in the cell for sure, because it is"
        " narrow; Load: 12; Keeper: Ane Holm",
        "- Crane: South; Load: 7.5; Keeper: Jon Berg and Mara Linde, who shares the house with him"
        " and his dog",
        "- Crane: Old (not in use); Keeper: nobody",
        "- Crane: West; Load: 30",
    ]
    assert second == ["- Name | Ane Holm", "- Town | Ribe"]
    between = found.text[found.protected[0][1] : found.protected[1][0]].strip()
    assert between == "After the table, the text goes on for a while."


def test_a_table_of_groff() -> None:
    """Its rules are strokes between the cells."""
    found = document("cranes-groff.pdf")
    (span,) = found.protected
    assert found.text[slice(*span)].split("\n") == [
        "- Crane | Load | Keeper",
        "- Crane: North; Load: 12; Keeper: Ane Holm",
        "- Crane: South; Load: 7.5; Keeper: Jon Berg",
        "- Crane: West; Load: 30",
    ]
    assert found.headings == ((0, 1, "Harbour report"),)


def edges(lefts: list[float], tops: list[float]) -> list[Edge]:
    """The edges of a full grid."""
    level = [(lefts[0], y, lefts[-1], y) for y in tops]
    return level + [(x, tops[0], x, tops[-1]) for x in lefts]


def grid(lefts: list[float], tops: list[float]) -> TableGrid:
    (found,) = grids_of(*rules_of(edges(lefts, tops)))
    return found


def table(*rows: tuple[str, ...], lefts: tuple[float, ...] = (0, 50, 90)) -> RuledTable:
    tops = [100 - 10.0 * n for n in range(len(rows) + 1)]
    return RuledTable(grid(list(lefts), tops), rows)


LOOK = Line("x", 10, 100, 90, bold=False)


def texts(rows: TableRows, found: RuledTable, page: int, bold: bool = False) -> list[str]:
    return [line.text for line in rows.lines(found, Line("x", 10, 100, 90, bold), page)]


def test_a_table_that_goes_on_keeps_its_head() -> None:
    """On the next page, under the same columns, unless it has a head of its own."""
    rows = TableRows()
    first = texts(rows, table(("Town", "People"), ("Ribe", "8257"), ("Skive", "20190")), 1)
    assert first == [
        "- Town | People",
        "- Town: Ribe; People: 8257",
        "- Town: Skive; People: 20190",
    ]
    assert texts(rows, table(("Lemvig", "6934"), ("Varde", "1")), 2) == [
        "- Town: Lemvig; People: 6934",
        "- Town: Varde; People: 1",
    ]
    assert (
        texts(rows, table(("Crane", "Tons"), ("North", "12")), 3)[1] == "- Crane: North; Tons: 12"
    )
    for other, page in (
        (table(("a", "9"), ("b", "8"), lefts=(0, 30, 90)), 4),
        (table(("a", "9"), ("b", "8")), 9),
    ):
        assert texts(rows, other, page)[0] == "- a | 9"


def test_a_bold_row_over_words_is_a_head() -> None:
    """Without bold letters or numbers below it, the first row may be data."""
    rows = ("Name", "Place"), ("Ane Holm", "Ribe")
    assert texts(TableRows(), table(*rows), 1) == ["- Name | Place", "- Ane Holm | Ribe"]
    assert texts(TableRows(), table(*rows), 1, bold=True)[1] == "- Name: Ane Holm; Place: Ribe"


def test_a_table_is_no_heading_and_no_paragraph() -> None:
    """Whatever its letters look like; rows stay together, apart from the text beside them."""
    body = [Line(f"The text of line {n} goes on here.", 10, 90.0 - n, 80, False) for n in range(4)]
    rows = [Line("- a | b", 20, 70, 60, True, 1), Line("- c | d", 20, 40, 30, True, 1)]
    laid, _ = lay_out([[*body, *rows, Line("After.", 10, 20, 10, False)]])
    (span,) = laid.protected
    assert laid.text[slice(*span)] == "- a | b\n- c | d"
    assert laid.text.endswith("\n\nAfter.") and not laid.headings


def test_joined_cells() -> None:
    """A cell without a rule to its neighbour is a part of it."""
    level, upright = rules_of(edges([0, 50, 90], [100, 80, 60, 40]))
    upright = [rule for rule in upright if rule.at != 50] + rules_of([(50, 80, 50, 40)])[1]
    (found,) = grids_of(level, upright)
    assert found.at(20, 90) == found.at(70, 90) == (0, 0)
    assert found.at(70, 70) == (1, 1) and found.at(90, 40) == (2, 1)
    assert not found.holds(91, 50)


@pytest.mark.parametrize(
    "drawn",
    [
        [],
        [(0, y, 90, y) for y in range(0, 90, 10)],  # lines to write on
        [(0, 0, 90, 0), (0, 50, 90, 50), (0, 0, 0, 50), (90, 0, 90, 50)],  # a box
        [(n * 7 % 500, n, n * 7 % 500 + 40, n) for n in range(900)],
        [(0, 0, 90, 77), (90, 0, 0, 77), (45, 0, 46, 77)],
    ],
)
def test_what_is_no_table(drawn: list[Edge]) -> None:
    assert grids_of(*rules_of(drawn)) == []


def test_a_drawing_takes_little_time() -> None:
    """A page of many crossing lines is no table, and is left at once."""
    lines = [(0.0, 4.0 * n, 9e4, 4.0 * n) for n in range(5000)]
    lines += [(4.0 * n, 0.0, 4.0 * n, 9e4) for n in range(5000)]
    begin = time.process_time()
    assert grids_of(*rules_of(lines)) == []
    assert time.process_time() - begin < 5


coordinate = st.one_of(st.integers(-20, 120), st.floats(-1e6, 1e6))


@given(st.lists(st.tuples(coordinate, coordinate, coordinate, coordinate), max_size=30))
def test_any_edges(drawn: list[Edge]) -> None:
    """Every point of a table lies in one of its cells."""
    for found in grids_of(*rules_of(drawn)):
        assert len(found.tops) > 2 and len(found.lefts) > 2
        for x in found.lefts:
            for y in found.tops:
                row, column = found.at(x, y)
                assert 0 <= row < len(found.tops) - 1 and 0 <= column < len(found.lefts) - 1
