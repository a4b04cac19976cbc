"""Readers: dispatch, decoding, normalisation, plain text, Markdown and JSON Lines."""

from __future__ import annotations

import hashlib
import json
import os
import random
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.corpus.normalised_text import line_of, normalise
from ragcli.corpus.read import read
from ragcli.corpus.read.decode import decode, is_binary
from ragcli.corpus.read.file_text import FileText
from ragcli.corpus.read.markdown import structured
from ragcli.corpus.read.registry import reader_of
from ragcli.errors import ReadError
from ragcli.types import ParsedDocument, Skipped, Source

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89"


def source(folder: Path, name: str, content: bytes | str = "text") -> Source:
    """Write a file and return its record; its id differs from its path on purpose."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return Source(f"docs/{name}", str(path), path.stat().st_size, 0)


def document(folder: Path, name: str, content: bytes | str) -> ParsedDocument:
    """Return the one document of a file."""
    (found,) = read(source(folder, name, content))
    assert isinstance(found, ParsedDocument)
    return found


def markdown(text: str) -> ParsedDocument:
    """Return the structure of a Markdown text."""
    return structured(FileText(text)).document("a.md", "")


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.doc", b"\xd0\xcf\x11\xe0 \0\0\0", "no reader for .doc files yet"),
        ("a.PPT", PNG, "no reader for .ppt files yet"),
        ("a.epub", b"", "empty file"),
        ("a.pdf", b"", "empty file"),
        ("a.docx", b"", "empty file"),
        ("a.html", PNG, "binary file"),
        ("a.ppt", b"text", "no reader for .ppt files yet"),
        ("a.ps", b"%!PS-Adobe-3.0\n/x 1 def", "no reader for .ps files yet"),
        ("Makefile", b"all:\0", "binary file"),
        ("a.png", PNG, "a picture, which may be a scan"),
        ("a.txt", PNG, "binary file"),
        ("a.md", bytes(range(256)) * 40, "binary file"),
        ("a.jsonl", PNG, "binary file"),
        ("a.txt", b"", "empty file"),
        ("a.md", b" \r\n\t\x0c\n", "empty file"),
        ("a.txt", b"\xef\xbb\xbf", "empty file"),
        ("a.jsonl", b"\n\n", "empty file"),
    ],
)
def test_what_is_no_document_is_skipped(
    tmp_path: Path, name: str, content: bytes, reason: str
) -> None:
    """Each file that gives no document gives one reason."""
    assert list(read(source(tmp_path, name, content))) == [Skipped(f"docs/{name}", reason)]


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.jsonl", "a.dat"])
def test_file_without_permission(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A file that cannot be opened is a ReadError with the system's reason."""
    found = source(tmp_path, name)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(ReadError, match=f"docs/{name}: Permission denied"):
        list(read(found))


def test_file_that_is_gone(tmp_path: Path) -> None:
    """A file that vanished after the scan is a ReadError."""
    with pytest.raises(ReadError, match="No such file"):
        list(read(Source("a.txt", str(tmp_path / "a.txt"), 0, 0)))


def test_suffixes() -> None:
    """The suffix alone tells whether there is a reader, in any case of letters."""
    assert all(map(reader_of, ("a.txt", "b/A.MD", "x.markdown", "y.log", "z.jsonl")))
    assert not any(map(reader_of, ("a.ppt", "txt", ".md", "a.txt.orig")))


def test_text_file(tmp_path: Path) -> None:
    """A text file has no title; its hash is over its bytes."""
    raw = "\ufeffLine one\r\nLine two\r".encode()
    found = document(tmp_path, "a.txt", raw)
    assert (found.id, found.title, found.text) == ("docs/a.txt", "", "Line one\nLine two\n")
    assert found.sha256 == hashlib.sha256(raw).hexdigest()
    assert found.line_starts == (0, 9, 18)


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"]
)
def test_encodings(encoding: str) -> None:
    """Western text is read in every usual encoding, with or without a mark."""
    text = "The café “Größe” costs £5 – naïve, isn’t it?\nYes."
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("latin-1", "Der große Fuß: fünf Pfund für schöne Häuser über den Dächern."),
        ("latin-1", "A £5 note."),
        ("utf-16-le", "ok"),
        ("cp1251", "Вчера мы были на лугу, где растут красивые цветы и поют птицы."),
        ("cp1250", "Wczoraj byliśmy na łące, gdzie rosną piękne kwiaty i śpiewają ptaki późno."),
    ],
)
def test_older_encodings(encoding: str, text: str) -> None:
    """One-byte encodings are told apart by language; cp1252 when in doubt."""
    assert decode(text.encode(encoding)) == text


