"""Readers of structured text: subtitles, JSON, XML, headings of markup, source code, mail."""

from __future__ import annotations

import base64
import contextlib
from dataclasses import replace
from email.message import EmailMessage
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from read_bytes import every, one

from ragcli.corpus.normalised_text import line_of
from ragcli.corpus.read import is_plain
from ragcli.errors import ReadError
from ragcli.types import ParsedDocument, Skipped, Source
from ragcli.types.places import place_of


def headings(found: ParsedDocument) -> list[tuple[int, str, int]]:
    return [(level, name, line_of(found, at)) for at, level, name in found.headings]


SRT = """1
00:00:01,000 --> 00:00:04,000
<i>The lighthouse</i> was built

2
00:00:04,500 --> 00:00:08,000
in 1862 by Karl Sund.

3
01:01:08,000 --> 01:01:10,000
Who pays?
"""


@pytest.mark.parametrize("name", ["a.srt", "a.vtt"])
def test_sentences_of_subtitles_go_on_across_cues(name: str) -> None:
    """With the time and on the line at which they begin."""
    start = "WEBVTT\n\n" if name.endswith("vtt") else ""
    found = one(name, start + SRT.replace(",", "." if start else ","))
    assert "[0:00:01] The lighthouse was built in 1862 by Karl Sund." in found.text
    assert line_of(found, found.text.index("[0:00:01]")) == 3 + start.count("\n")
    assert line_of(found, found.text.index("[1:01:08] Who pays?")) == 11 + start.count("\n")


def test_json_values_have_names_and_paths() -> None:
    """Each value on its line; objects and lists are sections."""
    found = one(
        "a.json",
        '{\n "name": "harbour \\u00e9\\n",\n "cranes": [\n  {"id": "north", "tons": 12},\n'
        '  {"id": "south",\n   "tons": 30}\n ],\n "tags": ["old", "brick"], "open": true\n}',
    )
    assert found.text.split("\n") == [
        "", "name: harbour é", "", "id: north; tons: 12", "id: south", "tons: 30", "",
        "- old; - brick; open: true",
    ]  # fmt: skip
    assert headings(found) == [(1, "cranes", 4), (2, "[1]", 4), (2, "[2]", 5), (1, "tags", 8)]


@pytest.mark.parametrize(
    "content", ["{", "[1,", '{"a" "b"}', "]", '{"a": nul}', "1 2", '{"a": "\\x"}', "/*", "/"]
)
def test_what_is_nearly_json_is_text(content: str) -> None:
    """A template, a log or a cut file is read as it is; nesting has a limit."""
    (found,) = every("a.json", content.encode())
    assert isinstance(found, ParsedDocument) and found.text == content
    with pytest.raises(ReadError, match=r"a\.json is nested too deeply: more than 200 levels"):
        every("a.json", b"[" * 300)


def test_json_with_comments() -> None:
    """As editors and compilers keep their settings, with commas at the end."""
    found = one(
        "a.json", '// top\n{"a": "x // y", /* two\nlines */ "b": [1, 2,], // end\n}\n/* */ // z'
    )
    assert found.text.split("\n") == ["", "a: x // y", "- 1; - 2"]


@given(st.text(alphabet='{}[]:,"a1 \n\\ue.-tf', max_size=60))
def test_any_text_is_json_or_text(content: str) -> None:
    """Never another kind of error."""
    with contextlib.suppress(ReadError):
        assert every("a.json", content.encode())


def test_xml_is_text_with_paths() -> None:
    """Values with the names of their elements; marked words stay in their sentence."""
    found = one(
        "a.xml",
        '<?xml version="1.0"?>\n<shop>\n <book id="b1" price="4">\n'
        "  <title>On <i>Tides</i></title>\n"
        "  <about>The sea\n   rises.</about>\n </book>\n</shop>",
    )
    assert found.title == "On Tides"
    assert found.text.split("\n")[2:] == [
        "id: b1; price: 4", "title: On Tides", "about: The sea rises.",
    ]  # fmt: skip
    assert headings(found) == [(1, "book b1", 3)]


