"""HTML, Word and PDF: made here, byte by byte or with the formats' own libraries, and read."""

from __future__ import annotations

import contextlib
import io
import random
from pathlib import Path
from typing import Any

import docx
import pypdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.corpus.chunk import ChunkSettings, chunk
from ragcli.corpus.normalised_text import line_of, page_breaks, page_of
from ragcli.corpus.read import read
from ragcli.corpus.read.html import text_of
from ragcli.errors import ReadError
from ragcli.types import ParsedDocument, Skipped, Source


def only(folder: Path, name: str, content: bytes) -> ParsedDocument | Skipped:
    """What a file of this content gives."""
    path = folder / name
    path.write_bytes(content)
    (found,) = read(Source(name, str(path), len(content), 0))
    return found


def document(folder: Path, name: str, content: bytes) -> ParsedDocument:
    found = only(folder, name, content)
    assert isinstance(found, ParsedDocument), found
    return found


def page(html: str) -> ParsedDocument:
    return text_of(html).document("a.html", "")


def test_a_page_as_a_browser_shows_it() -> None:
    """Blocks are paragraphs, items and rows are lines, cells are parted, hidden things left out."""
    found = page(
        "<!doctype html><head><title>A &amp; B</title><style>p{}</style></head>"
        "<body><nav>Home</nav><h1>Big <em>Title</em></h1><p>One\n two <b>three</b>.</p>"
        "<ul><li>first<li><p>second</p></ul><table><tr><th>A<th>B<tr><td><p>1</p><td>2</table>"
        "<pre>x = 1\n  y = 2\n</pre><h2></h2><div>after<br>line</div><script>bad()</script> end"
    )
    assert found.title == "A & B"
    assert found.text == (
        "Big Title\n\nOne two three.\n\n- first\n- second\n\nA | B\n1 | 2\n\n"
        "x = 1\n  y = 2\n\nafter\nline\n\nend"
    )
    assert found.headings == ((0, 1, "Big Title"),)


def test_lines_are_those_of_the_file() -> None:
    """A citation names the line of the file, in running text, in ``pre``, after comments."""
    found = page(
        "<!--\n\n--><p>One\ntwo\r\n<b>three</b></p>\n<pre>\nfour\nfive\n\nsix</pre>\n"
        "<p title='a\nb'>seven &#10; seven\n</p>eight<script>\n</script>nine"
    )
    assert found.text == "One two three\n\nfour\nfive\n\nsix\n\nseven seven\n\neightnine"
    lines = {word: line_of(found, found.text.index(word)) for word in found.text.split()}
    assert lines == {
        "One": 3, "two": 4, "three": 5, "four": 7, "five": 8, "six": 10,
        "seven": 12, "eightnine": 13,
    }  # fmt: skip


def test_headings_stand_where_they_say() -> None:
    """The offset of each heading is that of its text; the title falls back on the first."""
    found = page("<h1> One </h1>a<h2><b>Two</b> <i>words</i></h2>b<h3>Three")
    assert found.title == "One"
    assert [(level, name) for _, level, name in found.headings] == [
        (1, "One"),
        (2, "Two words"),
        (3, "Three"),
    ]
    for start, _, name in found.headings:
        assert found.text.startswith(name, start)


NAVIGATION = """
<a class="skip" href="#main">Skip to content</a>
<div class="navheader"><table><tr><td><a href="a">Prev</a></td><td>Chapter 3</td></tr></table></div>
<ul class="breadcrumbs"><li><a href="/">Home</a></li><li>Guide</li></ul>
<div role="navigation"><p>In this chapter</p></div>
<div id="menu"><a href="a">Start</a> <a href="b">Search</a> or <a href="c">more</a></div>
<p>The hut was built in 1911.<a class="headerlink" href="#hut">¶</a></p>
<div id="menu">Soup is served from <a href="kitchen">noon</a> on, and bread all day.</div>
<footer><p>Write to <a href="mailto:a@b.ch">the warden</a> in winter, to the station else.</p>
</footer>
<footer>© 2024 The keepers of the hut</footer>
"""


def test_the_navigation_of_a_site_is_left_out() -> None:
    """By its name, or by its links; a menu of soups and a footer with an address stay."""
    found = page(NAVIGATION)
    assert found.text == (
        "The hut was built in 1911.\n\nSoup is served from noon on, and bread all day.\n\n"
        "Write to the warden in winter, to the station else."
    )


def test_an_unclosed_menu_takes_no_text_with_it() -> None:
    """Elements may lack their end."""
    assert "built in 1911" in page("<ul class=nav><li>Home<p>The hut was built in 1911.").text
    assert page("<a name=x>One</a><a href=y>two<p>three").text == "Onetwo\n\nthree"


