"""Tables on terminals of any width."""

from __future__ import annotations

import os
import select
import struct
import sys

import pytest

from ragcli.cli import render
from ragcli.cli.index import not_read

COLUMNS = ("doc", "status", "chunks", "size", "updated_at", "error")
ROWS = [
    ("guides/a-long-name-of-a-file.md", "ok", 3, 12345, "2026-01-02T03:04:05", None),
    ("b.pdf", "failed", None, None, None, "b.pdf is damaged or not a PDF"),
]


def test_a_wide_terminal_gets_a_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One row a line below the names of the columns."""
    monkeypatch.setattr(render, "width", lambda: 120)
    render.table("files", COLUMNS, ROWS)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "files" and len(lines) == 4
    assert lines[1].split() == list(COLUMNS)
    assert lines[2].split()[:4] == ["guides/a-long-name-of-a-file.md", "ok", "3", "12,345"]


def test_a_narrow_terminal_gets_paragraphs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """At 40 columns six columns would fold to a letter a line."""
    monkeypatch.setattr(render, "width", lambda: 40)
    render.table("files", COLUMNS, ROWS)
    assert capsys.readouterr().out.splitlines() == [
        "files",
        "guides/a-long-name-of-a-file.md",
        "  status ok, chunks 3, size 12,345, updated_at 2026-01-02T03:04:05",
        "b.pdf",
        "  status failed, error b.pdf is damaged or not a PDF",
    ]
    render.table("", ("", "store"), [("documents", 1)])
    assert capsys.readouterr().out.split() == ["store", "documents", "1"]


def test_one_long_cell_does_not_narrow_the_others(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is free goes where most rows need it, and each column has room for a word or two."""
    monkeypatch.setattr(render, "width", lambda: 90)
    meaning = "most tokens of a prompt and its reply together"
    rows = [(f"setting_{n}", str(n), "default", meaning) for n in range(8)]
    long = ("types", "person, organization, location, " * 3, "default", meaning)
    render.table("", ("setting", "value", "from", "meaning"), [*rows, long])
    lines = capsys.readouterr().out.splitlines()
    assert all(line.endswith(meaning) for line in lines[1:10])
    assert max(map(len, lines)) <= 90 and "location," in " ".join(lines[10:]).split()


def test_a_narrow_table_without_rows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing to fold, nothing to break."""
    monkeypatch.setattr(render, "width", lambda: 10)
    render.table("", COLUMNS, [])
    assert capsys.readouterr().out == ""


def test_a_long_cell_does_not_widen_other_lines_in_a_pipe(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """No line ends in spaces, whatever the longest reason is."""
    rows = [("a.md", "ok", ""), ("b.pdf", "failed", "it is damaged " * 40)]
    render.table("", ("doc", "status", "error"), rows)
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "a.md   ok" and len(lines[2]) > 500
    assert all(line == line.rstrip() for line in lines)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_notes_are_broken_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal only; commands to be copied stay in one line."""
    import fcntl
    import pty
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 20, 30, 0, 0))
    with os.fdopen(theirs, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        render.note("  what they say is near the question and no answer")
        render.note("run: ragcli index a-folder-with-a-long-name")
        terminal.flush()
        shown = ""
        while shown.count("\n") < 3:  # a terminal passes on what is written bit by bit
            assert select.select([ours], [], [], 60)[0], shown
            shown += os.read(ours, 10_000).decode().replace("\r\n", "\n")
    os.close(ours)
    assert shown == (
        "  what they say is near the\n  question and no answer\n"
        "run: ragcli index a-folder-with-a-long-name\n"
    )


def test_notes_in_a_pipe_stay_lines(capsys: pytest.CaptureFixture[str]) -> None:
    render.note("word " * 50)
    assert capsys.readouterr().err == "word " * 50 + "\n"


def test_files_that_are_not_read_are_counted_by_reason() -> None:
    """The numbers add up, however many reasons there are."""
    reasons = ["binary file"] * 3 + ["empty file"] * 2 + list("abcdef")
    assert not_read(reasons) == (
        "11 files are not read: 3 binary file; 2 empty file; 1 a; 1 b; 1 c; 1 d;"
        " 2 for other reasons"
    )
    same = ["the same file as a.txt", "the same file as b.txt", "the same folder as c"]
    assert not_read(same) == (
        "3 files are not read: 2 the same file as another; 1 the same folder as another"
    )
    archives = [f"no documents in it; {n}.zip#a.bin: binary file" for n in range(3)]
    assert not_read(archives) == "3 files are not read: 3 no documents in it"
    assert not_read(["empty file"] * 1200) == "1,200 files are not read: 1,200 empty file"