def test_damaged_text() -> None:
    """A few bad bytes in UTF-8 do not turn the rest into another encoding."""
    assert decode("naïve café, größe".encode() + b"\xff.") == "naïve café, größe\ufffd."
    assert decode(b"\xff\xfea\0b\0c") == "ab\ufffd"
    assert decode(b"caf\xe9 \x81") == "café \x81"


def test_binary_and_text() -> None:
    """A stray NUL is forgiven, and a sample that ends inside a character is text."""
    assert not is_binary(b"a line of text with a \0 in it")
    assert not is_binary("é".encode() * 32767 + b"xx" + "é".encode())
    assert not is_binary(b"\x1b[1mcoloured\x1b[0m log \x1b[2m")
    noise = random.Random(1).randbytes(2000)
    assert is_binary(b"\xff\xfe" + noise) and decode(b"\xff\xfe" + noise) is None
    assert is_binary(b"\xff\xfe\0\0" + noise)
    for text in ("a", "Die Brücke von Köln", "北京是中华人民共和国的首都", "😀 \ue000", "Ж" * 3000):
        for encoding in ("utf-16", "utf-32", "utf-8-sig"):
            assert decode(text.encode(encoding)) == text
    assert is_binary(b"\x7fELF\x02\x01\x01" + bytes(9))
    assert decode(PNG) is None


def test_normalisation() -> None:
    """Line ends, marks, controls, form feeds and composed letters, in a worked example."""
    text, starts = normalise("\ufeffe\u0301a\r\nb\fc\rd\0\x07\te\n")
    assert text == "éa\nb c\nd  \te\n"
    assert starts == (0, 3, 7, 13)


@given(st.text(st.characters(codec="utf-8") | st.sampled_from("\r\n\f\0e\u0301\ufeff")))
def test_normalised_text(raw: str) -> None:
    """Normalised text is NFC without controls, stays as it is, and has the original's lines."""
    text, starts = normalise(raw)
    assert unicodedata.is_normalized("NFC", text)
    assert not set(text) & {chr(code) for code in range(32) if code not in (9, 10)}
    lines = raw.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert len(starts) == len(lines)
    for start, line in zip(starts, lines, strict=True):
        assert text.startswith(normalise("x" + line)[0][1:] if line.isascii() else "", start)
    assert list(starts) == sorted(set(starts))


def test_lines_of_the_original(tmp_path: Path) -> None:
    """Offsets give lines of the file, also after composed letters, CRLF and form feeds."""
    raw = "one\r\ntwo e\u0301e\u0301\fstill two\r\n\r\nfour"
    found = document(tmp_path, "a.txt", raw)
    words = {"one": 1, "two": 2, "still": 2, "four": 4}
    assert {word: line_of(found, found.text.index(word)) for word in words} == words
    assert line_of(found, len(found.text)) == 4


def test_markdown_file(tmp_path: Path) -> None:
    """Title, headings and protected blocks are found; the text is the file's."""
    text = (
        "Intro.\n\n# The `big` [Guide](x.md) #\n\nText\n\nRoads\n-----\n\n"
        "```py\n# no heading\n```\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\nafter\n\n### Deep {#id}\n"
    )
    found = document(tmp_path, "a.md", text)
    assert (found.text, found.title) == (text, "The big Guide")
    assert [(text[at:][:5], level, title) for at, level, title in found.headings] == [
        ("# The", 1, "The big Guide"),
        ("Roads", 2, "Roads"),
        ("### D", 3, "Deep"),
    ]
    assert [text[start:end] for start, end in found.protected] == [
        "```py\n# no heading\n```",
        "| a | b |\n|---|:-:|\n| 1 | 2 |",
    ]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: From matter\nx: 1\n---\n\nText", "From matter"),
        ("---\ntitle: 'Quoted: it'\n...\n## Sub\n", "Quoted: it"),
        ("---\ntitle: Matter\n# comment\n---\n# Heading\n", "Heading"),
        ("---\nNo matter, a rule\n---\n", ""),
        ("Heading\n===\n", "Heading"),
        ("## Only second\n", ""),
        ("#hashtag\n", ""),
        ("#\n# Second\n", "Second"),
        ("    # indented code\n", ""),
        ("# C#\n", "C#"),
        ("```\n# in code\n", ""),
        ("~~~\n# in code\n```\n# still\n~~~\n# Out\n", "Out"),
        ("```inline``` code\n# Out\n", "Out"),
        ("text\n---\nmore", ""),
        ("a\nb\n===\n", ""),
    ],
)
def test_markdown_titles(text: str, title: str) -> None:
    """The first heading of level 1 is the title, else the front matter's."""
    assert markdown(text).title == title


