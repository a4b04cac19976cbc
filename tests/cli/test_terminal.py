"""Nothing that is printed can steer a terminal, forge a line of a log, or hide what it says."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Callable

import orjson
import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from ragcli import cli
from ragcli.answer.candidates import candidates
from ragcli.answer.extractive import compose
from ragcli.cli import logs, render
from ragcli.cli.answer_text import show_answer
from ragcli.errors import InputError
from ragcli.text.terminal import harmless, harmless_json, harmless_line
from ragcli.types import Answer, Citation, Part, Reply, ShortAnswer

# Title of the window, colour, C1 control, bell, overrides, no width, tags, a forged line.
BAD = "a\x1b]0;title\x07\x1b[31m\x9b2J\u202egnp\u2066\u200b\U000e0041\rb\x85c\u2028d\ufeffe"
STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]"
)


def shown(capsys: pytest.CaptureFixture[str]) -> str:
    """What was printed, without the characters that rich itself uses for no terminal: none."""
    out, err = capsys.readouterr()
    assert STEERING.search(out + err) is None, repr(out + err)
    return out + err


def answer() -> Answer:
    """An answer in which a document has written every text."""
    citation = Citation(1, BAD, BAD, 0, len(BAD), 1, 1, BAD)
    short = ShortAnswer(f"{BAD} [2]", BAD, 0, len(BAD), 0.5, 1)
    reply = Reply(BAD, (citation,), "extractive", note=BAD, short=short)
    return Answer(BAD, "auto", reply, (), (BAD,), 1, {"total": 1.0}, 1, facts=(BAD,))


@pytest.mark.parametrize(
    "show",
    [
        lambda: render.line(BAD),
        lambda: render.note(BAD),
        lambda: render.print_json({BAD: [BAD]}),
        lambda: render.print_lines([{"a": BAD}]),
        lambda: render.table(BAD, (BAD, "b", "c"), [(BAD, BAD, 1)]),
        lambda: render.table("", ("a", "b"), [(BAD, BAD)]),
        lambda: render.tree(
            [{"id": 1, "doc": BAD, "title": BAD, "text": BAD, "children": []}],
        ),
        lambda: render.hierarchy([{"id": 1, "parent": None, "name": BAD, "members": [BAD]}]),
        lambda: show_answer(answer(), lambda _doc: None, explain=True),
        lambda: render.LinkedLine(BAD, "", BAD).print(),
        lambda: cli._say(BAD, BAD),
    ],
)
def test_every_way_to_print(show: Callable[[], None], capsys: pytest.CaptureFixture[str]) -> None:
    show()
    assert "title" in shown(capsys)


@pytest.mark.parametrize(
    "error",
    [InputError(BAD, BAD), typer.BadParameter(BAD), OSError(2, BAD, BAD), ValueError(BAD)],
)
def test_every_kind_of_error(error: Exception, capsys: pytest.CaptureFixture[str]) -> None:
    """Arguments and names of files come back in messages."""
    with pytest.raises(SystemExit):
        try:
            raise error
        except Exception as raised:
            cli._failed(raised)
    assert "title" in shown(capsys)


def test_a_log_cannot_be_forged(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name with a line end stays on its line."""
    log = logging.getLogger("ragcli")
    monkeypatch.setattr(log, "handlers", log.handlers)
    monkeypatch.setattr(log, "propagate", log.propagate)
    level = log.level
    try:
        logs.log_to_stderr()
        log.warning("%s is left out", f"{BAD}\nragcli: all is well")
    finally:
        log.setLevel(level)
    assert len(shown(capsys).splitlines()) == 1


def test_json_keeps_its_meaning(capsys: pytest.CaptureFixture[str]) -> None:
    """A program that reads the output gets the text to the character."""
    render.print_json({"text": BAD})
    out = capsys.readouterr().out
    assert orjson.loads(out) == {"text": BAD} and STEERING.search(out) is None


@given(st.text())
def test_texts_keep_their_length_and_meaning(text: str) -> None:
    assert len(harmless(text)) == len(text)
    assert "\n" not in harmless_line(text)
    assert STEERING.search(harmless(text) + harmless_line(text)) is None
    json = orjson.dumps(text).decode()
    assert orjson.loads(harmless_json(json)) == text


def test_scripts_keep_what_they_need() -> None:
    """Joiners and marks of direction in Persian, Hebrew and emoji."""
    for text in ("می\u200cخواهم", "א\u200eב", "👩\u200d🔬", "naïve café", "变压器", "a\tb\n"):
        assert harmless(text) == text


def test_citation_marks_are_those_of_ragcli() -> None:
    """A document that ends "... Victor Malo [2]." names no citation."""
    text = "The mayor was Victor Malo [2]."
    part = Part(1, "a.txt", "", 0, len(text), 1, 1, text)
    (sentence,) = candidates(part)
    assert compose([sentence]).text == "The mayor was Victor Malo (2). [1]"


def test_a_tree_of_many_levels(capsys: pytest.CaptureFixture[str]) -> None:
    """Folders may be nested more deeply than Python calls functions."""
    depth = sys.getrecursionlimit() + 200
    render.tree(
        [
            {"id": i, "doc": "", "title": f"f{i}", "text": "t", "children": [i + 1]}
            for i in range(depth)
        ]
    )
    assert capsys.readouterr().out.startswith("f0 t")
