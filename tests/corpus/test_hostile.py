"""Files that are made to hurt: each gives a document, or an error that names it, in little time."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import os
import re
import socket
import sys
import time
import unicodedata
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from email.message import EmailMessage
from itertools import pairwise
from pathlib import Path
from typing import Any

import docx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.corpus.normalised_text import normalise
from ragcli.corpus.read import archive, jsonl, read
from ragcli.corpus.read.decode import bytes_of, web_encoding
from ragcli.corpus.read.html import text_of
from ragcli.corpus.read.html_tokens import html_tokens
from ragcli.corpus.read_limits import ReadLimits
from ragcli.corpus.read_pool import ReadPool
from ragcli.corpus.scan import scan
from ragcli.errors import ReadError
from ragcli.text.sentences import sentences
from ragcli.types import ParsedDocument, Skipped, Source


def source(folder: Path, name: str, content: bytes) -> Source:
    path = folder / name
    path.write_bytes(content)
    return Source(name, str(path), len(content), 0)


@contextmanager
def soon(seconds: float = 8.0) -> Iterator[None]:
    """Fail if the block takes more processor time; what it replaces took minutes."""
    begin = time.process_time()
    yield
    assert time.process_time() - begin < seconds


@pytest.mark.parametrize(
    "name", [b"undefined", b"unicode_escape", b"raw_unicode_escape", b"base64", b"rot13", b"idna"]
)
def test_only_encodings_of_text_are_believed(tmp_path: Path, name: bytes) -> None:
    """Python's other codecs raise errors of their own, or make halves of characters."""
    page = b"<meta charset=" + name + b"><p>caf\xe9 \\ud800 \\x41</p>"
    (found,) = read(source(tmp_path, "a.html", page))
    assert isinstance(found, ParsedDocument)
    assert found.text.startswith("café") and found.text.encode("utf-8")


def test_encodings_of_the_web() -> None:
    """Every name stands for a codec of text that decodes any byte or refuses it."""
    for label in ("utf-8", "latin1", "windows-1252", "shift_jis", "euc-kr", "gb2312", "koi8-r"):
        name = web_encoding(label)
        assert codecs.lookup(name).name == name
        with_any_byte = bytes(range(256)).decode(name, "replace")
        assert with_any_byte.encode("utf-8")
    assert web_encoding("x" * 1000) == "utf-8"


@pytest.mark.parametrize(
    ("reference", "shown"),
    [
        ("&#" + "6" * 5000, "\ufffd"),
        ("&#" + "0" * 5000 + "65;", "A"),
        ("&#x" + "0" * 5000 + "41;", "A"),
        ("&#" + "0" * 5000, "\ufffd"),
        ("&#xd800;", "\ufffd"),
        ("&#" + ";", "&#;"),
    ],
)
def test_numbers_of_characters(reference: str, shown: str) -> None:
    """Python refuses to read more than 4,300 digits as a number."""
    assert text_of(f"<p>a{reference} b").text == f"a{shown} b"


@pytest.mark.parametrize(
    "part",
    "<!--|<a |<?|</a|<![CDATA[|<!|<a b='|<a b=\"|</|<a/|<script>|<svg>|</p>|<svg><nav>|<title>x"
    "|&|&#|<h1>a|<pre>\n|<|<li>".split("|"),
)
@pytest.mark.parametrize("end", ["", "'\">-->]]>"])
def test_unclosed_markup_takes_linear_time(part: str, end: str) -> None:
    """Whatever is opened 20,000 times and never closed."""
    with soon():
        text_of("<p>text" + part * 20_000 + end)


@pytest.mark.parametrize(
    "line",
    [
        "a|b\n|" + "- " * 1000 + " " * 200_000 + "x",
        "`" * 200_000 + "x`",
        "~~~\n" * 40_000,
        "---\n" + "a: b\n" * 40_000,
        "# " + "[" * 200_000,
        "a\n" + "=" * 200_000 + "x",
        "|" * 200_000 + "\n|" + "-|" * 100_000 + "x",
        "# a" + " #" * 100_000 + "x",
    ],
)
def test_markdown_takes_linear_time(tmp_path: Path, line: str) -> None:
    """Long lines that are nearly a table, a fence, front matter or a heading."""
    with soon():
        (found,) = read(source(tmp_path, "a.md", f"text\n\n{line}\n\nmore\n".encode()))
        (front,) = read(source(tmp_path, "a.md", line.encode()))
    assert isinstance(found, ParsedDocument) and isinstance(front, ParsedDocument)


