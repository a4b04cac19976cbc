"""Release notes: the date of a version, and the version whose notes tell of a change."""

from __future__ import annotations

import pytest

from ragcli.answer.lookup.releases import release_answer, release_in
from ragcli.answer.view import look
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


def test_titles_about_earlier_releases_name_none() -> None:
    """ "Changes since version 2.4.1" is about another release."""
    assert release_in("Foo > Changes since version 2.4.1") == ""
    assert release_in("Upgrading from 3.1 to 4.0") == ""
    assert release_in("Python 3.11 at a glance of all that one would ever want to know") == ""
