"""Tables of separated values and workbooks: rows with their heads, on their lines."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.corpus.normalised_text import line_of
from ragcli.corpus.read import read
from ragcli.corpus.read.line_text import LineText
from ragcli.corpus.read.rows import write_rows
from ragcli.text.sentences import sentences
from ragcli.types import ParsedDocument, Source

DATA = Path(__file__).parent.parent / "data"


def table(folder: Path, content: str, name: str = "a.csv") -> ParsedDocument:
    path = folder / name
    path.write_bytes(content.encode())
    (found,) = read(Source(name, str(path), len(content), 0))
    assert isinstance(found, ParsedDocument), found
    return found


def test_a_row_knows_its_heads(tmp_path: Path) -> None:
    """Empty cells are left out, a title above the head is the title, a cell may have lines."""
    found = table(
        tmp_path,
        "Towns of Jutland\r\n\r\nTown;Inhabitants;Remark\r\n"
        'Ribe;8257;"old, very\r\nold"\r\nSkive;;\r\n',
    )
    assert found.title == "Towns of Jutland"
    assert found.text.split("\n") == [
        "Towns of Jutland",
        "",
        "- Town | Inhabitants | Remark",
        "- Town: Ribe; Inhabitants: 8257; Remark: old, very old",
        "",
        "- Town: Skive",
    ]
    assert line_of(found, found.text.index("Skive")) == 6


def test_each_row_is_a_sentence(tmp_path: Path) -> None:
    """An answer quotes one row and not the whole table."""
    rows = "".join(f"{n},name {n},{n * n}\n" for n in range(1, 6))
    found = table(tmp_path, f"Id,Name,Square\n{rows}")
    said = [found.text[start:end] for start, end in sentences(found.text)]
    assert said[3] == "- Id: 3; Name: name 3; Square: 9"
    assert len(said) == 6


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_found(tmp_path: Path, separator: str) -> None:
    """By the number of cells in each row, whatever the file is called."""
    lines = [["Town", "Note"], ["Ribe", "a b"], ["Skive", "c d"]]
    content = "\n".join(separator.join(line) for line in lines)
    assert table(tmp_path, content).text.endswith("\n- Town: Skive; Note: c d")


ROWS = "Name,Trade,Born\nAda Fell,miller,North\nPer Lund,smith,South\n"


@pytest.mark.parametrize(
    "above",
    [
        "Look,at\nhere,below\n\n",
        "People of the valley\n\n",
        "Source:,Parish register\n",
        "Source:,Parish register\nSeen at,the office\n\n",
        "",
    ],
)
def test_what_stands_above_a_table_is_no_head(tmp_path: Path, above: str) -> None:
    """The table is what is widest between empty lines; a label names no column."""
    found = table(tmp_path, above + ROWS).text
    assert found.endswith("\n- Name: Per Lund; Trade: smith; Born: South")
    assert "Look: " not in found and "Seen at: " not in found


@pytest.mark.parametrize(
    ("rows", "last"),
    [
        ("Town,Mayor,\n\nRibe,Ann,1\nSkive,Bo,2\n", "Town: Skive; Mayor: Bo; 2"),
        ("Town,Mayor\n\nRibe,Ann\n\nSkive,Bo\n", "Town: Skive; Mayor: Bo"),
        (',Ann,Bo\nRibe,"a\n\nb",no\nSkive,no,yes\n', "Skive; Ann: no; Bo: yes"),
    ],
)
def test_gaps_in_a_table_keep_its_head(tmp_path: Path, rows: str, last: str) -> None:
    assert table(tmp_path, rows).text.endswith(f"- {last}")


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (b"<v> 8257\n</v>", "Inhabitants: 8257;"),
        (b"<v>many</v>", "Inhabitants: many;"),
        (b"<v>8,5</v>", "Inhabitants: 8,5;"),
        (b"<v>8 %</v>", "Inhabitants: 8 %;"),
        (b"<v/>", ""),
    ],
)
def test_a_cell_that_is_no_number_loses_no_sheet(given: bytes, shown: str) -> None:
    """Blanks around a number are left out; what is no number is text."""
    made = io.BytesIO()
    with zipfile.ZipFile(DATA / "towns.xlsx") as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            part = old.read(name)
            new.writestr(name, part.replace(b"<v>8257</v>", given))
    raw = made.getvalue()
    (found,) = read(Source("a.xlsx", "a.xlsx", len(raw), 0, raw))
    assert isinstance(found, ParsedDocument), found
    assert shown in found.text and "Skive" in found.text


def test_numbers_have_no_heads(tmp_path: Path) -> None:
    """A table without words in its first row is written as it is."""
    assert table(tmp_path, "1,2\n3,4\n").text == "- 1 | 2\n- 3 | 4"


# Control characters and invisible ones do not reach the text, so they make no line.
VISIBLE = st.characters(categories=("L", "N", "P", "S", "Zs"), max_codepoint=0x0FFF)


@given(st.lists(st.lists(st.text(VISIBLE, max_size=8), max_size=5), max_size=30))
def test_every_row_is_on_its_line(rows: list[list[str]]) -> None:
    """Whatever the cells hold: the cells of row n are on line n of the text."""
    text = LineText()
    write_rows(text, enumerate(rows, start=1))
    made = text.file_text().document("a", "")
    lines = made.text.split("\n")
    assert len(lines) == len(made.line_starts)
    for number, row in enumerate(rows[: len(lines)]):
        for cell in row:
            assert " ".join(cell.split()) == "" or lines[number]