def test_hidden_elements_in_hidden_elements() -> None:
    """n open elements and n end tags of others, and n pairs inside n open elements."""
    with soon():
        text_of("<svg>" * 20_000 + "</p>" * 20_000)
        text_of("<svg>" * 20_000 + "</nav>" * 20_000)
        text_of("<nav>" * 20_000 + "<svg></svg>" * 20_000)


@given(st.text(alphabet="<>/!-[]?&#x;0aAé=\"' \n\rbscript", max_size=300))
def test_tokens_of_any_page(page: str) -> None:
    """Lines never go back and lie inside the page; text is never a half character."""
    lines = [token.line for token in html_tokens(page)]
    assert lines == sorted(lines)
    assert not lines or lines[-1] <= 1 + page.count("\n") + page.count("\r")
    assert all(token.value.encode("utf-8") for token in html_tokens(page))


def test_rows_of_combining_marks() -> None:
    """Ordering n marks takes n * n steps; a run that no language writes stays as it is."""
    marks = "\u0301\u0323" * 200_000
    with soon():
        text, _ = normalise(f"a{marks}e\u0301")
    assert text == f"a{marks}é"
    short = "a" + "\u0301\u0323" * 15
    assert normalise(short)[0] == unicodedata.normalize("NFC", short)
    assert normalise("a\ud800b")[0] == "a\ufffdb"


@given(st.text(alphabet="ae\u0301\u0323\u0958\uac00\u1100\u1161", max_size=90))
def test_normalising_twice_changes_nothing(text: str) -> None:
    once, _ = normalise(text)
    assert normalise(once)[0] == once


