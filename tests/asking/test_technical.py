"""Questions about manuals and release notes: identifiers, headings, typing errors."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from searching import Search, searching

from ragcli.asking.ask import ask_in
from ragcli.asking.spelling import read_as
from ragcli.config import Settings
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Answer

NOTES = """\
Foo {version} release notes

This release of the foo database fixes a defect. When a file was locked, foo {other} waited
for it without end. The defect is known as CVE-20{number}-1234 and was found by {finder}.
Everybody who uses foo should upgrade at once.
"""

MANUAL = """\
NAME
       foo - a database of everything

OPTIONS
       --max-header-size bytes
              Sets how long a header may be.  The default is 4096.

       --max-body-size bytes
              Sets how long a body may be.  The default is 70000.

       --wait-for-lock
              Waits until the other process has released its lock.
"""

CHANGES = """\
# Changes

## 21.1.0 (2024-03-02)

- The bar command is faster now, because it reads each file once.

## 21.0.4 (2023-11-30)

- The bar command no longer fails for files with an empty name.
"""


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Search]:
    """A store of release notes that differ in little, a manual and a change log."""
    top = tmp_path_factory.mktemp("technical")
    docs = top / "docs"
    docs.mkdir()
    versions = [
        ("2.35.2", "22", "Ann Lee"),
        ("2.36.0", "23", "Jon Berg"),
        ("2.37.1", "24", "Mo Fu"),
    ]
    for i, (version, number, finder) in enumerate(versions):
        text = NOTES.format(version=version, other=versions[i - 1][0], number=number, finder=finder)
        (docs / f"{version}.txt").write_text(text)
    (docs / "foo.1.txt").write_text(MANUAL)
    (docs / "CHANGES.md").write_text(CHANGES)
    index(IndexRequest(top / "store", (docs,)), Settings(workers=1))
    with searching(top / "store", Settings()) as search:
        yield search


def answer(opened: Search, question: str) -> Answer:
    """Ask without a language model."""
    return ask_in(
        opened.index, AskedQuestion(question), Settings(answer="extractive"), opened.helpers
    ).answer


@pytest.mark.parametrize("version", ["2.35.2", "2.36.0", "2.37.1"])
def test_the_release_that_is_asked_about_comes_first(opened: Search, version: str) -> None:
    """Each of the others is mentioned in the notes of its successor, too."""
    question = opened.understand(f"Which CVE was fixed in foo {version}?")
    hits = opened.hits(question, "auto", 3)
    assert hits[0].doc == f"{version}.txt" and "holds the identifier" in hits[0].via[0].note


def test_a_question_without_identifiers_is_not_reordered(opened: Search) -> None:
    """The order is that of the walk."""
    question = opened.understand("Who found the defect with locked files?")
    walked = [hit.start for hit in opened.hits(question, "walk", 5)]
    assert [hit.start for hit in opened.hits(question, "auto", 5)] == walked


def test_the_date_of_a_release_stands_in_its_heading(opened: Search) -> None:
    """The heading is read, and quoted."""
    reply = answer(opened, "When was 21.1.0 released?").reply
    assert "2024-03-02" in reply.text and "2023" not in reply.citations[0].quote


def test_an_option_heads_its_description(opened: Search) -> None:
    """Two descriptions differ by their heading only."""
    result = answer(opened, "What is the default of --max-body-size?")
    (hit,) = [hit for hit in result.hits if hit.doc == "foo.1.txt"][:1]
    at = hit.start + hit.text.index("70000")
    paths = [path for start, path in hit.headings if start <= at]
    assert paths[-1] == "OPTIONS > --max-body-size bytes"


def test_a_mistyped_word_is_read_as_the_nearest_one(opened: Search) -> None:
    """The note says so; words of the language and words of the documents are left alone."""
    assert "read 'databse' as 'database'" in answer(opened, "What is the foo databse?").reply.note

    def count(word: str) -> int:
        return 1 if word == "warts" else 2

    found = read_as(
        [opened.index], AskedQuestion("warts waits databse Databse --wait-for-lokc"), count
    )
    assert found == {"databse": "database"}
    assert read_as([opened.index], AskedQuestion("upgrde"), count) == {"upgrde": "upgrade"}
