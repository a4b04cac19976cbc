"""Terms of lists: which option does something, and what an option does."""

from __future__ import annotations

import pytest

from ragcli.answer.lookup.terms import term_answer
from ragcli.answer.view import look
from ragcli.types import Context, Part

from ..makers import encode

TEXT = """OPTIONS

-c, --count

Print only a count of matching lines for each file.

-v

Select the lines that do not match. With -c, count them.

LANTERN_COLOURS

The colours of the matches. With rainbow, every match has its own colour.

Colour output

Output has colours on a terminal.
"""
HEADINGS = ("OPTIONS", "-c, --count", "-v", "LANTERN_COLOURS", "Colour output")


def page(name: str, text: str = TEXT) -> Part:
    paths = tuple(
        (text.index(f"{term}\n"), term if term == "OPTIONS" else f"OPTIONS > {term}")
        for term in HEADINGS
    )
    n = len(name)  # another number for each page
    return Part(n, f"{name}.1", f"{name} 1", 0, len(text), 1, 30, text, headings=paths)


LANTERN = page("lantern")


def answered(question: str, *parts: Part) -> str | None:
    """The words of the answer, read at its place."""
    context = Context(parts or (LANTERN,), 0)
    view = look(question, context, encode=encode, entities=(), pool=24)
    found = term_answer(question, context.parts, view)
    if found is None:
        return None
    assert 0 < found.confidence < 1
    return found.places[0].text


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which option of lantern prints only a count of matching lines?", "-c, --count"),
        ("What is the flag to print a count of the matching lines?", "-c, --count"),
        ("Which variable of lantern sets the colours of the matches?", "LANTERN_COLOURS"),
        ("What does lantern -v do?", "Select the lines that do not match."),
        ("What does LANTERN_COLOURS mean?", "The colours of the matches."),
        ("What is --count?", "Print only a count of matching lines for each file."),
        (
            "What does LANTERN_COLOURS rainbow mean?",
            "With rainbow, every match has its own colour.",
        ),
    ],
)
def test_terms_and_their_meaning(question: str, answer: str) -> None:
    """A term above the sentence that is about the question; a sentence below the term asked for."""
    assert answered(question) == answer


@pytest.mark.parametrize(
    "question",
    [
        "Which option of lantern sends the mail by carrier pigeon?",  # nothing is about it
        "Which variable has output with colours on a terminal?",  # a heading, but no identifier
        "What does lantern -V do?",  # another option than -v
        "What does the lantern do?",
        "Which options were of interest to the council?",
        "How many matching lines does -c print?",
    ],
)
def test_other_questions(question: str) -> None:
    """They are left to the reader."""
    assert answered(question) is None


LISTED = """Options of the lantern

- `--wick SIZE` – Set the size of the wick.
- `--oil` – Name the kind of oil. The default is rapeseed.

usage: lantern [options]
  -q, --quiet      burn without a sound
  -x               put out the light

| Setting | Kind | Meaning |
|---|---|---|
| `LANTERN_HOME` | path | The folder of all lanterns. |

export LANTERN_WICK="cotton - waxed"
"""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which option sets the size of the wick?", "--wick SIZE"),
        ("Which option lets the lantern burn without a sound?", "-q, --quiet"),
        ("Which variable is the path of the folder of all lanterns?", "LANTERN_HOME"),
        ("What does --oil do?", "Name the kind of oil."),
        ("What does -x do?", "put out the light"),
        ("What is LANTERN_WICK?", None),
        ("What is LANTERN_HOME for?", "The folder of all lanterns."),
    ],
)
def test_terms_in_lines_of_their_own(question: str, answer: str | None) -> None:
    """In a Markdown list, in the help of a program, in a table."""
    part = Part(1, "README.md", "Lantern", 0, len(LISTED), 1, 15, LISTED)
    assert answered(question, part) == answer


