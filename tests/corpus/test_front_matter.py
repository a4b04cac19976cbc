"""Front matter as fields, also that of hostile files; the metadata of records."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.corpus.read import read
from ragcli.corpus.read.front_matter import LONGEST_VALUE, MOST, fields
from ragcli.corpus.read.registry import Registered
from ragcli.types import ParsedDocument, Source


def of(folder: Path, name: str, text: str) -> list[ParsedDocument]:
    """The documents of a file with this text."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    found = read(Source(name, str(path), len(text), 0))
    return [item for item in found if isinstance(item, ParsedDocument)]


@pytest.mark.parametrize(
    ("matter", "expected"),
    [
        ("title: A\nDate: 2026-01-31", (("title", "A"), ("date", "2026-01-31"))),
        ("at: 2026-01-31 10:00:00", (("at", "2026-01-31T10:00:00"),)),
        ("tags:\n- a\n- a\n- 2", (("tags", "a"), ("tags", "2"))),
        ("a: {b: {c: 1}, d: [x]}", (("a.b.c", "1"), ("a.d", "x"))),
        ("draft: yes\nnone: ~\nempty: ''", (("draft", "true"),)),
        ("text: >\n  one\n  two", (("text", "one two"),)),
        ("author: [unclosed", ()),
        ("date: 2026-13-45", ()),
        ("a: &x [1]\nb: *x", ()),
        ("a: !!python/object/apply:os.system ['true']", ()),
        ("? [1, 2]\n: x\nkey: y", ()),
        ("a: !!bool foo", ()),
        ("a: !!timestamp foo", ()),
        ("a: !!int ''", ()),
        ("a: !!float ''", ()),
        ("a: 0x" + "F" * 5000, ()),
        ("a: 1" + ":00" * 3000, ()),
        ("a: 1" + ":00" * 3000 + ".5", ()),
        ('a: "\\UFFFFFFFF"', ()),
        ("%YAML " + "9" * 5000 + ".1\n--- {a: b}", ()),
    ],
)
def test_fields(matter: str, expected: tuple[tuple[str, str], ...]) -> None:
    assert fields(f"---\n{matter}\n---\n") == expected


def test_a_bomb_of_aliases_costs_nothing() -> None:
    """Ten lines of aliases would stand for a billion values."""
    bomb = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 40))
    began = time.process_time()
    assert fields(f"---\n{bomb}---\n") == ()
    assert time.process_time() - began < 1


def test_depth_and_size_are_limited() -> None:
    began = time.process_time()
    assert fields("---\na: " + "[" * 9000 + "]" * 9000 + "\n---\n") == ()
    assert time.process_time() - began < 1, "12 s where PyYAML reads to the end"
    assert fields("---\na: " + "x" * 30_000 + "\n---\n") == ()
    many = fields("---\na: [" + ", ".join(map(str, range(1000))) + "]\nb: " + "y" * 900 + "\n---\n")
    assert len(many) == MOST
    (long,) = fields("---\nb: " + "y" * 900 + "\n---\n")
    assert len(long[1]) == LONGEST_VALUE


TAGS = "bool int float null timestamp binary omap pairs set str seq map value merge python/tuple"
SCALARS = ["", "''", "foo", ".5", "0x", "0b2", "1:99", "-.inf", "2026-99-99", "=", "<<", "~", "no"]
SCALARS += ["[]", "[a]", "{}", "{a: b}", "[[a, b]]", r'"\uD800"', r'"\U00110000"', "\U0001f600"]
SCALARS += ["1" * 5000, "0x" + "F" * 5000, "1" + ":59" * 3000, "1" + ":59" * 3000 + ".5", "1e999"]


@given(st.sampled_from(["", *(f"!!{tag}" for tag in TAGS.split())]), st.sampled_from(SCALARS))
def test_no_tag_and_scalar_is_an_error(tag: str, scalar: str) -> None:
    """As a value, in a list, and as a key."""
    for body in (f"a: {tag} {scalar}", f"a:\n- {tag} {scalar}", f"? {tag} {scalar}\n: b"):
        for name, value in fields(f"---\nx: y\n{body}\n---\n"):
            assert name and value and "\n" not in name + value


@given(st.text(max_size=80))
def test_no_text_is_an_error(body: str) -> None:
    for name, value in fields(f"---\nkey: {body}\n---\n"):
        assert name and value and "\n" not in name + value


def test_no_surrogate_leaves_a_reader(tmp_path: Path) -> None:
    """SQL takes none; a title, a heading and a field may be written with an escape."""
    matter = r'"t\uD800": "a\uDFFF"'
    (found,) = of(tmp_path, "a.md", f"---\na: b\n{matter}\n---\nText.")
    assert found.fields == (("a", "b"), ("t\ufffd", "a\ufffd"))


def test_no_surrogate_leaves_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a reader gives."""
    bad = "x\udc80"
    made = ParsedDocument(f"a#{bad}", "", bad, bad, headings=((0, 1, bad),), fields=((bad, bad),))
    monkeypatch.setattr(Registered, "read", lambda *_: iter([made]))
    (found,) = of(tmp_path, "a.txt", "")
    good = "x\ufffd"
    assert (found.id, found.title, found.text) == (f"a#{good}", good, good)
    assert (found.headings, found.fields) == (((0, 1, good),), ((good, good),))


def test_the_text_keeps_its_front_matter(tmp_path: Path) -> None:
    """Fields are read beside the text, which stays as it is."""
    text = "---\ntitle: T\nauthor: Ann\n---\n# Heading\n\nBody.\n"
    (found,) = of(tmp_path, "a.md", text)
    assert found.text == text and found.title == "Heading"
    assert found.fields == (("title", "T"), ("author", "Ann"))
    (plain,) = of(tmp_path, "b.md", "# Heading\n\n---\nauthor: Ann\n---\n")
    assert plain.fields == ()


def test_the_metadata_of_records(tmp_path: Path) -> None:
    """It is part of the record, so a change of it is a change of the document."""
    lines = [
        '{"_id": "1", "text": "One.", "metadata": {"Author": "Ann", "tags": ["a", "b"]}}',
        '{"_id": "2", "text": "One.", "metadata": {"Author": "Bob"}}',
        '{"_id": "3", "text": "One.", "metadata": "none"}',
        '{"_id": "4", "text": "One."}',
    ]
    found = of(tmp_path, "r.jsonl", "\n".join(lines))
    assert found[0].fields == (("author", "Ann"), ("tags", "a"), ("tags", "b"))
    assert found[2].fields == found[3].fields == ()
    hashes = [document.sha256 for document in found]
    assert hashes[2] == hashes[3] and len(set(hashes)) == 3
