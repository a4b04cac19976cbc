"""Files that are not what their suffix says, and other habits of real programs."""

from __future__ import annotations

import io
import shutil
import zipfile
from pathlib import Path

import docx
import pytest
from docx.oxml import OxmlElement
from docx.oxml.ns import qn

from ragcli.corpus.read import read
from ragcli.corpus.scan import scan
from ragcli.errors import ReadError
from ragcli.types import ParsedDocument, Skipped, Source

DATA = Path(__file__).resolve().parent.parent / "data"


def found(folder: Path, name: str, content: bytes) -> ParsedDocument:
    path = folder / name
    path.write_bytes(content)
    (item,) = read(Source(name, str(path), len(content), 0))
    assert isinstance(item, ParsedDocument)
    return item


@pytest.mark.parametrize("original", ["mill.rtf", "mill-office.rtf", "mill.docx"])
def test_old_word_files_that_are_something_else(tmp_path: Path, original: str) -> None:
    """They are read as what they are, with the same text."""
    content = (DATA / original).read_bytes()
    same = found(tmp_path, original, content)
    assert found(tmp_path, "a.doc", content).text == same.text
    assert found(tmp_path, "a.doc", b"A plain letter about rye.\n").text.startswith("A plain")


def test_old_workbooks_that_are_something_else(tmp_path: Path) -> None:
    """Tables of HTML and of text, as many programs export them; real ones are as before."""
    page = b"<html><body><table><tr><th>Crane<th>Tons<tr><td>North<td>12</table></body></html>"
    assert found(tmp_path, "a.xls", page).text == "Crane | Tons\nNorth | 12"
    rows = found(tmp_path, "b.xls", b"Crane\tTons\nNorth\t12\n")
    assert rows.text.split("\n")[-1] == "- Crane: North; Tons: 12"
    for name in ("towns.xls", "towns.xlsx"):
        sheet = found(tmp_path, "c.xls", (DATA / name).read_bytes())
        assert "- Town: Ribe; Inhabitants: 8257" in sheet.text


def test_an_old_word_file_is_named(tmp_path: Path) -> None:
    """Skipped in a folder, an error if it was named; an empty one is empty."""
    path = tmp_path / "a.doc"
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    source = Source("a.doc", str(path), 608, 0)
    assert list(read(source)) == [Skipped("a.doc", "no reader for .doc files yet")]
    with pytest.raises(ReadError, match="no reader for"):
        list(read(Source("a.doc", str(path), 608, 0, named=True)))
    path.write_bytes(b"")
    assert list(read(source)) == [Skipped("a.doc", "empty file")]


def test_names_in_archives_of_unix(tmp_path: Path) -> None:
    """They are UTF-8 without the mark that says so; names that are not stay as they are."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("St\u00e4dte.txt", "Ribe")
        archive.writestr("plain.txt", "Skive")
    raw = bytearray(out.getvalue())
    for at in (raw.find(b"PK\x03\x04") + 6, raw.find(b"PK\x01\x02") + 8):
        raw[at + 1] &= ~0x08
    path = tmp_path / "a.zip"
    for content, name in (
        (bytes(raw), "St\u00e4dte.txt"),
        (bytes(raw).replace("\u00e4".encode(), b"\x84a"), "St\u00e4adte.txt"),
    ):
        path.write_bytes(content)
        assert [item.id for item in read(Source("a.zip", str(path), 0, 0))] == [
            f"a.zip#{name}",
            "a.zip#plain.txt",
        ]


def test_headings_by_outline_level(tmp_path: Path) -> None:
    """As LibreOffice writes them: a level of the outline, and out of the style's list."""
    made = docx.Document()
    heading = made.add_paragraph("Losses")
    properties = heading._p.get_or_add_pPr()
    properties.get_or_add_numPr().get_or_add_numId().val = 0
    level = OxmlElement("w:outlineLvl")
    level.set(qn("w:val"), "1")
    properties.append(level)
    made.add_paragraph("Mice ate 12 kilograms.")
    body = made.add_paragraph("Level nine is text.")
    nine = OxmlElement("w:outlineLvl")
    nine.set(qn("w:val"), "9")
    body._p.get_or_add_pPr().append(nine)
    out = io.BytesIO()
    made.save(out)
    document = found(tmp_path, "a.docx", out.getvalue())
    assert document.headings == ((0, 2, "Losses"),)
    assert document.text == "Losses\n\nMice ate 12 kilograms.\n\nLevel nine is text."


def test_files_that_windows_puts_into_folders(tmp_path: Path) -> None:
    """They are left out without a word, as lock files are."""
    shutil.copy(DATA / "mill.md", tmp_path)
    for name in ("Thumbs.db", "desktop.ini", "Desktop.INI", "~$mill.docx"):
        (tmp_path / name).write_bytes(b"[x]\n")
    seen = scan([tmp_path])
    assert [source.id for source in seen.sources] == ["mill.md"] and not seen.skipped