@pytest.mark.parametrize(
    ("label", "encoding"),
    [
        *(("gb2312", "gb2312"), ("euc-kr", "euc-kr"), ("big5", "big5"), ("shift_jis", "cp932")),
        *(("viscii", "utf-8"), ("unicode_escape", "utf-8"), ("ucs-2", "utf-16")),
        *(("u16", "utf-16-be"), ("utf-16", "utf-8"), ("windows-1252", "cp1252")),
    ],
)
def test_xml_in_encodings_that_expat_does_not_read(label: str, encoding: str) -> None:
    words = {"gb2312": "木材", "euc-kr": "나무", "big5": "木材", "cp932": "木材"}.get(
        encoding, "tré"
    )
    content = (
        f'<?xml version="1.0" encoding="{label}"?>\n<list><wood>{words} a\\u0041</wood></list>'
    )
    (found,) = every("a.xml", content.encode(encoding))
    assert isinstance(found, ParsedDocument)
    assert f"wood: {words} a\\u0041" in found.text


def test_xml_entities_are_not_expanded() -> None:
    """Nested entities would fill the memory; the file is text, with their names."""
    bomb = '<!DOCTYPE a [<!ENTITY b "xx"><!ENTITY c "&b;&b;">]><a>&c;</a>'
    assert one("a.xml", bomb).text == bomb


def test_what_is_nearly_xml_is_text() -> None:
    """Templates, and pages called XML; what is binary is left out."""
    assert one("a.xml", "<a><b>{{ tide }}</a>").text == "<a><b>{{ tide }}</a>"
    assert every("a.xml", b"<a>\0\xff\1</a>") == [Skipped("a.xml", "binary file")]


def test_headings_of_markup() -> None:
    """Every kind of markup with its own marks; the text stays as it is."""
    rst = one("a.rst", "=====\nTides\n=====\n\nSea\n---\n\nIt rises.\n\nAnd falls\n.........\n")
    assert headings(rst) == [(1, "Tides", 1), (2, "Sea", 5), (3, "And falls", 10)]
    assert rst.title == "Tides"
    adoc = one("a.adoc", "= Tides\n\n== Sea\n\n----\n== no\n----\n\n=== Moon\n")
    assert headings(adoc) == [(1, "Tides", 1), (2, "Sea", 3), (3, "Moon", 9)]
    org = one("a.org", "#+title: Tides\n* TODO Sea :wet:\n** Moon\n")
    assert (org.title, headings(org)) == ("Tides", [(1, "Sea", 2), (2, "Moon", 3)])
    yaml = one("a.yaml", "services:\n  web:\n    image: nginx\n  db: # x\n    image: pg\n")
    assert headings(yaml) == [(1, "services", 1), (2, "web", 2), (2, "db", 4)]
    ini = one("a.ini", "[paths]\nhome = /x\n\n[times]\nopen = 9\n")
    assert headings(ini) == [(1, "paths", 1), (1, "times", 4)]
    assert ini.text == "[paths]\nhome = /x\n\n[times]\nopen = 9\n"


CODE = {
    "a.py": ("class Crane:\n    def lift(self):\n        pass\n\nasync def run():\n    pass\n",
             [(1, "class Crane", 1), (2, "lift", 2), (1, "run", 5)]),
    "a.js": ("export class Crane {\n  lift(load) {\n  }\n}\nconst run = async (x) => {\n};\n"
             "function stop() {\n  if (x) {\n  }\n}\n",
             [(1, "class Crane", 1), (1, "run", 5), (1, "stop", 7)]),
    "a.go": ("func (c *Crane) Lift(n int) error {\n\treturn nil\n}\n", [(1, "Lift", 1)]),
    "a.rs": ("pub struct Crane {\n}\nimpl Crane {\n    pub fn lift(&self) {\n    }\n}\n",
             [(1, "struct Crane", 1), (1, "impl Crane", 3), (2, "lift", 4)]),
    "A.java": ("public class A {\n  public static void main(String[] a) {\n    run();\n  }\n}\n",
               [(1, "class A", 1), (2, "main", 2)]),
    "a.c": ("#include <x.h>\nstatic int lift(int n) {\n  return n;\n}\n", [(1, "lift", 2)]),
    "a.sh": ("lift() {\n  echo x\n}\n", [(1, "lift", 1)]),
    "a.sql": ("CREATE TABLE cranes (\n id int\n);\n", [(1, "TABLE cranes", 1)]),
    "a.rb": ("module A\n  def lift\n  end\nend\n", [(1, "module A", 1), (2, "lift", 2)]),
}  # fmt: skip