def test_terms_of_a_definition_list_are_headings() -> None:
    """A term heads its definition and nothing after the list."""
    found = page(
        "<h2>Options</h2><dl><dt>-l</dt><dd>The level.<dl><dt>one</dt><dd>Fast.</dd></dl></dd>"
        "<dt>-q</dt><dd>Quiet.</dd></dl><p>Files follow.</p>"
    )
    (made,) = chunk(found, lambda text: range(0, len(text), 4))
    paths = {
        word: [path for start, path in made.headings if start <= found.text.index(word)][-1]
        for word in ("level", "Fast", "Quiet", "Files")
    }
    assert paths == {
        "level": "Options > -l",
        "Fast": "Options > -l > one",
        "Quiet": "Options > -q",
        "Files": "Options",
    }


def test_the_title_of_a_drawing_names_no_document() -> None:
    """``<svg><title>`` is a tool tip; the page's own title counts, wherever it comes."""
    drawing = "<svg><title>Logo</title><g><title>x</title></g></svg>"
    assert page(f"{drawing}<h1>One</h1>text").title == "One"
    assert page(f"<body>{drawing}<title>Late</title>text").title == "Late"
    assert page(f"<title>Early</title>{drawing}text").title == "Early"


@given(st.text(alphabet="<>/ap brh1&;=\"'!-\n", max_size=200))
def test_any_page_gives_text_without_an_error(html: str) -> None:
    """However broken: headings lie inside the text, lines are where the newlines are."""
    found = text_of(html)
    assert all(found.text.startswith(name.split()[0], at) for at, _, name in found.headings)


@pytest.mark.parametrize(
    ("declared", "encoding"),
    [("windows-1251", "cp1251"), ("utf-8", "utf-8"), ("none-such", "utf-8")],
)
def test_the_declared_encoding(tmp_path: Path, declared: str, encoding: str) -> None:
    """What the page names is believed, unless it is UTF-8 all the same."""
    html = f'<meta http-equiv="x" content="text/html; charset={declared}"><p>Кот спит.</p>'
    assert document(tmp_path, "a.htm", html.encode(encoding)).text == "Кот спит."


def test_a_page_without_text(tmp_path: Path) -> None:
    """A frame of scripts is no document."""
    found = only(tmp_path, "a.html", b"<html><script>run()</script></html>")
    assert found == Skipped("a.html", "no text in it")


