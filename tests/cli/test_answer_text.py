"""Answers as text: no sentence twice, no marks of Markdown, whole words, links that open."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from ragcli.cli import render
from ragcli.cli.answer_text import as_markdown, as_org, show_answer
from ragcli.cli.places import Place
from ragcli.types import (
    Answer,
    Citation,
    Hit,
    PassageHead,
    Reply,
    ShortAnswer,
    ShownPassage,
    Via,
)

QUOTE = "The **radar** raised the alarm for\nparagliders on sunny afternoons, see [the log][]."
TABLE = "| 17:00 | Bulletin issued | Duty forecaster |"
FIRST = Citation(1, "notes/radar.md", "notes/radar.md", 10, 90, 3, 4, QUOTE)
SECOND = Citation(2, "a b.pdf", "a b.pdf", 0, 40, 1, 1, TABLE, page=3)
REPLY = Reply(
    "The **radar** raised the alarm for paragliders on sunny afternoons, see [the log][]. [1]"
    " | 17:00 | Bulletin issued | Duty forecaster | [2]",
    (FIRST, SECOND),
    "extractive",
    short=ShortAnswer("paragliders", "notes/radar.md", 45, 56, 0.5, 1),
)
PASSAGE = ShownPassage(
    1,
    "notes/radar.md",
    "notes/radar.md",
    0,
    104,
    2,
    5,
    "Radar > **Log**",
    text=f"It snowed.\n{QUOTE} \nRun `x`.",
    highlights=((11, 11 + len(QUOTE)),),
    head=PassageHead(0, 5, "| **Time** | What |"),
)
SHOWN = replace(REPLY, passages=(PASSAGE,), also=(replace(SECOND, n=3, heading="Day"),))
HIT = Hit("notes/radar.md@0", "notes/radar.md", "", 10, 90, 3, 4, QUOTE, 0.5, 1,
          (Via("walk", 1, "names Radar"),))  # fmt: skip
ANSWER = Answer("What?", "auto", REPLY, (HIT,), ("Radar",), 90, {"total": 1.0}, 1)


def nowhere(_found: object) -> None:
    """No document is on this machine."""


def printed(
    capsys: pytest.CaptureFixture[str], answer: Answer = ANSWER, explain: bool = False
) -> str:
    show_answer(answer, nowhere, explain)
    return capsys.readouterr().out


def test_the_passage_is_shown_with_its_place_and_what_answers_marked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """In a pipe a mark stands before the lines of the quote; no sentence is printed twice."""
    assert printed(capsys, replace(ANSWER, reply=SHOWN)).splitlines() == [
        "paragliders  (notes/radar.md:3-4, confidence 50%)",
        "",
        "[1] notes/radar.md:2-5  Radar > Log",
        "  | Time | What | …",
        "  It snowed.",
        "> The radar raised the alarm for",
        "> paragliders on sunny afternoons, see the log.",
        "  Run x.",
        "",
        "also: a b.pdf#page=3 (Day)",
    ]


def test_a_long_line_is_marked_where_it_answers(capsys: pytest.CaptureFixture[str]) -> None:
    """A paragraph on one line is too long to be marked whole."""
    text = f"{'It snowed. ' * 20}The alarm rang. Nobody came."
    start = text.index("The alarm")
    long = replace(PASSAGE, text=text, highlights=((start, start + 15),), head=None)
    out = printed(capsys, replace(ANSWER, reply=replace(SHOWN, passages=(long,)))).splitlines()
    assert [line[:5] for line in out[3:6]] == ["  It ", "> The", "  Nob"]


def test_a_summary_is_its_text_and_its_sources(capsys: pytest.CaptureFixture[str]) -> None:
    """The text quotes its sources, so they are places only."""
    assert printed(capsys).splitlines()[2:] == [
        "The radar raised the alarm for paragliders on sunny afternoons, see the log. [1]"
        " 17:00 – Bulletin issued – Duty forecaster [2]",
        "",
        "[1] notes/radar.md:3-4",
        "[2] a b.pdf#page=3",
    ]


def test_a_written_answer_is_followed_by_its_quotes(capsys: pytest.CaptureFixture[str]) -> None:
    """The words of a model are not those of the documents."""
    written = replace(REPLY, text="Sunshine and gliders did. [1][2]", by="llm", short=None)
    headed = replace(written, citations=(replace(FIRST, heading="Radar > **Log**"), SECOND))
    out = printed(capsys, replace(ANSWER, reply=headed)).splitlines()
    assert out[0] == "Sunshine and gliders did. [1][2]"
    assert out[2] == "[1] notes/radar.md:3-4  Radar > Log"
    assert out[3] == "  The radar raised the alarm for"
    assert out[6] == "  | 17:00 | Bulletin issued | Duty forecaster |"


def test_passages_have_their_text(capsys: pytest.CaptureFixture[str]) -> None:
    """With --answer none, and with --explain, which also says why."""
    none = replace(ANSWER, reply=Reply("", (), "none"))
    assert printed(capsys, none).splitlines()[1:] == [
        "1. notes/radar.md:3-4",
        "   The radar raised the alarm for paragliders on sunny afternoons, see the log.",
    ]
    out = printed(capsys, none, explain=True)
    assert "found by: names Radar" in out and "sunny afternoons" in out
    assert "named in the question: Radar" in out


def as_terminal(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    """Let standard output count as a terminal of some width."""
    import rich.console

    class Terminal(Console):
        def __init__(self, **more: Any) -> None:
            fixed = {"width": width, "force_terminal": True, "color_system": "256"}
            super().__init__(**{**more, **fixed})

    monkeypatch.setattr(rich.console, "Console", Terminal)
    monkeypatch.setattr(render, "is_pipe", lambda: False)
    assert render._console().is_terminal


@pytest.mark.parametrize("width", [30, 60, 100])
def test_lines_break_between_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], width: int
) -> None:
    """On a terminal of any width, and links are links."""
    as_terminal(monkeypatch, width)
    show_answer(ANSWER, lambda _doc: Path("/docs/radar.md"), explain=True)
    out = capsys.readouterr().out
    assert "\x1b]8;" in out and "file:///docs/radar.md#3" in out and "#page=3" in out
    plain = re.sub(r"\x1b\]8;[^\x1b]*\x1b\\|\x1b\[[0-9;]*m", "", out)
    assert all(len(line) <= width for line in plain.splitlines())
    words = {"paragliders", "afternoons,", "Bulletin", "forecaster", "(notes/radar.md:3-4,"}
    assert words <= set(plain.split())


def test_markdown_and_org() -> None:
    """Links that editors open; what answers stands between marks."""
    answer = replace(ANSWER, reply=SHOWN)
    markdown = "\n".join(as_markdown(answer, nowhere))
    assert "## What?" in markdown and "**paragliders**  ([notes/radar.md:3-4](" in markdown
    assert "[1] [notes/radar.md:2-5](notes/radar.md#L2)  Radar > Log" in markdown
    assert "also: [a b.pdf#page=3](a%20b.pdf#page=3) (Day)" in markdown
    assert "> **The radar raised the alarm for**  \n> **paragliders on" in markdown
    org = "\n".join(as_org(answer, lambda _doc: Path("/docs/x")))
    assert "- [1] [[file:/docs/x::2][notes/radar.md:2-5]]" in org
    assert "also: [[docview:/docs/x::3][a b.pdf#page=3]]" in org
    quoted = org.split("#+begin_quote\n")[1].split("  #+end_quote")[0]
    assert "  *The radar raised the alarm for*\n  *paragliders on" in quoted


def test_code_stays_code_in_markdown() -> None:
    """Its lines are indented, so that nothing in them is markup."""
    text = "Run this:\n\n    foo *x* --y"
    code = replace(PASSAGE, text=text, highlights=((0, 9),), head=None, code=((11, len(text)),))
    lines = list(as_markdown(replace(ANSWER, reply=replace(SHOWN, passages=(code,))), nowhere))
    assert lines[4:7] == ["> **Run this:**  ", ">", ">         foo *x* --y"]


def test_places() -> None:
    assert str(Place.of(FIRST)) == "notes/radar.md:3-4" and Place.of(FIRST).first == (
        "notes/radar.md:3"
    )
    assert Place.of(SECOND).link(Path("/a b.pdf")) == "file:///a%20b.pdf#page=3"
    only = Place("b.pdf", "b.pdf", 4, 5, None)
    assert (str(only), only.named) == ("b.pdf#page=1", "page 1")
    assert only.org_link(None) == "[[docview:b.pdf::1][b.pdf#page=1]]"
    assert Place.of(SECOND).link(None) == ""
    record = replace(HIT, doc="faq.jsonl#q[1]", line_start=7, line_end=7)
    assert str(Place.of(record)) == "faq.jsonl:7"
    slide = Place.of(replace(HIT, doc="talk.pptx", page=3))
    assert str(slide) == slide.first == "talk.pptx, slide 3"
    assert slide.link(Path("/talk.pptx")) == "file:///talk.pptx"
    assert slide.org_link(None) == "[[file:talk.pptx][talk.pptx, slide 3]]"


def test_brackets_in_a_name_make_no_second_link() -> None:
    """Org mode reads one link, to the file."""
    name = "a]] [[shell:rm][b\\\\].txt"
    link = Place(name, name, 3, 3, None).org_link(None)
    assert link.startswith("[[file:a\\]\\] \\[\\[shell:rm\\]\\[b") and link.count("[[") == 1
    assert link.count("]]") == 1 and link.endswith("][a)) ((shell:rm)(b\\\\).txt:3]]")


REFUSED = Reply(
    "",
    (),
    "extractive",
    abstained=True,
    note="searched 2 passages of 2 documents; nothing found about: Etna; nearest: notes/radar.md:3",
    hint="nothing found about: Etna",
    nearest=replace(FIRST, quote=QUOTE * 5),
)


def test_a_refusal_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    """With the nearest passage on two lines; the figures behind it with --explain."""
    answer = replace(ANSWER, reply=REFUSED, documents=525)
    show_answer(answer, nowhere, explain=False)
    shown = capsys.readouterr()
    said, place, *more = shown.err.splitlines()
    assert not shown.out and not more
    assert said == "No answer found in 525 documents. Nothing found about: Etna. Nearest:"
    assert place.startswith("  notes/radar.md:3: The radar raised the alarm for paragliders on")
    assert place.endswith(" ...") and len(place) < 190
    for made in (as_markdown, as_org):
        lines = "\n".join(made(answer, nowhere))
        assert said in lines and "searched" not in lines
    show_answer(answer, nowhere, explain=True)
    assert REFUSED.note in capsys.readouterr().err
    bare = replace(answer, reply=replace(REFUSED, hint="", nearest=None), documents=1)
    show_answer(bare, nowhere, explain=False)
    assert capsys.readouterr().err == "No answer found in 1 document.\n"