@pytest.mark.parametrize("name", list(CODE))
def test_definitions_are_headings(name: str) -> None:
    """Functions and classes, by indentation; the text is that of the file."""
    content, expected = CODE[name]
    found = one(name, content)
    assert found.text == content
    shown = headings(found)
    assert [heading for heading in shown if heading in expected] == expected


def test_a_definition_stays_whole() -> None:
    """Each body is a protected span that ends where the next definition begins."""
    found = one("a.py", "def a():\n    return 1\n\ndef b():\n    return 2\n")
    assert [found.text[start:end] for start, end in found.protected] == [
        "def a():\n    return 1\n\n",
        "def b():\n    return 2\n",
    ]


def test_latex_without_its_commands() -> None:
    """Words, accents, mathematics and sections; comments and the preamble are left out."""
    found = one(
        "a.tex",
        "\\documentclass{article}\n\\title{On \\emph{Tides}}\n\\begin{document}\n"
        "\\section{The Sea}\\label{s}\nIt is \\textbf{wide}~\\cite{x}, 5\\% of $a_b$. % no\n"
        'M\\"uller \\& S\\o{}n\n\\begin{itemize}\n\\item one\n\\end{itemize}\n\\end{document}\n',
    )
    assert found.title == "On Tides"
    assert found.text.split("\n")[3:9] == [
        "The Sea", "It is wide [x], 5% of $a_b$.", "Müller & Søn", "", "- one", "",
    ]  # fmt: skip
    assert headings(found) == [(2, "The Sea", 4)]


def test_accents_of_manual_pages() -> None:
    """As po4a and Docbook write them for readers of ASCII; names that are no letters vanish."""
    page = r"""Contr\(^ole des pr\('ef\['e]rences, \(:Uber, \(vSkoda, \(,ca, \(/Lód\['z],
c\(oeur, \(Fooui\(Fc, M\(oAl\(oan, \(Cs."""
    text = one("x.1", f".TH X 1\n{page}\n").text
    assert text == (
        "Contrôle des préférences, Über, Škoda, ça, Łódź, cœur, «oui», MÅlån, ."
    )  # fmt: skip


def sections(document: ParsedDocument) -> dict[str, str]:
    """The text below each heading."""
    marks = [(at, name) for at, _, name in document.headings] + [(len(document.text), "")]
    return {
        name: document.text[at:end].removeprefix(name).strip()
        for (at, name), (end, _) in pairwise(marks)
    }


def test_manual_pages() -> None:
    """Lines are filled; terms of lists are headings; a numbered log is no manual page."""
    man = one("ls.1", MAN)
    assert man.title == "ls 1"
    assert [(level, name) for _, level, name in man.headings] == [
        (1, "NAME"), (1, "OPTIONS"), (8, "-a, --all"), (8, "-b, -B"), (9, "deep"), (9, ""),
        (8, "-c FILE"), (8, ""), (8, "-d"), (8, ""),
        (8, "-e, --every"), (8, ""), (8, "-f"), (8, "-g"), (8, ""), (1, "NOTES"),
    ]  # fmt: skip
    found = sections(man)
    assert found["NAME"] == "ls - list"
    assert found["-a, --all"] == "do not ignore entries that begin with a dot."
    assert "\n\n-b, -B\n\nboth\n\ndeep\n\n- one\n1. two\n\n-c FILE\n\n" in man.text
    assert found["-c FILE"] == "reads\nFILE"
    assert found["-d"] == "is an indented block."
    assert found["NOTES"].split("\n\n") == [
        "A paragraph. It goes on.", "x = 1\n  y = 2", "Name | Size\na b | 2", "The end.",
    ]  # fmt: skip
    assert "hidden" not in man.text
    assert line_of(man, man.text.index("goes on")) == MAN[: MAN.index("It goes on")].count("\n") + 1
    assert one("syslog.1", ".5 s late\nnow\n").text == ".5 s late\nnow\n"
    notes = one("6.9", "Foo 6.9\n=======\n\nWords.\n")
    assert [title for _, _, title in notes.headings] == ["Foo 6.9"]


