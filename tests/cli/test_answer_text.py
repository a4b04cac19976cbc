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
from ragcli.types import Answer, Citation, Hit, Reply, ShortAnswer, Via

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


def test_no_sentence_is_printed_twice(capsys: pytest.CaptureFixture[str]) -> None:
    """The answer quotes its sources, so the sources are places only."""
    assert printed(capsys).splitlines() == [
        "paragliders [1] (confidence 50%)",
        "",
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
    assert out[2] == "[1] notes/radar.md:3-4 (Radar > Log)"
    assert out[0] == "Sunshine and gliders did. [1][2]"
    assert out[3].startswith("    The radar raised the alarm for paragliders on sunny")
    assert out[5] == "    17:00 – Bulletin issued – Duty forecaster"


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
    assert render.out().is_terminal


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
    words = {"paragliders", "afternoons,", "Bulletin", "forecaster", "notes/radar.md:3-4"}
    assert words <= set(plain.split())


def test_markdown_and_org() -> None:
    """Links that editors open, and exact quotes."""
    markdown = "\n".join(as_markdown(ANSWER, nowhere))
    assert "## What?" in markdown and "**paragliders** [1]" in markdown
    assert "1. [notes/radar.md:3-4](notes/radar.md#L3)" in markdown
    assert "2. [a b.pdf#page=3](a%20b.pdf#page=3)" in markdown
    assert "   > The **radar** raised the alarm for\n   > paragliders" in markdown
    org = "\n".join(as_org(ANSWER, lambda _doc: Path("/docs/x")))
    assert "- [1] [[file:/docs/x::3][notes/radar.md:3-4]]" in org
    assert "- [2] [[docview:/docs/x::3][a b.pdf#page=3]]" in org
    assert "  #+begin_quote\n  The **radar** raised" in org


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
