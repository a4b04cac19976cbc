"""The conversation: commands, keys, sessions, opening files."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ragcli.cli import conversation
from ragcli.cli.conversation import Chat, lines, parse_scope
from ragcli.cli.opening_files import open_command
from ragcli.cli.session import Session
from ragcli.cli.streaming import StreamedAnswer
from ragcli.errors import InputError
from ragcli.types import Answer, Citation, Reply, Scope

CITED = Citation(1, "a.md", "a.md", 0, 9, 3, 4, "Ada wrote it.")


def answer(question: str) -> Answer:
    reply = Reply("Ada wrote it. [1]", (CITED,), "extractive")
    if question == "unknown":
        reply = Reply("", (), "extractive", abstained=True)
    return Answer(question, "auto", reply, (), (), 9, {"total": 1.0}, 1)


class Talk:
    """Stands for ragcli.Conversation."""

    mode = "auto"
    scope = Scope()

    def ask(self, text: str, on_text: Callable[[str], None] | None = None) -> Answer:
        if on_text is not None:
            for piece in ("Ada wrote", " it. [1]"):
                on_text(piece)
        if text == "fail":
            raise InputError("it failed", "mend it")
        if text == "stop":
            raise KeyboardInterrupt
        return answer(text)


class Files:
    """Stands for ragcli.Store."""

    def __init__(self, file: Path | None) -> None:
        self.file = file

    def file_of(self, _doc: str) -> Path | None:
        return self.file


def chat(file: Path | None = None, session: Path | None = None) -> Chat:
    store: Any = Files(file)
    talk: Any = Talk()
    return Chat(store, talk, Session(session))


def told(monkeypatch: pytest.MonkeyPatch, made: Chat, *said: str) -> None:
    """Enter lines."""
    monkeypatch.setattr(conversation, "lines", lambda _former: iter(said))
    assert made.run() == 0


@pytest.mark.parametrize("word", ["/quit", "exit", "QUIT", ":q", "/exit"])
def test_words_that_leave(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], word: str
) -> None:
    """They are no questions."""
    told(monkeypatch, chat(), word, "Who?")
    assert "Ada" not in capsys.readouterr().out


@pytest.mark.parametrize("word", ["help", "?", "/help", "Help"])
def test_help(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], word: str
) -> None:
    told(monkeypatch, chat(), word)
    shown = capsys.readouterr()
    assert not shown.out and all(name in shown.err for name in conversation.COMMANDS if
                                 name != "/help")  # fmt: skip


def test_commands(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Errors and Ctrl-C while answering do not end the conversation; hints lead on."""
    made = chat()
    notes = tmp_path / "notes.md"
    said = ("/sources", "Who?", "/sources", "/open 7", "/open", "/opne 1", "/scope docs --type md",
            "/mode walk", "fail", "stop", f"/save {notes}", f"/save {notes}", "/save")  # fmt: skip
    told(monkeypatch, made, *said)
    shown = capsys.readouterr()
    assert shown.out.count("[1] a.md:3-4") == 2 and shown.out.count("\n  Ada wrote it.") == 1
    for note in (
        "there are no sources yet",
        "there is no source '7'\nsources: 1",
        "a.md is not on this machine",
        "/opne is not a command; did you mean /open?",
        "scope: --in docs --type md",
        "mode: walk",
        "it failed\nmend it",
        "stopped",
        f"wrote 1 answer to {notes}",
        f"{notes} exists",
        "no file given",
    ):
        assert note in shown.err, note
    assert made.talk.mode == "walk" and made.talk.scope.types == ("md",)
    assert "## Who?" in notes.read_text()


def test_an_answer_that_comes_in_pieces_is_printed_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The text stands there before its sources, and not again after it."""
    made = chat()
    made.stream = lambda: StreamedAnswer(80, lambda: None)
    told(monkeypatch, made, "Who?")
    assert capsys.readouterr().out.split("\n")[:3] == ["Ada wrote it. [1]", "", "[1] a.md:3-4"]


def test_the_last_answer_may_have_no_sources(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Those of an earlier answer are not shown in their place."""
    told(monkeypatch, chat(), "Who?", "unknown", "/sources", "/open 1")
    assert capsys.readouterr().err.count("the last question was not answered") == 2


def test_opening_a_source(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """$EDITOR is started at the line; a missing one is told."""
    file = tmp_path / "a.md"
    file.write_text("Ada wrote it.\n")
    editor = tmp_path / "nano"
    editor.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/called\n')
    editor.chmod(0o755)
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", str(editor))
    told(monkeypatch, chat(file), "Who?", "/open 1")
    assert (tmp_path / "called").read_text() == f"+3 {file}\n"
    monkeypatch.setenv("EDITOR", "/nowhere/edit")
    told(monkeypatch, chat(file), "Who?", "/open 1")
    assert "name your editor in the variable EDITOR" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("environ", "is_document", "platform", "command"),
    [
        ({"EDITOR": "vim -R"}, False, "linux", ["vim", "-R", "+7", "x.md"]),
        ({"EDITOR": "vi", "VISUAL": "code --wait"}, False, "linux",
         ["code", "--wait", "--goto", "x.md:7"]),
        ({"EDITOR": "hx"}, False, "linux", ["hx", "x.md:7"]),
        ({"EDITOR": "strange"}, False, "linux", ["strange", "x.md"]),
        ({}, False, "linux", ["xdg-open", "x.md"]),
        ({"EDITOR": "vim"}, True, "darwin", ["open", "x.md"]),
    ],
)  # fmt: skip
def test_commands_of_editors(
    environ: dict[str, str], is_document: bool, platform: str, command: list[str]
) -> None:
    assert open_command(Path("x.md"), 7, is_document, environ, platform) == command