def word(body: str) -> bytes:
    """A Word document whose body is this XML."""
    out = io.BytesIO()
    made: Any = docx.Document()
    made.save(out)
    with zipfile.ZipFile(out) as plain:
        parts = {name: plain.read(name) for name in plain.namelist()}
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    xml = f'<w:document xmlns:w="{space}"><w:body>{body}</w:body></w:document>'
    parts["word/document.xml"] = xml.encode()
    again = io.BytesIO()
    with zipfile.ZipFile(again, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in parts.items():
            packed.writestr(name, content)
    return again.getvalue()


def test_a_small_word_file_that_unpacks_to_much(tmp_path: Path) -> None:
    """It is refused by what the archive declares, before anything is unpacked."""
    bomb = word("<w:p/>" * 6_000_000)
    assert len(bomb) < 1_000_000
    with soon(), pytest.raises(ReadError, match=r"a\.docx is not read: it unpacks to \d+ times"):
        list(read(source(tmp_path, "a.docx", bomb)))


def test_archives_that_declare_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes and members have a limit; what is declared is what is unpacked at most."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in "abc":
            packed.writestr(name, b"12345")
    archive.check_zip(out.getvalue())
    monkeypatch.setattr(archive, "MOST_MEMBERS", 2)
    with pytest.raises(ReadError, match="3 members"):
        archive.check_zip(out.getvalue())
    monkeypatch.setattr(archive, "MOST_MEMBERS", 3)
    monkeypatch.setattr(archive, "MOST_UNPACKED", 14)
    with pytest.raises(ReadError, match="unpacks to 15 bytes"):
        archive.check_zip(out.getvalue())


@pytest.mark.parametrize("width", ["200000000", "-1", "x", "99"])
def test_a_cell_of_many_columns(tmp_path: Path, width: str) -> None:
    """A table has 63 columns at most."""
    cell = f'<w:tc><w:tcPr><w:gridSpan w:val="{width}"/></w:tcPr><w:p><w:r><w:t>x</w:t></w:r></w:p>'
    table = f"<w:tbl><w:tblPr/><w:tblGrid/><w:tr>{cell}</w:tc></w:tr></w:tbl>"
    with soon():
        (found,) = read(source(tmp_path, "a.docx", word(table)))
    assert isinstance(found, ParsedDocument) and found.text == "x"


def sparse(folder: Path, name: str, size: int) -> Source:
    """A file of zeros that takes no space on the disk."""
    path = folder / name
    with path.open("wb") as file:
        file.truncate(size)
    return Source(name, str(path), size, 0)


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.html", "a.docx", "a.pdf"])
def test_a_file_larger_than_memory(tmp_path: Path, name: str) -> None:
    """It is refused by its size."""
    with soon(), pytest.raises(ReadError, match=rf"{name} has 1,099,511,627,776 bytes; at most"):
        list(read(sparse(tmp_path, name, 1 << 40)))


def test_an_endless_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A record is held in memory, so a line has a limit; the records before it are given."""
    monkeypatch.setattr(jsonl, "_MOST_LINE", 100)
    record = b'{"text": "short"}\n'
    long = source(tmp_path, "a.jsonl", record + b'{"text": "' + b"x" * 100 + b'"}\n')
    found = read(long)
    assert isinstance(next(found), ParsedDocument)
    with pytest.raises(ReadError, match=r"a\.jsonl:2 has more than 100 bytes"):
        next(found)


def test_records_nested_without_end(tmp_path: Path) -> None:
    """Brackets in brackets are not JSON beyond the parser's depth."""
    lines = b'{"text": "one"}\n{"text": ' + b"[" * 100_000 + b'\n{"_id": ' + b'{"a":' * 100_000
    one, *rest = read(source(tmp_path, "a.jsonl", lines))
    assert isinstance(one, ParsedDocument)
    assert [item.id for item in rest if isinstance(item, Skipped)] == ["a.jsonl:2", "a.jsonl:3"]


def pipe(path: Path) -> None:
    os.mkfifo(path)


def socket_file(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in folders")
@pytest.mark.parametrize("make", [pipe, socket_file])
@pytest.mark.parametrize("name", ["a.txt", "a.jsonl", "a.html", "a.docx", "a.pdf", "a.bin"])
def test_what_takes_a_files_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], None], name: str
) -> None:
    """Between the scan and reading, a file may become a pipe, whose opening would wait."""
    monkeypatch.chdir(tmp_path)  # the name of a socket has a hundred characters at most
    make(Path(name))
    with pytest.raises(ReadError, match=name):
        list(read(Source(name, name, 5, 0)))


