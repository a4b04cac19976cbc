"""What a reply shows of a document: as much as explains the quote, and no more."""

from __future__ import annotations

import re

import pytest

from ragcli.answer import AnswerModels
from ragcli.answer.extractive import extractive
from ragcli.answer.passages import extent_of, passages
from ragcli.models.open_reader import open_reader
from ragcli.text.asked_question import AskedQuestion
from ragcli.text.shown_lines import shown_lines
from ragcli.types import Citation, ShownPassage

from .makers import context_of, encode, part_of

TABLE = "| Time | What |\n|---|---|\n" + "".join(f"| {n}:00 | Task {n} |\n" for n in range(1, 15))
SMALL_TABLE = "".join(TABLE.splitlines(True)[:4])
LIST = "\n".join(f"- Item {n} is kept in the shed." for n in range(1, 15))
SMALL_LIST = "Bring these:\n\n- a rope\n- a lamp\n  with oil\n\nThen go."
CODE = (
    "The password is stored. To set it anew, run:\n\n```sh\nfoo passwd --reset\n\n"
    "# as root\nfoo restart\n```\n\nNothing else is needed.\n"
)
INDENTED = "Call it so::\n\n    foo(1)\n\n    foo(2)\n\nIt returns 3. That is odd.\n"
TERMS = "granite\n    A hard rock. It is grey.\n\nmarble\n    A soft rock. It is white.\n"
OPTION = "--reset\n        Forgets the key.\n\n        A new key is made. It is short.\n"
LONG = " ".join(f"Sentence {n} of the long paragraph tells what was done." for n in range(1, 40))
HEADED = "## Old\n\nIt was red.\n\n## New\n\nIt is blue.\n\nIt shines.\n\n## Later\n\nIt rusts.\n"


def shown(text: str, quote: str) -> tuple[str, str]:
    """The text shown for a quote, and the line above it."""
    start = text.index(quote)
    found = extent_of(part_of(text), start, start + len(quote))
    return text[found.start : found.end], found.head.text if found.head else ""


@pytest.mark.parametrize(
    ("text", "quote", "first", "last", "head"),
    [
        (TABLE, "| 9:00 | Task 9 |", "| 7:00", "| 11:00 | Task 11 |", "| Time | What |"),
        (SMALL_TABLE, "| 1:00 | Task 1 |", "| Time", "| 2:00 | Task 2 |", ""),
        (LIST, "- Item 9 is kept in the shed.", "- Item 7", "11 is kept in the shed.", ""),
        (f"These:\n\n{LIST}", "- Item 9 is kept in the shed.", "- Item 7", "shed.", "These:"),
        (f"These:\n\n{LIST}", "These:", "These:", "- Item 14 is kept in the shed.", ""),
        (SMALL_LIST, "- a lamp", "Bring these:", "with oil", ""),
        (CODE, "To set it anew, run:", "The password", "foo restart\n```", ""),
        (CODE, "foo restart", "The password", "foo restart\n```", ""),
        (INDENTED, "Call it so::", "Call it so::", "    foo(2)", ""),
        (INDENTED, "foo(2)", "Call it so::", "    foo(2)", ""),
        (TERMS, "It is grey.", "granite", "It is grey.", ""),
        (OPTION, "It is short.", "--reset", "It is short.", ""),
        (f"--reset\n        {LONG}\n", "Sentence 20 of", "Sentence 17", "done.", "--reset"),
        (HEADED, "It is blue.", "It is blue.", "It shines.", ""),
        ("It is. See:\n\nThat one.", "It is.", "It is.", "That one.", ""),
        (f"It is.\n\nWe use these:\n\n{LIST}", "It is.", "It is.", "It is.", ""),
    ],
)
def test_a_quote_is_shown_in_its_context(
    text: str, quote: str, first: str, last: str, head: str
) -> None:
    """Rows have the head of their table; lists and code are whole and announced; terms stand by."""
    found, above = shown(text, quote)
    assert quote in found and above == head
    assert found.startswith(first) and found.rstrip().endswith(last)


@pytest.mark.parametrize(
    "block",
    [
        "```sh\n# first\nstop\n\nstart\n```\n",
        "   stop\n\n   start\n",
        "- stop\n- start\n",
        "Stop it. Start it.\n",
    ],
)
def test_a_colon_announces_the_whole_block(block: str) -> None:
    """All code, all items, the whole paragraph; nothing of what comes after."""
    announcing = "You can use these to restart the pump::"
    text = f"# Guide\n\n{announcing}\n\n{block}\n## Later\n\nIt hums then.\n"
    found, _ = shown(text, announcing)
    assert found == f"{announcing}\n\n{block.rstrip()}"