@pytest.mark.parametrize(
    ("name", "platform"),
    [
        ("a.bat", "win32"),
        ("a.JS", "win32"),
        ("a.txt.vbs", "win32"),
        ("a.txt .", "win32"),
        ("a.command", "darwin"),
        ("a.desktop", "linux"),
        ("a", "linux"),
    ],
)
def test_what_a_system_might_run_is_not_opened(name: str, platform: str) -> None:
    """Its folder is; an editor, which runs nothing, gets the file."""
    file = Path("docs") / name
    assert open_command(file, 1, True, {}, platform)[1:] == ["docs"]
    assert open_command(file, 1, False, {}, platform)[1:] == ["docs"]
    assert open_command(file, 1, False, {"EDITOR": "nano"}, platform)[-1] == str(file)
    assert open_command(Path("docs/A.PDF"), 1, True, {}, platform)[-1] == str(Path("docs/A.PDF"))


def test_scopes_in_a_conversation() -> None:
    assert parse_scope("docs '!old notes'") == Scope.of(["docs", "!old notes"])
    assert parse_scope("--since=2026 --where author=Ada") == Scope.of(
        since="2026", where=["author=Ada"]
    )
    for wrong in ("--type", "--mode walk", "'docs"):
        with pytest.raises(InputError):
            parse_scope(wrong)


def test_a_session_is_kept_and_continued(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The file has an answer a line, and gives the next session its questions."""
    file = tmp_path / "talk.jsonl"
    told(monkeypatch, chat(session=file), "Who?", "When?")
    assert [json.loads(line)["question"] for line in file.read_text().splitlines()] == [
        "Who?", "When?",
    ]  # fmt: skip
    again = Session(file)
    assert again.questions() == ["Who?", "When?"]
    assert again.last() == ("When?", "Ada wrote it. [1]", ["Ada wrote it."])
    (tmp_path / "other.md").write_text("# Not a session\n")
    with pytest.raises(InputError, match="not a conversation"):
        Session(tmp_path / "other.md")


def test_ctrl_c_at_the_prompt(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once: a new prompt. Twice in a row: the end."""
    stop = KeyboardInterrupt()
    entered: Iterator[str | KeyboardInterrupt]
    entered = iter(["first", stop, "second", stop, stop, "never"])

    def line() -> str:
        item = next(entered)
        if isinstance(item, KeyboardInterrupt):
            raise item
        return item

    monkeypatch.setattr(conversation, "_line", line)
    assert list(lines([])) == ["first", "second"]
    assert "Ctrl-C again" in capsys.readouterr().err


def test_keys_on_a_terminal(sample_store: Path) -> None:
    """Arrow up brings back the last line; Ctrl-C gives a new prompt; Ctrl-D ends with 0."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "ragcli", "ask", "--store", str(sample_store)]
    env = {**os.environ, "TERM": "xterm", "COLUMNS": "60"}
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=env,
                          start_new_session=True,
                          preexec_fn=_take_terminal) as process:  # fmt: skip
        os.close(theirs)
        try:
            until(ours, "> ")
            os.write(ours, b"/mode walk\n")
            until(ours, "mode: walk.*> ")
            os.write(ours, b"\x1b[A\n")
            assert "^[[A" not in until(ours, "mode: walk.*> ")
            os.write(ours, b"half a question")
            until(ours, "question")
            press_ctrl_c(ours, "Ctrl-C again.*> ")
            os.write(ours, b"\x04")
            assert process.wait(60) == 0
        finally:
            process.kill()
    os.close(ours)


def _take_terminal() -> None:
    """Make standard input the terminal of this process, so that Ctrl-C reaches it."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def until(terminal: int, pattern: str) -> str:
    """What the terminal shows, up to a pattern; fails after two minutes.

    A key is pressed only after the next prompt is shown: before it the line editor does not yet
    have the terminal, and Ctrl-D would be lost.
    """
    shown = read_for(terminal, pattern, 120)
    assert re.search(pattern, shown, re.DOTALL), f"{pattern!r} is not in {shown!r}"
    return shown


def press_ctrl_c(terminal: int, pattern: str) -> None:
    """Press Ctrl-C; once more if nothing follows; fails where the pattern is not shown then.

    Python with GNU readline notices a signal only while it waits for a key: one that comes just
    before the wait stays pending until the next one interrupts the wait. Both count as one.
    """
    os.write(terminal, b"\x03")
    if not re.search(pattern, read_for(terminal, pattern, 20), re.DOTALL):
        os.write(terminal, b"\x03")
        until(terminal, pattern)


def read_for(terminal: int, pattern: str, seconds: float) -> str:
    """What the terminal shows until a pattern is in it or the time is over."""
    shown, limit = "", time.monotonic() + seconds
    while not re.search(pattern, shown, re.DOTALL):
        ready, _, _ = select.select([terminal], [], [], max(limit - time.monotonic(), 0))
        if not ready:
            break
        shown += os.read(terminal, 4096).decode(errors="replace")
    return shown