def word(build: Any) -> bytes:
    made = docx.Document()
    build(made)
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def test_a_word_document(tmp_path: Path) -> None:
    """Title, headings, lists and tables, in their order."""

    def build(made: Any) -> None:
        made.add_heading("Minutes", 0)
        made.add_heading("Present", 1)
        made.add_paragraph("Ada and  Charles.")
        made.add_paragraph("tea", style="List Bullet")
        made.add_paragraph("cake", style="List Bullet")
        table = made.add_table(2, 2)
        for at, text in enumerate(("Who", "What", "Ada", "notes")):
            table.cell(at // 2, at % 2).text = text
        made.add_paragraph("Ended at nine.")

    found = document(tmp_path, "a.docx", word(build))
    assert found.title == "Minutes"
    assert found.text == (
        "Minutes\n\nPresent\n\nAda and Charles.\n- tea\n- cake\n\nWho | What\nAda | notes\n\n"
        "Ended at nine."
    )
    assert [name for _, _, name in found.headings] == ["Minutes", "Present"]


@pytest.mark.parametrize("content", [b"junk", b"PK\3\4 junk", b"\xd0\xcf\x11\xe0 locked"])
def test_a_bad_word_document_is_an_error(tmp_path: Path, content: bytes) -> None:
    """So that the last good state of the file is kept."""
    with pytest.raises(ReadError, match=r"a\.docx"):
        only(tmp_path, "a.docx", content)


def test_a_damaged_word_document_is_never_worse_than_an_error(tmp_path: Path) -> None:
    """Wrong bytes anywhere in it, in the packed parts too: one bad file must not end a run."""

    def build(made: Any) -> None:
        for n in range(50):
            made.add_paragraph(f"Paragraph {n} tells of {n * 7919 % 1000} things.")

    whole = word(build)
    for seed in range(60):
        chance = random.Random(seed)
        data = bytearray(whole)
        for _ in range(chance.choice((1, 3, 20))):
            data[chance.randrange(len(data))] = chance.randrange(256)
        with contextlib.suppress(ReadError):
            only(tmp_path, "a.docx", bytes(data))


def pdf(*pages: str, title: str = "", password: str = "") -> bytes:
    """A PDF whose pages say these lines."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", ""]
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    kids = []
    for text in pages:
        shown = " ".join(f"({line}) Tj T*" for line in text.split("\n"))
        stream = f"BT /F1 12 Tf 14 TL 72 720 Td {shown} ET"
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /Contents {len(objects)} 0 R"
            f" /Resources << /Font << /F1 {font} >> >> >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(kids)}] >>"
    body, places = b"%PDF-1.4\n", []
    for n, text in enumerate(objects, 1):
        places.append(f"{len(body):010} 00000 n \n")
        body += f"{n} 0 obj\n{text}\nendobj\n".encode()
    body += (
        f"xref\n0 {len(places) + 1}\n0000000000 65535 f \n{''.join(places)}"
        f"trailer << /Root 1 0 R /Size {len(places) + 1} >>\nstartxref\n{len(body)}\n%%EOF"
    ).encode()
    writer = pypdf.PdfWriter(clone_from=pypdf.PdfReader(io.BytesIO(body)))
    if title:
        writer.add_metadata({"/Title": title})
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def test_a_pdf_with_pages(tmp_path: Path) -> None:
    """Text, cut words joined, and the page of every character."""
    content = pdf("On Tides\nThe sea is an exam-\nple.", "Second page.", title="On Tides")
    found = document(tmp_path, "a.pdf", content)
    assert found.title == "On Tides"
    assert found.text == "On Tides\nThe sea is an example.\n\fSecond page."
    breaks = page_breaks(found)
    assert page_of(breaks, found.text.index("sea")) == 1
    assert page_of(breaks, found.text.index("Second")) == 2


def test_running_heads_are_left_out(tmp_path: Path) -> None:
    """A head and a page number on most pages go; the same words elsewhere stay."""
    pages = [f"On Tides\nPage {n} tells of {w}.\n{n}" for n, w in enumerate("abcde", 1)]
    found = document(tmp_path, "a.pdf", pdf("A book called\nOn Tides", *pages))
    assert found.text.split("\n\f") == ["A book called\nOn Tides"] + [
        f"Page {n} tells of {w}." for n, w in enumerate("abcde", 1)
    ]


def test_chunks_know_their_page(tmp_path: Path) -> None:
    """A chunk's page is the one it begins on; documents without pages have none."""
    pages = [
        " ".join(f"Page {n} says {w}." for w in "one two three four".split()) for n in (1, 2, 3)
    ]
    found = document(tmp_path, "a.pdf", pdf(*pages))

    def words(text: str) -> list[int]:
        return [at for at, c in enumerate(text) if c == " "]

    chunks = chunk(found, words, ChunkSettings(20, 0, 10, 0))
    assert len(chunks) > 2
    for c in chunks:
        assert c.page == 1 + found.text[: c.start].count("\f")
    plain = ParsedDocument("a.txt", "", "", "One two. Three four.")
    assert {c.page for c in chunk(plain, words, ChunkSettings(20, 0, 10, 0))} == {None}


def test_a_leftover_title_is_not_believed(tmp_path: Path) -> None:
    """A title that the first page does not say is some template's."""
    assert document(tmp_path, "a.pdf", pdf("Tides.", title="Microsoft Word - x.doc")).title == ""


def test_a_pdf_without_text_is_skipped(tmp_path: Path) -> None:
    """Empty pages hold nothing to read."""
    assert only(tmp_path, "a.pdf", pdf("", "")) == Skipped(
        "a.pdf", "no text in its 2 pages, nor pictures"
    )


def test_a_locked_or_damaged_pdf_is_an_error(tmp_path: Path) -> None:
    """So that the last good state of the file is kept; no password is no lock."""
    assert document(tmp_path, "a.pdf", pdf("Tides.", password="")).text == "Tides."
    with pytest.raises(ReadError, match="password"):
        only(tmp_path, "a.pdf", pdf("Tides.", password="secret"))
    with pytest.raises(ReadError, match="damaged or not a PDF"):
        only(tmp_path, "a.pdf", b"%PDF-1.7 \0\0\0")


@pytest.mark.parametrize(
    "content",
    [
        "EncryptedPackage".encode("utf-16-le"),
        b"\x09\x08\x10\x00" + bytes(16) + b"\x2f\x00\x36\x00" + bytes(54),
    ],
    ids=["xlsx", "xls"],
)
def test_a_workbook_with_a_password_says_so(tmp_path: Path, content: bytes) -> None:
    """The stream or the record that encrypted workbooks have, in the container of both formats."""
    container = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512)
    with pytest.raises(ReadError, match=r"a\.xlsx needs a password"):
        only(tmp_path, "a.xlsx", container + content + bytes(512))
    with pytest.raises(ReadError, match="not a workbook"):
        only(tmp_path, "b.xlsx", container + bytes(1024))
