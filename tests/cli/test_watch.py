"""update --watch with real processes: changes, another writer, readers, Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import ragcli
from ragcli.errors import InputError
from ragcli.indexing.watching import is_relevant, watched_folders
from ragcli.store.lock import writer_lock

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300, func_only=True)]
LIMIT = 240.0


def documents(store: Path) -> set[str]:
    with ragcli.Store.open(store) as opened:
        return {found.doc for found in opened.documents()}


def until(done: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Wait until something holds; fails when it takes too long or the process ends."""
    limit = time.monotonic() + LIMIT
    while not done():
        assert process.poll() is None and time.monotonic() < limit
        time.sleep(0.2)


def settled_runs(log: Path) -> int:
    """Runs that the log tells, once none has been added for five seconds.

    A run's line is written after its documents can be seen.
    """
    runs, since = log.read_text().count("documents,"), time.monotonic()
    while time.monotonic() - since < 5:
        time.sleep(0.2)
        if (now := log.read_text().count("documents,")) != runs:
            runs, since = now, time.monotonic()
    return runs


@contextmanager
def watcher(store: Path, log: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that watches; ``log`` is what it writes."""
    command = [sys.executable, "-m", "ragcli", "update", "--watch", "--workers", "1"]
    with log.open("w") as out:
        process = subprocess.Popen(
            [*command, "--store", str(store)], stdout=out, stderr=out, text=True
        )
        try:
            until(lambda: "watching" in log.read_text(), process)
            yield process
        finally:
            process.kill()
            process.wait(60)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder of documents ``docs`` with its store ``docs/.ragcli``."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.txt").write_text("Ada Holm keeps the lighthouse of Skive.")
    ragcli.index(docs, docs / ".ragcli", settings=ragcli.Settings(workers=1))
    return docs


def test_changes_are_indexed(place: Path, tmp_path: Path) -> None:
    """New, renamed and removed files; while another process writes, it waits; Ctrl-C ends."""
    store, log = place / ".ragcli", tmp_path / "log"
    with ragcli.Store.open(store) as before, watcher(store, log) as process:
        with writer_lock(store):
            (place / "b.txt").write_text("Jon Berg paints boats.")
            until(lambda: "waiting: " in log.read_text(), process)
            assert documents(store) == {"a.txt"}
        until(lambda: documents(store) == {"a.txt", "b.txt"}, process)
        (place / "b.txt").rename(place / "c.txt")
        (place / "a.txt").unlink()
        until(lambda: documents(store) == {"c.txt"}, process)
        assert [found.doc for found in before.documents()] == ["a.txt"]  # its own generation
        runs = settled_runs(log)
        (store / "note").write_text("not a document")
        (place / ".hidden").write_text("not a document either")
        time.sleep(3)
        assert log.read_text().count("documents,") == runs
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
    assert "Traceback" not in log.read_text() and "no longer watching" in log.read_text()
    assert ragcli.update(store).unchanged == 1


def test_what_is_watched(place: Path) -> None:
    """Folders, and the folder of a single file; nothing if all are gone."""
    store = place.parent / "s"
    ragcli.index(place / "a.txt", store, settings=ragcli.Settings(workers=1))
    assert watched_folders(store) == [place]
    (place / "a.txt").unlink()
    with pytest.raises(InputError, match="nothing to watch"):
        watched_folders(store)


@pytest.mark.parametrize(
    ("path", "relevant"),
    [
        ("/docs/a.md", True),
        ("/docs/sub/.gitignore", True),
        ("/docs/.git/index", False),
        ("/docs/.ragcli/store.sqlite", False),
        ("/docs/.a.md.swp", False),
        ("/docs/.ragcli", False),
        ("/docs/.ragclix/a.md", False),
    ],
)
def test_changes_that_count(path: str, relevant: bool) -> None:
    if os.name == "posix":
        assert is_relevant(path, "/docs/.ragcli", [Path("/docs")]) is relevant