MAN = r"""\" t
.TH LS 1
.de URL
\fIhidden\fP
.  am MTO
.  .
.SH NAME
ls \- list
.SH
OPTIONS
.TP
.BR \-a ", " \-\-all
do not
.I ignore
entries that begin with a
.BR dot .
.TP
.B \-b
.TQ
.B \-B
both
.RS
.IP deep
.RE
.IP \(bu 2
one
.IP 1. 3
two
.IP "-c \fIFILE\fP"
reads
.br
FILE
.PP
.B no
.PP
\fB\-d\fR
.RS 4
is an indented block.
.RE
.IP \-e
.IP \-\-every
two names
.HP
\fB\-f\fR
.IP
as help2man writes it
.sp
\-g
.RS 4
as Asciidoctor does
.RE
.SH NOTES
A paragraph.
It goes on.
.nf
x = 1
  y = 2
.fi
.TS
tab(@);
l l.
Name@Size
_
T{
a
b
T}@2
.TE
.PP
The end.
"""
MDOC = r""".Dd May 1
.Dt LS 1
.Sh NAME
.Nm ls
.Nd list
.Sh SYNOPSIS
.Nm
.Op Fl ab
.Op Ar file ...
.Nm
.Fl -version
.Sh OPTIONS
.An -nosplit
Like
.Xr dir 1 ,
.Nm
takes
.Dq a mark
.Pq Sq \&! .
.Bl -tag -width x
.It Fl a , Fl Ar all
Shows
.Pa .hidden .
.Bl -bullet
.It
one
.It
two
.El
.It Fl O Xo
.Sm off
.Ar what =
.Ar how : Ar why
.Sm on
.Xc
.It Fl P Xo
.Ar port
.Xc
Does it on
.Fx .
.El
.Pp
.Bl -enum
.It
first
.It
second
.El
"""


def test_manual_pages_of_bsd() -> None:
    """What each macro of mdoc shows; its lists with terms, bullets and numbers."""
    mdoc = one("ls.1", MDOC)
    assert [(level, name) for _, level, name in mdoc.headings] == [
        (1, "NAME"), (1, "SYNOPSIS"), (1, "OPTIONS"), (9, "-a, -all"),
        (9, "-O what=how:why, -P port"), (9, ""),
    ]  # fmt: skip
    found = sections(mdoc)
    assert found["NAME"] == "ls – list"
    assert found["SYNOPSIS"] == "ls [-ab] [file ...]\nls --version"
    assert found["OPTIONS"] == "Like dir(1), ls takes “a mark” (‘!’)."
    assert found["-a, -all"] == "Shows .hidden.\n\n- one\n- two"
    assert found["-O what=how:why, -P port"].startswith("Does it on FreeBSD.")
    assert mdoc.text.endswith("\n\n1. first\n2. second")


def test_rtf() -> None:
    """Letters outside ASCII in both notations, notes, fields and pictures."""
    found = one(
        "a.rtf",
        r"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset204 B;}}"
        r"{\info{\title On Tides}}{\pard\outlinelevel0 The Sea\par}\pard M\'fcller \u8364?5 "
        r"{\f1\'cc\'e8\'f0}{\*\unknown hidden}{\footnote A note.}\par{\pict 00ff}end\par}",
    )
    assert found.title == "On Tides"
    assert found.text == "The Sea\n\nMüller €5 Мир [note: A note.]\n\nend"
    with pytest.raises(ReadError, match="not an RTF file"):
        every("a.rtf", b"plain text")


