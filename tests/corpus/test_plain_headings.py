"""Headings of plain text."""

import pytest

from ragcli.corpus.chunk import chunk
from ragcli.corpus.read.plain_headings import headings_in
from ragcli.types import ParsedDocument


def paths(text: str) -> list[str]:
    """The path of headings at each line of a text that is not empty."""
    document = ParsedDocument("a.txt", "", "", text, headings=headings_in(text))
    (made,) = chunk(document, lambda part: [i for i, c in enumerate(part) if c == " "])
    found = []
    at = 0
    for line in text.split("\n"):
        if line.strip():
            above = [path for start, path in made.headings if start <= at + len(line)]
            found.append(above[-1] if above else "")
        at += len(line) + 1
    return found


MANUAL = """\
NAME
       foo - does what bar does not

OPTIONS
       -l level
              Sets the level, which is 3 unless this is given.

       --wait
              Waits.
"""


def test_a_manual_page() -> None:
    """Sections and options head what is indented below them."""
    assert paths(MANUAL) == [
        *("NAME", "NAME", "OPTIONS", "OPTIONS > -l level", "OPTIONS > -l level"),
        *("OPTIONS > --wait", "OPTIONS > --wait"),
    ]


def test_underlined_headings() -> None:
    """Levels follow the order in which the marks first occur."""
    text = "Guide\n=====\n\nSome words.\n\nRoads\n-----\n\nMore.\n\nRails\n-----\n\nLess.\n"
    found = [(level, title) for _, level, title in headings_in(text)]
    assert found == [(1, "Guide"), (2, "Roads"), (2, "Rails")]


def test_releases() -> None:
    """A line by itself with a version is the heading of a change log, indented or not."""
    text = (
        "version 1.30 - Ann Lee, 2017-12-17\n\n* A fix.\n\n"
        "Changes with foo 1.2.1                  25 May 2021\n\n    *) Bugfix: another.\n\n"
        "1.2.0 (2021-01-11)\n\n    * First.\n"
    )
    found = [title for _, _, title in headings_in(text) if title]
    assert found == [
        *("version 1.30 - Ann Lee, 2017-12-17", "Changes with foo 1.2.1 25 May 2021"),
        "1.2.0 (2021-01-11)",
    ]


@pytest.mark.parametrize(
    ("text", "marked", "other"),
    [
        (  # as GNU programs write their news; a list
            "News\n\n* Changes in 1.11 (2021-09-03)\n\n** Bug fixes\n\n  zgrep works.\n",
            [(1, "Changes in 1.11 (2021-09-03)"), (2, "Bug fixes")],
            "* One thing is left.\n\n* Another thing is left.\n",
        ),
        (  # marks of Markdown in release notes without a suffix; comments of a script
            "# Foo 6.9 (2024-11-20)\n\nSome words.\n\n## Foo 6.9.1\n\n- A fix.\n",
            [(1, "Foo 6.9 (2024-11-20)"), (2, "Foo 6.9.1")],
            "# Foo makes bars.\n\nbar()\n\n# End of it\n\nexit\n",
        ),
        (  # marks of AsciiDoc; a formula
            "== Glow 1.2\n\nText.\n\n=== Fixes\n\nNone.\n",
            [(2, "Glow 1.2"), (3, "Fixes")],
            "== 5\n\nIs it so?\n\na = b\n",
        ),
    ],
)
def test_outlines(text: str, marked: list[tuple[int, str]], other: str) -> None:
    """Marks of two levels are those of an outline; the same marks in other texts are not."""
    assert [(level, title) for _, level, title in headings_in(text)] == marked
    assert headings_in(other) == ()


def test_a_section_ends_with_its_indentation() -> None:
    """Text at the column of the heading does not belong to it."""
    assert paths("Example\n\n    foo --bar\n\nThis is no example any more, it seems.\n") == [
        *("Example", "Example", "")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "It is not a heading that ends as a sentence does.\n    Quoted words.\n",
        "The men who had carried the rope to the hut before the snow came went\n    down again.\n",
        "- an item of a list\n    that goes on\n",
        "one line\nanother line\n    a third line\n",
        "Dear Sir,\n    I have received your letter.\n",
        "                  VAUTRIN & FILLE\n            Instruments since 1932\n"
        "                 14 quai des Tanneurs\n\nMr Wierzba\n",
        "                    VAUTRIN\n                 Instruments\n                    Marenz\n",
        "3.5 kg of salt were left.\n\nNobody knew why.\n",
    ],
)
def test_prose_has_no_headings(text: str) -> None:
    """Layouts of prose that resemble headings."""
    assert headings_in(text) == ()


def test_an_underlined_title_of_two_lines() -> None:
    """Both are the title; the end of a paragraph of three lines is none."""
    text = "Date 2020-12-30\nSummary: release 7.2\n-----------------\n- A fix.\n"
    assert headings_in(text) == ((0, 1, "Date 2020-12-30 Summary: release 7.2"),)
    assert headings_in("One line\nand another\nand a third\n-----------\nend\n") == ()