def test_a_file_that_grows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is read as far as it reached when it was opened."""
    growing = source(tmp_path, "a.txt", b"before")
    real = os.fstat

    def grow(number: int) -> os.stat_result:
        info = real(number)
        if Path(growing.path).stat().st_size < 100:
            with Path(growing.path).open("ab") as file:
                file.write(b" after")
        return info

    monkeypatch.setattr(os, "fstat", grow)
    assert bytes_of(growing).startswith(b"before") and len(bytes_of(growing)) < 40


@pytest.mark.skipif(not Path("/proc/kmsg").exists(), reason="no kernel log")
def test_files_of_the_kernel(tmp_path: Path) -> None:
    """They are regular files of no bytes, and reading one may wait for ever."""
    os.symlink("/proc/kmsg", tmp_path / "a.txt")  # noqa: PTH211
    try:
        (found,) = read(Source("a.txt", str(tmp_path / "a.txt"), 0, 0))
    except ReadError:
        return  # not allowed
    assert found == Skipped("a.txt", "empty file")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("README", b"Read this first."),
        ("copyright", "Copyright Müller".encode("latin-1")),
        ("a.unknown", "Über den Dächern von Nizza".encode("utf-16")),
        ("b.unknown", "plain".encode("utf-16-le")),
        ("METADATA", b"Name: x\nVersion: 1\n"),
    ],
)
def test_text_is_text(tmp_path: Path, name: str, content: bytes) -> None:
    """A file of an unknown format is read if it holds no NUL byte, in any encoding."""
    (found,) = read(source(tmp_path, name, content))
    assert isinstance(found, ParsedDocument) and found.text.strip()


@pytest.mark.parametrize("content", [b"text\0more", bytes(range(256)) * 40, b"\x7fELF\2\1\1\0"])
def test_what_is_not_text(tmp_path: Path, content: bytes) -> None:
    """Skipped in a folder; an error if the user has named the very file."""
    junk = source(tmp_path, "junk", content)
    assert list(read(junk)) == [Skipped("junk", "binary file")]
    with pytest.raises(ReadError, match="cannot read junk: binary file"):
        list(read(replace(junk, named=True)))


def test_data_in_an_unknown_format(tmp_path: Path) -> None:
    """Beyond 16 MB only on request."""
    big = source(tmp_path, "dump.sqlx", (b"1, " * 4000 + b"\n") * 1400)
    (found,) = read(big)
    assert isinstance(found, Skipped) and "more than 16 MB" in found.reason
    (found,) = read(replace(big, named=True))
    assert isinstance(found, ParsedDocument)


def drawn(content: str, pages: int) -> bytes:
    """A PDF that lists one page many times."""
    parts = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {pages} /Kids [{'4 0 R ' * pages}] >>",
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 900 900] /Contents 3 0 R /Resources << /Font"
        " << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
    ]
    body, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(f"{len(body):010} 00000 n \n")
        body += f"{number} 0 obj\n{part}\nendobj\n".encode()
    table = f"xref\n0 5\n0000000000 65535 f \n{''.join(places)}trailer << /Root 1 0 R /Size 5 >>"
    return body + f"{table}\nstartxref\n{len(body)}\n%%EOF".encode()


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits on processes")
def test_a_page_that_is_listed_again_and_again(tmp_path: Path) -> None:
    """A small file of many pages is stopped by its time, and the next file is read."""
    line = "(The harbour has a crane and a keeper.) Tj T* " * 400
    bomb = source(tmp_path, "a.pdf", drawn(f"BT /F1 10 Tf 14 TL 72 720 Td {line} ET", 20_000))
    good = source(tmp_path, "b.pdf", drawn("BT /F1 10 Tf 72 720 Td (Crane.) Tj ET", 1))
    limits = ReadLimits(seconds=1)
    with ReadPool(limits) as pool:
        (_, first), (_, second) = pool.each([bomb, good])
        with pytest.raises(ReadError, match=re.escape(limits.too_slow)):
            list(first)
        assert [item.text for item in second if isinstance(item, ParsedDocument)] == ["Crane."]


def test_pages_of_crossing_lines(tmp_path: Path) -> None:
    """Grids without text are no tables, however many lines they have."""
    for lines in (150, 220, 2000):
        grid = "".join(
            f"0 {at} m 900 {at} l S {at} 0 m {at} 900 l S "
            for at in (900 * n / lines for n in range(lines))
        )
        content = f"{grid} BT /F1 3 Tf 100 100 Td (Crane) Tj ET"
        with soon(15):
            (found,) = read(source(tmp_path, "a.pdf", drawn(content, 3)))
        assert isinstance(found, ParsedDocument) and found.text.count("Crane") == 3


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_small_compressed_file_that_unpacks_to_much(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    """Reading stops at the limit."""
    content = pack(b"a" * (40 << 20))
    with soon(), pytest.raises(ReadError, match=r"it unpacks to more than 1[67],[0-9,]* bytes"):
        list(read(source(tmp_path, "a.txt.gz".replace("gz", SUFFIXES[pack.__module__]), content)))


SUFFIXES = {"gzip": "gz", "bz2": "bz2", "lzma": "xz"}


def test_more_combining_marks_than_a_sentence_holds() -> None:
    """There is no good place to divide them; they are text all the same."""
    for text in ("a" + "\u0316\u0301" * 5000, "\u200d" * 3000, "a\ufe0f" * 3000):
        spans = sentences(text)
        assert spans[0][0] == 0 and spans[-1][1] == len(text)
        assert all(a[1] == b[0] for a, b in pairwise(spans))


def test_documents_of_white_space_are_empty(tmp_path: Path) -> None:
    """Whatever the format: nothing can be cut into chunks."""
    for name, content in (("a.1", b".TH A 1\n.PP\n"), ("a.vtt", b"WEBVTT\n\n"), ("a.tex", b"%x\n")):
        for found in read(source(tmp_path, name, content)):
            assert isinstance(found, Skipped) or found.text.strip()


def test_a_small_archive_that_unpacks_to_much(tmp_path: Path) -> None:
    """It is refused as Word files are, before a member is unpacked; so are too many members."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("a.txt", b"a" * (20 << 20))
    with soon(), pytest.raises(ReadError, match=r"a\.zip is not read: it unpacks to 1,0\d+ times"):
        list(read(source(tmp_path, "a.zip", out.getvalue())))


