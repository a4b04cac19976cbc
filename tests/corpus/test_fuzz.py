"""Every reader on damaged files: real files of each format, changed at random, and any bytes; front
matter, tables and mail also put together from parts that have meant trouble.

A file gives documents that hold together, or one reason; its reader may be killed, and the next
file is read. ``FUZZ_EXAMPLES`` sets how many files of each format are tried (``make fuzz``).
"""

from __future__ import annotations

import io
import os
import random
import zipfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragcli.corpus.read.registry import BUILT_IN
from ragcli.corpus.read_limits import ReadLimits
from ragcli.corpus.read_pool import ReadPool
from ragcli.errors import ReadError
from ragcli.text.terminal import harmless_line
from ragcli.types import ParsedDocument, Skipped, Source

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "3"))
DATA = Path(__file__).parent.parent / "data"
MAIL = b"""Received: from a by b;\n Mon, 1 Jan 2024 00:00:00 +0000
From: =?utf-8?q?Gr=C3=BC=C3=9Fe?= <a@b>
Date: Mon, 1 Jan 2024 00:00:00 +0000\nSubject: Mill\nMIME-Version: 1.0
Content-Type: multipart/mixed; boundary="==1"\n
--==1\nContent-Type: multipart/alternative; boundary="==2"\n
--==2\nContent-Type: text/plain; charset="utf-8"\nContent-Transfer-Encoding: quoted-printable\n
The mill burnt=20=\ndown.=0AIt was rebuilt.\n
--==2\nContent-Type: text/html; charset="utf-8"\nContent-Transfer-Encoding: base64\n
PHA+VGhlIG1pbGw8L3A+\n--==2--
--==1\nContent-Type: text/csv\nContent-Disposition: attachment; filename="a.csv"\n
Town,Mayor\nRibe,Ann\n--==1--
"""
FROM = b"From a@b Mon Jan  1 00:00:00 2024\n"
MATTER = b"---\ntitle: A\ntags: [a, b]\ndate: 2026-01-31\nat: {town: Skive}\n---\n# A\n\nB.\n"
SEEDS = {
    path.name: path.read_bytes()
    for path in sorted(DATA.iterdir())
    if path.suffix.lower() in BUILT_IN
}
SEEDS |= {"a.eml": MAIL, "a.mbox": FROM + MAIL + b"\n" + FROM + MAIL, "1.host:2,S": MAIL}
SEEDS |= {"matter.md": MATTER}
PARTS = [b"\0", b"\xff\xfe", b"<" * 50, b"[" * 200, b'{"a":' * 200, b"\x1b]0;x\x07", b"&#" * 20]
PARTS += [b"\\begin{a}" * 50, b"(" * 100, b"{\\rtf" * 50, b"\r\n\r\n", "\u202e".encode(), b"-" * 99]

fuzz = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(scope="module")
def pool() -> Iterator[ReadPool]:
    with ReadPool(ReadLimits(seconds=30, megabytes=2048)) as opened:
        yield opened


def changed(content: bytes, seed: int) -> bytes:
    """The content with one to four changes: bytes flipped, parts put in, doubled or cut out."""
    chance = random.Random(seed)
    made = bytearray(content)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(made) + 1)
        end = min(len(made), at + chance.choice((1, 8, 100, 5000)))
        change = chance.randrange(4)
        if change == 0:
            made[at:end] = bytes(chance.randrange(256) for _ in made[at:end])
        elif change == 1:
            made[at:at] = chance.choice(PARTS)
        elif change == 2:
            made[at:at] = made[at:end] * chance.choice((1, 20))
        else:
            del made[at:end]
    return bytes(made)


def holds_together(pool: ReadPool, path: Path, content: bytes) -> None:
    """Read a file through the pool and check what comes out."""
    path.write_bytes(content)
    source = Source(path.name, str(path), len(content), 0)
    ((_, documents),) = pool.each([source])
    try:
        for found in documents:
            check(source, found)
    except ReadError as error:
        assert harmless_line(error.message) == error.message
        assert not error.message.startswith("stopped")


def check(source: Source, found: ParsedDocument | Skipped) -> None:
    if isinstance(found, Skipped):
        assert harmless_line(found.reason) == found.reason
        return
    text = found.text
    assert found.id.startswith(source.id) and text.strip() and text.encode("utf-8")
    assert list(found.line_starts) == sorted(found.line_starts)
    assert all(0 <= at <= len(text) for at in found.line_starts)
    assert all(0 <= at <= len(text) for at, _, _ in found.headings)
    assert all(0 <= start <= end <= len(text) for start, end in found.protected)
    names = (name for _, _, name in found.headings)
    assert all(part.encode("utf-8") for part in (found.id, *chain(names, *found.fields)) if part)


@pytest.mark.parametrize("name", SEEDS)
@fuzz
@given(seed=st.integers(0, 2**32))
def test_a_damaged_file(name: str, pool: ReadPool, tmp_path: Path, seed: int) -> None:
    holds_together(pool, tmp_path / name, changed(SEEDS[name], seed))


