"""Release notes: the date of a version, and the version whose notes tell of a change."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragcli.answer.lookup.releases import release_answer
from ragcli.answer.view import look
from ragcli.text.releases import release_in
from ragcli.types import Context, Part

from ..makers import encode

NOTES = """Changes

2.4.3 - 2021-11-05

Fix a crash of the lantern when the wick is wet. Users of 2.4.2 should upgrade.

2.4.2

Release date: 3 March 2021

Add an option for green glass.

Changes since version 2.4.1

Drop support for whale oil.
"""
TITLES = ("Changes", "2.4.3 - 2021-11-05", "2.4.2", "Changes since version 2.4.1")


def notes(begin: int = 0) -> Part:
    """The notes from an offset on, with the headings of the whole."""
    paths = []
    for title in TITLES:
        path = title if title == "Changes" else f"Changes > {title}"
        paths.append(
            (NOTES.index(f"{title}\n"), path.replace("Changes > Ch", "Changes > 2.4.2 > Ch"))
        )
    above = [path for at, path in paths if at <= begin]
    headings = [(begin, above[-1]), *(pair for pair in paths if pair[0] > begin)]
    text = NOTES[begin:]
    return Part(1, "NEWS", "Changes", begin, len(NOTES), 1, 20, text, headings=tuple(headings))


def answered(question: str, part: Part) -> tuple[str, str] | None:
    """The answer and what stands at its place; None if there is no answer."""
    view = look(question, Context((part,), 0), encode=encode, entities=(), pool=24)
    found = release_answer(question, [part], view)
    if found is None:
        return None
    return found.text, part.text[found.start - part.start : found.end - part.start]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When was lantern 2.4.3 released?", "2021-11-05"),
        ("When did version 2.4.2 come out?", "3 March 2021"),
        ("In which version was a crash fixed when the wick is wet?", "2.4.3"),
        ("Which release added an option for green glass?", "2.4.2"),
        ("Since which version is there an option for green glass?", "2.4.2"),
        ("When was a crash fixed when the wick is wet?", "2021-11-05"),
    ],
)
def test_headings_tell_of_releases(question: str, answer: str) -> None:
    """The date stands in the heading or right below it; the version in the heading above."""
    assert answered(question, notes()) == (answer, answer)


@pytest.mark.parametrize(
    "question",
    [
        "When was lantern 2.4.1 released?",  # only named in a title about changes since then
        "When was lantern 2.4 released?",
        "Which version of brass is used for the green glass?",
        "Which version sends pigeons to the harbour?",
        "When is the wick wet?",
    ],
)
def test_what_no_heading_tells(question: str) -> None:
    """A version that is only mentioned has no date here; other questions are not about releases."""
    assert answered(question, notes()) is None


def test_a_heading_outside_the_passage_has_no_place() -> None:
    """The version is known from the heading; the passage that begins below it does not hold it."""
    part = notes(NOTES.index("Drop support"))
    assert answered("Which version dropped support for whale oil?", part) == ("2.4.2", "")


def test_the_heading_in_another_passage() -> None:
    """What tells of the change and what has the heading may be two passages of the document."""
    below, before = notes(NOTES.index("Drop support")), notes()
    before = replace(before, n=2, end=NOTES.index("Drop"), text=NOTES[: NOTES.index("Drop")])
    question = "Which version dropped support for whale oil?"
    view = look(question, Context((below,), 0), encode=encode, entities=(), pool=24)
    found = release_answer(question, [below, before], view)
    assert found and found.part is before
    assert before.text[found.start : found.end] == "2.4.2"


def test_the_kind_of_a_change() -> None:
    """Of two sentences about one thing the one that tells of the change asked for."""
    lid = "the brass lid of the old lantern"
    text = f"## 2.0\n\nDeprecate {lid}.\n\n## 1.9\n\nDrop {lid}.\n"
    headings = ((0, "2.0"), (text.index("## 1.9"), "1.9"))
    part = Part(1, "NEWS", "", 0, len(text), 1, 7, text, headings=headings)
    assert answered("In which version was the brass lid of the old lantern removed?", part) == (
        "1.9",
        "1.9",
    )


def test_titles_about_earlier_releases_name_none() -> None:
    """ "Changes since version 2.4.1" is about another release."""
    assert release_in("Foo > Changes since version 2.4.1") == ""
    assert release_in("Upgrading from 3.1 to 4.0") == ""
    assert release_in("Python 3.11 at a glance of all that one would ever want to know") == ""