def test_documents_in_a_file_never_share_an_id(tmp_path: Path) -> None:
    """Members called like the sheet of a workbook beside them, and names shown alike."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        packed.writestr("a.jsonl", '{"_id": "x.txt", "text": "a record"}')
        packed.writestr("a.jsonl#x.txt", "a file")
        packed.writestr("b\x01.txt", "one")
        packed.writestr("b\\x01.txt", "two")
    found = list(read(source(tmp_path, "a.zip", out.getvalue())))
    ids = [item.id for item in found]
    assert ids == ["a.zip#a.jsonl#x.txt", r"a.zip#a.jsonl\x23x.txt", r"a.zip#b\x01.txt"]


def test_attachments_with_numbered_names(tmp_path: Path) -> None:
    """Names that look like those given to the second of two; it ends, and each has its own."""
    message = EmailMessage()
    message["Subject"] = "Prices"
    for name in ("3-x.txt", "x.txt", "x.txt", "x.txt", "2-x.txt"):
        message.add_attachment(f"about {name}", filename=name)
    with soon():
        found = list(read(source(tmp_path, "a.eml", bytes(message))))
    assert len({item.id for item in found}) == len(found) == 6


def test_a_message_in_an_encoding_that_is_none(tmp_path: Path) -> None:
    """Codecs of Python that are no encodings of text are not believed in mail either."""
    for name in (b"undefined", b"unicode_escape", b"a\0b", b"utf-7"):
        mail = b"Subject: x\nContent-Type: text/plain; charset=" + name + b"\n\ncaf\xc3\xa9 \\ud800"
        (found,) = read(source(tmp_path, "a.eml", mail))
        assert isinstance(found, ParsedDocument) and found.text.encode()
        assert "caf\u00e9 \\ud800" in found.text


def test_a_file_and_a_record_never_share_an_id(tmp_path: Path) -> None:
    """A file called ``a.jsonl#x.txt`` beside a record "x.txt" of ``a.jsonl``."""
    (tmp_path / "a.jsonl").write_text('{"_id": "x.txt", "text": "a record"}')
    (tmp_path / "a.jsonl#x.txt").write_text("a file")
    found = [document for each in scan([tmp_path]).sources for document in read(each)]
    assert [item.id for item in found] == ["a.jsonl#x.txt", r"a.jsonl\x23x.txt"]


@pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="the system always follows links")
@pytest.mark.parametrize("name", ["a.txt", "a.html"])
def test_a_link_that_takes_the_place_of_a_file_is_not_followed(tmp_path: Path, name: str) -> None:
    """Between the scan and the reading, in this process and in another; a link of before is."""
    private = tmp_path / "private" / name
    (tmp_path / "docs" / "in").mkdir(parents=True)
    private.parent.mkdir()
    private.write_text("secret")
    place = tmp_path / "docs" / name
    place.write_text("public")
    (tmp_path / "docs" / "in" / "real.txt").write_text("linked")
    (tmp_path / "docs" / "z.txt").symlink_to("in/real.txt")
    (file,) = [s for s in scan([tmp_path / "docs"]).sources if s.id == name]
    (link,) = scan([tmp_path / "docs" / "z.txt"]).sources
    place.unlink()
    place.symlink_to(private)
    with ReadPool(ReadLimits()) as pool:
        (_, documents), (_, linked) = pool.each([file, link])
        assert [d.text for d in linked if isinstance(d, ParsedDocument)] == ["linked"]
        with pytest.raises(ReadError, match="cannot read"):
            list(documents)