def test_a_question_how_to_is_answered_with_what_is_announced() -> None:
    """Another document, which is about another thing, is not quoted instead."""
    guide = (
        "Archives",
        "## How can I compare an archive?\n\nYou can use `export-tar` to perform the comparison:"
        "\n\n```\nring export-tar a | tar --compare\n```\n",
    )
    context = context_of(guide, ("Songs", "The choir can compare songs by ear.\n"))
    models = AnswerModels(encode, open_reader(), min_confidence=0.0)
    reply = extractive(AskedQuestion("How can I compare an archive?"), context, models)
    (found,) = passages(reply.citations, lambda *_: context.parts[0])
    assert found.doc == reply.citations[0].doc == context.parts[0].doc
    assert "export-tar` to perform" in found.text and "ring export-tar a | tar" in found.text


def test_a_long_paragraph_is_cut_at_sentences() -> None:
    """Three to eight rows, whole sentences, those of the quote among them."""
    found, _ = shown(LONG, "Sentence 20 of")
    assert found.startswith("Sentence 1") and found.endswith("done.")
    assert 160 < len(found) <= 640


def cited(n: int, text: str, quote: str, doc: str = "a.md") -> Citation:
    start = text.index(quote)
    return Citation(n, doc, doc, start, start + len(quote), 1, 1, quote)


def made(text: str, *citations: Citation) -> tuple[ShownPassage, ...]:
    marks = [(match.start(), match[0]) for match in re.finditer(r"^## .*", text, re.MULTILINE)]
    part = part_of(text, tuple(marks))
    return passages(citations, lambda _store, _doc, _start, _end: part)


def test_near_quotes_are_shown_together_and_far_ones_apart() -> None:
    """Each with its highlights, exactly."""
    text = f"{HEADED}\n{LONG}\n\n{LONG.replace('long', 'other')}"
    near = made(text, cited(1, text, "It shines."), cited(2, text, "It is blue."))
    assert len(near) == 1 and near[0].n == 1
    assert [text[a:b] for a, b in near[0].highlights] == ["It is blue.", "It shines."]
    assert text[near[0].start : near[0].end] == near[0].text
    far = made(text, cited(1, text, "It shines."), cited(2, text, "Sentence 20 of the other"))
    assert [p.n for p in far] == [1, 2] and far[0].end < far[1].start
    below = made(text, cited(1, text, "It was red."), cited(2, text, "It is blue."))
    assert len(below) == 2
    other = made(text, cited(1, text, "It shines."), cited(2, text, "It is blue.", "b.md"))
    assert [p.doc for p in other] == ["a.md", "b.md"]


@pytest.mark.parametrize(("path", "first"), [("Foo > NAME", "foo"), ("Before", "NAME")])
def test_a_heading_at_the_begin_of_a_part_is_not_shown(path: str, first: str) -> None:
    """A heading that is in force there, but stands before it, is none of its lines."""
    text = "NAME\n\nfoo tells it.\n"
    start = text.index("foo")
    found = extent_of(part_of(text, ((0, path),)), start, start + 13)
    assert text[found.start :].startswith(first)


def test_lines_are_shown_without_markup_and_code_with_its_flags() -> None:
    """Roles, links and emphasis as words; marks where the quote stands."""
    text = (
        "## Keys\n\nSee :option:`--key` and [the `log`](x.md) of **all**\nruns [here][].\n\n"
        ".. option:: --reset <n>\n\n   Run ``foo --x=*`` now::\n\n      foo **kw --y\n"
    )
    code = [(text.index("      foo"), len(text))]
    lines = shown_lines(text, [(text.index("See"), text.index("runs") + 4)], code)
    assert [line.text for line in lines] == [
        "Keys",
        "",
        "See --key and the log of all",
        "runs here.",
        "",
        " --reset <n>",
        "",
        "   Run foo --x=* now::",
        "",
        "      foo **kw --y",
    ]
    assert [line.runs for line in lines[2:4]] == [
        (("See --key and the log of all", True),),
        (("runs", True), (" here.", False)),
    ]
    assert lines[-1].code and not lines[2].code