def message() -> EmailMessage:
    made = EmailMessage()
    made["From"], made["To"] = "Ann Lee <ann@example.org>", "bo@example.org"
    made["Subject"] = "Grüße from Skive"
    made.set_content("The märket opens at nine.\n", charset="iso-8859-1")
    made.add_alternative("<p>The <b>market</b> in HTML</p>", subtype="html")
    made.add_attachment("Item,Price\nRye,12\n", subtype="csv", filename="prices.csv")
    made.add_attachment(b"\x89PNG\0\1\2\3" * 20, "image", "png", filename="../p.png")
    return made


def test_a_message_and_its_attachments() -> None:
    """Subject, people, one form of the text; attachments by their own format."""
    mail, prices = every("a.eml", message().as_bytes())
    assert isinstance(mail, ParsedDocument)
    assert isinstance(prices, ParsedDocument)
    assert mail.title == "Grüße from Skive"
    assert mail.text == (
        "From: Ann Lee <ann@example.org>\nTo: bo@example.org\nSubject: Grüße from Skive\n\n"
        "The märket opens at nine.\n\nAttached: prices.csv, p.png"
    )
    assert prices.id == "a.eml#prices.csv"
    assert prices.text == "- Item | Price\n- Item: Rye; Price: 12"
    assert place_of(prices.id, None, 2, 2) == "prices.csv, line 2"


def test_a_mailbox() -> None:
    """Messages by number, on the line on which each begins; "From " inside a text is none."""
    first = b"From a@x Mon Jan  1 00:00:00 2024\nSubject: One\n\nText.\nFrom here on.\n>From x\n\n"
    second = b"From b@x Mon Jan  1 00:00:00 2024\n" + message().as_bytes()
    one_, two, prices = every("a.mbox", first + second)
    assert isinstance(one_, ParsedDocument)
    assert isinstance(two, ParsedDocument)
    assert (one_.id, one_.first_line, two.id, two.first_line) == ("a.mbox#1", 2, "a.mbox#2", 9)
    assert one_.text.endswith("Text.\nFrom here on.\nFrom x")
    assert prices.id == "a.mbox#2#prices.csv"
    assert place_of(two.id, None, 8, 8) == "message 2"


def test_a_page_in_a_message() -> None:
    """A message in HTML only is read as a browser shows it."""
    made = EmailMessage()
    made["Subject"] = "x"
    made.set_content("<style>p{}</style><p>One &amp; two</p>", subtype="html")
    (found,) = every("a.eml", made.as_bytes())
    assert isinstance(found, ParsedDocument)
    assert found.text == "Subject: x\n\nOne & two"


SENTENCES = [
    f"Sentence {n} of the märket is so long that a mail wraps it. End{n}." for n in range(9)
]


def cited(raw: bytes, found: ParsedDocument, word: str) -> bytes:
    """The line of the file on which a citation of this word stands."""
    return raw.splitlines()[line_of(found, found.text.index(word)) - 1]


@pytest.mark.parametrize("encoding", ["quoted-printable", "8bit", "base64"])
@pytest.mark.parametrize("subtype", ["plain", "html"])
@pytest.mark.parametrize("nested", [False, True])
def test_lines_of_a_message(encoding: str, subtype: str, nested: bool) -> None:
    """A citation names the line of the mail, however it is encoded and whatever stands above."""
    made = EmailMessage()
    made["Subject"], made["From"] = "Market", "ann@example.org"
    between = "\n" if subtype == "plain" else "<p>\n"
    made.set_content(between.join(["", "", *SENTENCES]), subtype=subtype, cte=encoding)
    if nested:
        if subtype == "plain":
            made.add_alternative("<p>not read", subtype="html")
        else:
            made.add_related(b"not read", "image", "png")
        made.add_attachment("Item,Price\nRye,12\n", subtype="csv", filename="prices.csv")
    raw = b"Received: from a by b;\n Mon, 1 Jan 2024 00:00:00 +0000\n" + made.as_bytes()
    found = every("a.eml", raw)[0]
    assert isinstance(found, ParsedDocument)
    assert cited(raw, found, "Subject").startswith(b"Subject")
    assert cited(raw, found, "From").startswith(b"From")
    if nested:
        assert b"text/csv" in cited(raw, found, "Attached:")
    for number in range(9):
        begin = f"Sentence {number}"
        line = cited(raw, found, begin)
        shown = (base64.b64decode(line) if encoding == "base64" else line).decode("utf-8", "ignore")
        assert begin in shown or any(shown.endswith(begin[:n]) for n in range(1, len(begin)))
    lines = [line_of(found, found.text.index(f"Sentence {n}")) for n in range(9)]
    assert lines == sorted(set(lines))
    boxed = every("a.mbox", b"From x\n" + raw)[0]
    assert isinstance(boxed, ParsedDocument) and boxed.sha256 != found.sha256
    assert replace(boxed, id=found.id, sha256=found.sha256, first_line=1) == found