TAGS = ["", "!", "!x", "!!x", "&a", "*a", "? ", "- ", "|\n  ", ">-\n  "]
TAGS += [
    f"!!{n}" for n in "bool int float null timestamp binary omap pairs set str seq map".split()
]
SCALARS = ["", "''", "foo", "[]", "[a, {b: c}]", "{}", ".inf", "2026-99-99", "=", "<<", "~", "no"]
SCALARS += [
    r'"\uD800"',
    r'"\U00110000"',
    r'"\UFFFFFFFF"',
    "1e999",
    "1_0",
    "0b",
    "0x",
    "@",
    "%",
    "\t",
]
SCALARS += [
    "9" * 5000,
    "0x" + "F" * 5000,
    "1" + ":59" * 3000,
    "1" + ":59" * 3000 + ".5",
    "[" * 3000,
]
# Control characters make a file binary.
SCALAR = st.sampled_from(SCALARS) | st.text(st.characters(exclude_categories=["C"]), max_size=20)
ENTRY = st.tuples(st.sampled_from(TAGS), SCALAR)


@fuzz
@given(entries=st.lists(ENTRY, min_size=1, max_size=6))
def test_front_matter(pool: ReadPool, tmp_path: Path, entries: list[tuple[str, str]]) -> None:
    """Of any tags and scalars: the text below is read."""
    lines = [f"k{n}: {tag} {scalar}" for n, (tag, scalar) in enumerate(entries)]
    text = "\n".join(["---", *lines, "---", "Text."])
    path = tmp_path / "a.md"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    ((_, documents),) = pool.each([Source(path.name, str(path), len(text), 0)])
    (found,) = documents
    assert isinstance(found, ParsedDocument) and found.text.endswith("Text.")
    check(Source(path.name, str(path), 0, 0), found)


CELL = st.sampled_from(
    ["", " ", "Town", "At:", "1", " 41 ", "2026-01-31", "1e999", "a\nb", '"', "'"]
)
CELL |= st.text(max_size=8)
TYPE = st.sampled_from(["", ' t="n"', ' t="s"', ' t="b"', ' t="e"', ' t="d"', ' t="str"', ' t="?"'])


@fuzz
@given(
    rows=st.lists(st.lists(CELL, max_size=5), max_size=12),
    between=st.sampled_from([",", ";", "\t", " | "]),
    kind=TYPE,
)
def test_a_table(
    pool: ReadPool, tmp_path: Path, rows: list[list[str]], between: str, kind: str
) -> None:
    """Of any cells, as text and as the numbers of a workbook."""
    text = "\n".join(between.join(row) for row in rows)
    holds_together(pool, tmp_path / "a.csv", text.encode("utf-8", "replace"))
    cells = "".join(
        f'<row r="{at}">{"".join(f"<c{kind}><v>{escape(cell)}</v></c>" for cell in row)}</row>'
        for at, row in enumerate(rows, start=1)
    )
    made = io.BytesIO()
    with zipfile.ZipFile(DATA / "towns.xlsx") as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            rest = old.read(name).partition(b"<sheetData>") if "sheet1" in name else ()
            part = (
                b"".join(rest[:2]) + cells.encode("utf-8", "replace") + b"</sheetData></worksheet>"
            )
            new.writestr(name, part if rest else old.read(name))
    holds_together(pool, tmp_path / "a.xlsx", made.getvalue())


HEADER = st.sampled_from(["From", "Date", "Subject", "To", "Content-Type", "Content-Disposition"])
HEADER |= st.just("Content-Transfer-Encoding")
VALUE = st.sampled_from(
    ["text/plain", "text/html; charset=undefined", "message/rfc822", "base64", "8bit"]
)
VALUE |= st.sampled_from(
    ['multipart/mixed; boundary="1"', "multipart/alternative; boundary=", "x-uue"]
)
VALUE |= st.sampled_from(
    ["quoted-printable", 'attachment; filename="../a.csv"', "=?utf-8?b?/w==?="]
)
VALUE |= st.sampled_from(["Mon, 99 Foo 2024", "a@b <c", "text/calendar", "inline", "\n x"])
LINE = st.sampled_from(
    ["", "--1", "--1--", "--", "=", "=0A=", "=C3", "YWJj\nCg==", "From x", ">From x"]
)
LINE |= st.tuples(HEADER, VALUE).map(": ".join)


@pytest.mark.parametrize("name", ["a.eml", "a.mbox", "Inbox"])
@fuzz
@given(
    lines=st.lists(LINE | st.text(max_size=20), max_size=25), end=st.sampled_from(["\n", "\r\n"])
)
def test_mail(pool: ReadPool, tmp_path: Path, name: str, lines: list[str], end: str) -> None:
    """Of any headers, boundaries and encodings."""
    text = end.join(["From: a@b", "Date: Mon, 1 Jan 2024 00:00:00 +0000", *lines, ""])
    begin = b"" if name == "a.eml" else FROM
    holds_together(pool, tmp_path / name, begin + text.encode("utf-8", "replace"))


@pytest.mark.parametrize("suffix", [*sorted(BUILT_IN), "", ".unknown"])
@fuzz
@given(content=st.binary(max_size=300) | st.text(max_size=300).map(lambda text: text.encode()))
def test_any_bytes(suffix: str, pool: ReadPool, tmp_path: Path, content: bytes) -> None:
    holds_together(pool, tmp_path / f"any{suffix}", content)
