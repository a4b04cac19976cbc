"""A language model's answer is shown while it is written."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from ragcli.asking import ask as asking
from ragcli.cli import inputs, render, run_ask
from ragcli.cli.run_ask import AskArguments
from ragcli.cli.streaming import StreamedAnswer, streamed
from ragcli.config import Settings
from ragcli.types import Answer, Reply

PIECES = ("Ada built **the mill**. [1]", "\nJon sold it to a miller. [2]")


def test_words_are_written_as_they_come(capsys: pytest.CaptureFixture[str]) -> None:
    """Broken between words, without the marks of Markdown; ``begin`` comes first, and once."""
    begun: list[str] = []
    shown = StreamedAnswer(20, lambda: begun.append(capsys.readouterr().out))
    shown(PIECES[0])
    assert capsys.readouterr().out == "Ada built the mill.\n[1]"
    shown(PIECES[1])
    assert capsys.readouterr().out == " Jon sold it to a\nmiller. [2]"
    assert begun == [""] and shown.text == "".join(PIECES)


def test_texts_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    StreamedAnswer(80, lambda: None)("red \x1b[31m alarm")
    assert "\x1b" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("answer", "terminal", "model", "streams"),
    [
        ("auto", True, object(), True),
        ("llm", True, object(), True),
        ("auto", True, None, False),
        ("auto", False, object(), False),
        ("extractive", True, object(), False),
    ],
)
def test_only_a_model_on_a_terminal_streams(
    monkeypatch: pytest.MonkeyPatch, answer: str, terminal: bool, model: Any, streams: bool
) -> None:
    """Sentences of the documents are there at once; in a pipe the format is that of always."""
    monkeypatch.setattr(asking, "answerer", lambda _settings: (answer, model))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal, raising=False)
    found = streamed(Settings(answer=answer), lambda: None)
    assert (found is not None) == streams


@pytest.mark.parametrize("changed", [False, True])
def test_ask_prints_a_streamed_answer_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], changed: bool
) -> None:
    """The display of progress goes first. A text that is another in the end is printed whole."""
    stopped: list[None] = []
    text = "Another text." if changed else "".join(PIECES)

    class Opened:
        file_of = staticmethod(lambda _found: None)

        def ask(self, question: str, *, scope: Any, on_text: Callable[[str], None]) -> Answer:
            for piece in PIECES:
                on_text(piece)
            assert stopped == [None]
            return Answer(question, "auto", Reply(text, (), "llm"), (), (), 9, {}, 1)

    @contextmanager
    def opened(*_: Any) -> Iterator[Opened]:
        yield Opened()

    monkeypatch.setattr(inputs, "open_stores", opened)
    monkeypatch.setattr(render.ProgressBar, "stop", lambda _self: stopped.append(None))
    monkeypatch.setattr(run_ask, "streamed", lambda _settings, begin: StreamedAnswer(80, begin))
    assert run_ask.run_ask(AskArguments(question=["Who?"], quiet=True)) == 0
    shown = capsys.readouterr().out
    assert shown.count("Ada built") == 1 and shown.count("Another text.") == changed