def test_unclosed_fence_reaches_the_end() -> None:
    """As in CommonMark, a code block that is not closed takes the rest."""
    assert markdown("a\n\n```\nb\n\n# c").protected == ((3, 13),)


@given(
    st.lists(
        st.sampled_from(["# a\n", "b\n", "===\n", "```\n", "|x|y|\n", "|-|-|\n", "\n", "--- "])
    )
)
def test_markdown_structure_is_in_order(parts: list[str]) -> None:
    """Headings and blocks are in order and apart, and no heading lies in a block."""
    found = markdown("".join(parts))
    offsets = [offset for offset, _, _ in found.headings]
    assert offsets == sorted(set(offsets))
    edges = [edge for block in found.protected for edge in block]
    assert edges == sorted(edges)
    assert not any(start <= at < end for at in offsets for start, end in found.protected)


def test_json_lines(tmp_path: Path) -> None:
    """Each record is a document; each line that is none is skipped with its number."""
    lines = [
        b"\xef\xbb\xbf" + json.dumps({"_id": "a", "title": " A\nb ", "text": "x\r\ny"}).encode(),
        b"",
        b'{"_id": 7, "text": "seven", "extra": [1]}',
        b'{"text": "no id"}\r',
        b"{broken",
        b'["a", "list"]',
        b'{"_id": "t", "text": 5}',
        b'{"_id": "a", "text": "again"}',
        b'{"_id": "e", "text": " "}',
        b'{"_id": 1.5, "text": "x"}',
        b'{"_id": "s", "text": "\\ud800"}',
        b'{"_id": "l", "text": "caf\xe9"}',
        b'{"_id": "last", "title": null, "text": "end"}',
    ]
    found = list(read(source(tmp_path, "c.jsonl", b"\n".join(lines))))
    documents = [part for part in found if isinstance(part, ParsedDocument)]
    assert [(part.id, part.title, part.text, part.first_line) for part in documents] == [
        ("docs/c.jsonl#a", "A b", "x\ny", 1),
        ("docs/c.jsonl#7", "", "seven", 3),
        ("docs/c.jsonl#L4", "", "no id", 4),
        ("docs/c.jsonl#last", "", "end", 13),
    ]
    assert documents[0].sha256 == hashlib.sha256(b"A b\0x\ny").hexdigest()
    assert line_of(documents[1], 3) == 3
    skipped = [part for part in found if isinstance(part, Skipped)]
    assert [part.id.removeprefix("docs/c.jsonl:") for part in skipped] == [
        str(line) for line in range(5, 13)
    ]
    assert skipped[0].reason.startswith("not JSON")
    assert skipped[3].reason == "the _id a occurs twice"
    assert skipped[4].reason == "the text is empty"


def test_json_lines_without_records(tmp_path: Path) -> None:
    """A file of other JSON gives only skipped lines."""
    found = list(read(source(tmp_path, "q.jsonl", '{"question": "x"}\n{"question": "y"}\n')))
    assert [part.id for part in found] == ["docs/q.jsonl:1", "docs/q.jsonl:2"]
    assert all(isinstance(part, Skipped) for part in found)


def test_ids_of_records_cannot_steer_a_terminal(tmp_path: Path) -> None:
    """Control characters are escaped as in names of files; letters of any script stay."""
    lines = ['{"_id": "a\\u001b[2J\\nb\\u009b", "text": "x"}', '{"_id": "日本", "text": "y"}']
    found = list(read(source(tmp_path, "c.jsonl", "\n".join(lines).encode())))
    assert [part.id for part in found] == [
        "docs/c.jsonl#a\\x1b[2J\\nb\\x9b",
        "docs/c.jsonl#日本",
    ]


def test_json_lines_are_streamed(tmp_path: Path) -> None:
    """The first record is there before the rest of the file is read."""
    path = tmp_path / "c.jsonl"
    path.write_text('{"_id": 1, "text": "one"}\n' + '{"text": "x"}\n' * 100_000)
    parts = read(Source("c.jsonl", str(path), 0, 0))
    first = next(parts)
    path.write_text("")
    assert isinstance(first, ParsedDocument)
    assert sum(1 for _ in parts) < 100_000