def test_the_program_that_is_asked_about() -> None:
    """Two programs have the option: the one named in the question answers."""
    other = page("candle", TEXT.replace("Select the lines", "Melt the lines"))
    assert answered("What does candle -v do?", LANTERN, other) == (
        "Melt the lines that do not match."
    )
    assert answered("What does lantern -v do?", other, LANTERN) == (
        "Select the lines that do not match."
    )


SETTINGS = """## 2.0.1 (2024-05-02)

Set the height of the flame of a lantern from the shell.

### `flameHeight`

Set the height of the flame of a lantern.

### Flames of lanterns

Set the flame of a lantern as you wish.

- `USR2` &mdash; put out the light of the lantern

| Code | Meaning |
| ---- | ------- |
| <a id="LNT003">LNT003</a> | The wick is `wet`. |
"""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which option sets the height of the flame of a lantern?", "flameHeight"),
        ("What does the USR2 signal do?", "put out the light of the lantern"),
        ("What does LNT003 mean?", "The wick is `wet`."),
        ("What does HUP mean?", None),
        ("What does the night light of USR2 do?", None),
    ],
)
def test_settings_without_dashes(question: str, answer: str | None) -> None:
    """An option may be a heading without a dash, never a version; a signal is in capitals."""
    titles = ("2.0.1 (2024-05-02)", "`flameHeight`", "Flames of lanterns")
    paths = tuple((SETTINGS.index(f"{t}\n"), t.strip("`")) for t in titles)
    part = Part(1, "d.md", "", 0, len(SETTINGS), 1, 15, SETTINGS, headings=paths)
    assert answered(question, part) == answer


CODES = """# Codes

## EXIT STATUS

5:
The file is missing.

Bit 3:
The disk fails.

| Error | Error Codes | Meaning |
| ----- | ----------- | ------- |
| `WickError` | `ERR_WICK` | the wick burnt down too early. |

## burn-time

* Default: 10
* Type: Number

How long the lamp burns in the yard.

## wick-size: <cm>

How wide the wick of the lamp is.

## TLS for lamps

Set `LAMP_KEY` to read the lamp's letters.

## progress

### refresh

Seconds between two looks.
"""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What does exit status 5 mean?", "The file is missing."),
        ("What does exit status 7 mean?", None),
        ("Which bit tells that the disk fails?", "Bit 3"),
        ("Which error code means that the wick burnt down too early?", "ERR_WICK"),
        ("What does ERR_WICK mean?", "the wick burnt down too early."),
        ("What does burn-time do?", "How long the lamp burns in the yard."),
        ("What does burn do?", None),
        ("Which option sets how wide the wick of the lamp is?", "wick-size"),
        ("Which environment variable must be set to read the lamp's letters?", None),
        ("What does progress.refresh set?", "Seconds between two looks."),
    ],
)
def test_codes_and_plain_names(question: str, answer: str | None) -> None:
    """Numbers and names in small letters are terms where the question names them so."""
    titles = (
        "Codes",
        "EXIT STATUS",
        "5:",
        "Bit 3:",
        "burn-time",
        "wick-size: <cm>",
        "TLS for lamps",
    )
    above = {"5:": "EXIT STATUS > ", "Bit 3:": "EXIT STATUS > "}
    paths = [(CODES.index(f"{t}\n"), above.get(t, "") + t) for t in titles]
    paths += [(CODES.index("progress\n"), "progress")]
    paths += [(CODES.index("refresh\n"), "progress > refresh")]
    part = Part(1, "d.md", "", 0, len(CODES), 1, 15, CODES, headings=tuple(paths))
    assert answered(question, part) == answer


def test_a_heading_is_found_above_two_passages() -> None:
    """Where two passages were joined, the heading is in force, and does not stand there."""
    text = "## save-exact\n\nType: Boolean\n\nStores lamps without a range.\n"
    again = text.index("Stores")
    headings = ((0, "save-exact"), (again, "save-exact"))
    part = Part(1, "d.md", "", 0, len(text), 1, 5, text, headings=headings)
    assert answered("Which option stores lamps without a range?", part) == "save-exact"