def test_empty_lines_between_parts_of_a_message() -> None:
    """They belong to no text, so the next part stands on its own lines."""
    part = b"--1\nContent-Type: text/plain\n\n"
    head = b'Subject: x\nContent-Type: multipart/mixed; boundary="1"\n\n'
    raw = head + part + b"\none\n\n\n\n" + part + b"two\n\nthree\n--1--\n"
    (found,) = every("a.eml", raw)
    assert isinstance(found, ParsedDocument)
    assert [cited(raw, found, word) for word in ("one", "two", "three")] == [
        b"one", b"two", b"three",
    ]  # fmt: skip


MAIL = message().as_bytes()
DATED = b"Date: Mon, 1 Jan 2024 00:00:00 +0000\n" + MAIL
QUOTED = b"From b@x Mon Jan  1 00:00:00 2024\n" + DATED


@pytest.mark.parametrize(
    ("name", "content", "ids"),
    [
        ("1700000000.M1P2.host:2,S", DATED, ["", "#prices.csv"]),
        ("1700000000.M1P2.host", DATED, ["", "#prices.csv"]),
        ("Inbox", QUOTED + b"\n" + QUOTED, ["#1", "#1#prices.csv", "#2", "#2#prices.csv"]),
        ("notes", MAIL, [""]),  # whoever writes a letter writes no date as a server does
        ("notes", b"Dear Ann,\n\n" + DATED, [""]),
        ("a.patch", b"From " + b"1a" * 20 + b" Mon Sep 17 00:00:00 2001\n" + DATED, [""]),
        ("a.txt", DATED, [""]),
    ],
)
def test_mail_without_a_suffix(name: str, content: bytes, ids: list[str]) -> None:
    """Maildir folders and mailboxes of servers are mail; what only looks so remains a text."""
    found = every(name, content)
    assert [item.id for item in found] == [name + inner for inner in ids]
    is_mail = len(ids) > 1
    assert isinstance(found[0], ParsedDocument)
    assert ("MIME-Version" in found[0].text) != is_mail
    assert is_plain(Source(name, name, len(content), 0, content)) != is_mail


@pytest.mark.parametrize("name", ["a.eml", "a.mbox"])
def test_what_is_no_mail(name: str) -> None:
    """A text without a header is not a message."""
    with pytest.raises(ReadError, match="is not a"):
        every(name, b"just some text\n\nand more\n")


SUFFIXES = "eml mbox rtf ipynb zip gz xml srt tex 1 csv yaml rst js".split()


@given(st.binary(max_size=200), st.sampled_from(SUFFIXES))
def test_any_bytes_are_read_or_an_error(content: bytes, suffix: str) -> None:
    """Never another kind of error than ReadError."""
    starts = {"eml": b"From: x\n", "mbox": b"From x\nA: ", "rtf": b"{\\rtf1 ", "1": b".TH a\n"}
    try:
        found = every(f"a.{suffix}", starts.get(suffix, b"") + content)
    except ReadError:
        return
    assert all(isinstance(item, Skipped) or item.text for item in found)
