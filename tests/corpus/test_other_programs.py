"""Files made by pandoc, LibreOffice and groff (tests/data): what is read, what citations say."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from ragcli.corpus.normalised_text import line_of, page_breaks, page_of
from ragcli.corpus.read import read
from ragcli.errors import ReadError
from ragcli.types import ParsedDocument, Skipped, Source
from ragcli.types.places import place_of

DATA = Path(__file__).parent.parent / "data"
MILL = [path.name for path in sorted(DATA.glob("mill*"))]
OFFICE = ["mill.docx", "mill.odt", "mill.odp", "mill.pptx", "mill.epub", "mill.rtf"]


def all_of(path: Path) -> list[ParsedDocument | Skipped]:
    return list(read(Source(path.name, str(path), path.stat().st_size, 0)))


def one(path: Path) -> ParsedDocument:
    (found,) = all_of(path)
    assert isinstance(found, ParsedDocument), found
    return found


def place(document: ParsedDocument, words: str) -> str:
    """The place that a citation of the words names."""
    at = document.text.index(words)
    line = line_of(document, at)
    return place_of(document.id, page_of(page_breaks(document), at), line, line)


@pytest.mark.parametrize("name", MILL)
def test_the_same_report_in_every_format(name: str) -> None:
    """Sentences, lists, tables, notes and code are read; markup of text is not, where it can."""
    found = one(DATA / name)
    words = " ".join(found.text.split())
    assert "The miller is called Jonas Petri." in words
    assert "Damp spoiled 30 kilograms." in words
    assert "The roof was mended in May." in words
    for cell in ("January", "310", "Anna Koch"):
        assert cell in words
    assert "return rye * 0.8" in words


@pytest.mark.parametrize("name", [name for name in MILL if not name.endswith((".xml", ".ipynb"))])
def test_headings_begin_their_sections(name: str) -> None:
    """Each heading is where it says, in order, with "Losses" below "Production"."""
    found = one(DATA / name)
    named = [heading for _, _, heading in found.headings]
    if not name.endswith((".pptx", ".odp")):  # on slides it is a line of text
        assert named.index("Production") < named.index("Losses") < named.index("Outlook")
        levels = {heading: level for _, level, heading in found.headings}
        assert levels["Losses"] == levels["Production"] + 1
        assert levels["Outlook"] == levels["Production"]
    for at, _, heading in found.headings:
        assert heading in found.text[at : at + 120].replace("\n", " ")


@pytest.mark.parametrize("name", OFFICE)
def test_rows_of_a_table_are_lines(name: str) -> None:
    """The head of the table is the line above its rows."""
    lines = one(DATA / name).text.split("\n")
    at = lines.index("Month | Tons | Foreman")
    assert lines[at + 1 : at + 3] == ["January | 310 | Anna Koch", "February | 295 | Bo Lind"]


def test_titles_come_from_the_document() -> None:
    """All but Markdown's front matter, a notebook and plain RTF give the report's title."""
    titles = {name: one(DATA / name).title for name in MILL}
    other = {"mill.md", "mill.ipynb", "mill.org", "mill.rtf", "mill.1"}
    assert {title for name, title in titles.items() if name not in other} == {
        "Annual report of the mill"
    }
    assert titles["mill.1"] == "annual report of the mill"
    assert titles["mill.org"] == "Annual report of the mill"


@pytest.mark.parametrize("name", ["mill.tex", "mill.1", "mill.xml", "mill.rst", "mill.adoc"])
def test_lines_are_those_of_the_file(name: str) -> None:
    """A citation of a text file names the line on which the words stand."""
    found = one(DATA / name)
    lines = (DATA / name).read_text().split("\n")
    line = line_of(found, found.text.index("The mill ground"))
    assert "The mill ground" in lines[line - 1]
    assert found.text.count("\n") <= len(lines)
    if name not in ("mill.1", "mill.xml"):  # their lines are filled
        assert found.text.split("\n")[line - 1].lstrip().startswith("The mill ground")


def test_slides_cells_chapters_and_pages_are_cited() -> None:
    """By the name that people use for them."""
    assert place(one(DATA / "mill.pptx"), "second turbine") == "slide 3"
    assert place(one(DATA / "mill.odp"), "second turbine") == "slide 3"
    assert place(one(DATA / "mill.epub"), "second turbine") == "chapter 3"
    assert place(one(DATA / "mill.ipynb"), "second turbine") == "cell 1"
    assert place(one(DATA / "harbour.pdf"), "nine million") == "page 2"
    assert place(one(DATA / "mill.md"), "second turbine") == ""


def test_the_table_of_files_tried() -> None:
    """Characters, headings and places in docs/formats.md are those that are read."""
    docs = (DATA.parent.parent / "docs" / "formats.md").read_text(encoding="utf-8")
    part = docs.partition("## Files tried")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in part.splitlines() if line.startswith("| `")]
    made = {path.name for path in DATA.glob("*.*") if path.suffix != ".txt"} - {"README.md"}
    assert {row[0].strip("`") for row in rows} == made
    for name, _, characters, headings, words, cited in rows:
        found = one(DATA / name.strip("`"))
        assert (f"{len(found.text):,}", str(len(found.headings))) == (characters, headings), name
        line = line_of(found, found.text.index(words))
        assert (place(found, words) or f"line {line}") == cited, name


def test_a_pdf_of_groff() -> None:
    """Heads and page numbers are left out, words joined, paragraphs and headings found."""
    found = one(DATA / "harbour.pdf")
    assert "Harbour news" not in found.text
    assert "administration buildings stand" in found.text
    assert "\n\nA second paragraph says" in found.text
    assert "is planned for the year\n\f2031, says the council." in found.text
    assert found.title == "The Harbour of Ostrava"
    assert [(level, name) for _, level, name in found.headings] == [
        (1, "The Harbour of Ostrava"),
        (2, "1. Cranes and sheds"),
        (2, "1.1. Costs"),
        (2, "1.2. Sheds"),
        (2, "2. Future"),
    ]


@pytest.mark.parametrize("suffix", ["xlsx", "xls", "ods"])
def test_rows_of_a_sheet_know_their_heads(suffix: str) -> None:
    """A sheet is a document, a row a line with the names of its columns."""
    found = one(DATA / f"towns.{suffix}")
    assert found.id.startswith(f"towns.{suffix}#")
    assert "- Town: Skive; Inhabitants: 20190; Mayor: Peder Kirk; Elected: 2017-11-21" in found.text
    sheet = found.id.partition("#")[2]
    assert place(found, "Peder Kirk") == f"sheet {sheet}, row 3"


@pytest.mark.parametrize("name", [*OFFICE, "mill.ipynb", "towns.xlsx", "towns.ods", "towns.xls"])
def test_damaged_files_are_read_errors(tmp_path: Path, name: str) -> None:
    """Cut anywhere, or overwritten: never another kind of error."""
    whole = (DATA / name).read_bytes()
    for part in range(12):
        cut = whole[: len(whole) * part // 12]
        spoilt = bytearray(whole)
        spoilt[len(whole) * part // 12 :: 97] = bytes(len(spoilt[len(whole) * part // 12 :: 97]))
        for content in (cut, bytes(spoilt)):
            path = tmp_path / name
            path.write_bytes(content)
            try:
                found = all_of(path)
            except ReadError as error:
                assert name in error.message
            else:
                assert found


def test_archives_hold_documents(tmp_path: Path) -> None:
    """Members are read by their own format; pictures and hidden files are no failures."""
    packed = tmp_path / "all.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("mill.docx", "towns.xlsx", "mill.md"):
            archive.write(DATA / name, f"in/{name}")
        archive.writestr("in/picture.png", b"\x89PNG\0\1\2\3\4\5\6\7" * 9)
        archive.writestr("__MACOSX/in/._mill.md", "hidden")
        archive.writestr("../../etc/up.txt", "It stays inside.")
    found = [item for item in all_of(packed) if isinstance(item, ParsedDocument)]
    assert len(found) == len(all_of(packed))
    assert [item.id.rpartition("all.zip#")[2].partition("#")[0] for item in found] == [
        "in/mill.docx",
        "in/towns.xlsx",
        "in/mill.md",
        "etc/up.txt",
    ]
    sheet = found[1].id.rpartition("#")[2]
    assert place(found[1], "Ribe") == f"in/towns.xlsx, sheet {sheet}, row 2"
    assert place(found[2], "second turbine").startswith("in/mill.md, line ")


def test_compressed_files_are_the_files(tmp_path: Path) -> None:
    """A manual page in gzip is a manual page with the compressed file's id; tar holds members."""
    manual = tmp_path / "mill.1.gz"
    manual.write_bytes(gzip.compress((DATA / "mill.1").read_bytes()))
    assert one(manual).id == "mill.1.gz"
    assert one(manual).text == one(DATA / "mill.1").text
    packed = tmp_path / "all.tgz"
    with tarfile.open(packed, "w:gz") as archive:
        archive.add(DATA / "mill.rst", "docs/mill.rst")
    assert one(packed).id == "all.tgz#docs/mill.rst"


def test_archives_have_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What unpacks to too much is a failure of that member or file, with its name."""
    monkeypatch.setattr("ragcli.corpus.read.archive.MOST_OF_ONE", 1000)
    packed = tmp_path / "a.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("small.txt", "A small text.")
        archive.writestr("large.txt", "x" * 2000)
    small, large = all_of(packed)
    assert small.id == "a.zip#small.txt"
    assert isinstance(large, Skipped)
    assert "unpacks to more" in large.reason
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"x" * 2000))
    with pytest.raises(ReadError, match=r"b\.txt\.gz .* unpacks to more"):
        all_of(tmp_path / "b.txt.gz")


def test_archives_in_archives_end(tmp_path: Path) -> None:
    """What is nested too deeply is said so."""
    content = b"deep"
    name = "deep.txt"
    for level in range(6):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr(name, content)
        content, name = out.getvalue(), f"{level}.zip"
    path = tmp_path / "outer.zip"
    path.write_bytes(content)
    (found,) = all_of(path)
    assert isinstance(found, Skipped)
    assert "nested" in found.reason
