"""Readers during updates see one generation each and no error; writers take turns."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from searching import searching

from ragcli.asking.ask import ask_in
from ragcli.config import Settings
from ragcli.errors import StoreLocked
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.store.connection import TIMEOUT
from ragcli.text.asked_question import AskedQuestion

SETTINGS = Settings(workers=1, answer="extractive")
QUESTION = AskedQuestion("Who is the captain of the ferry Aurora?")
CAPTAINS = ("Mara Linde", "Jon Berg", "Ines Voss", "Ada Holm", "Bartol Quist", "Tom Ferrand")
UPDATES = 4
READERS = 2


def state(folder: Path, number: int) -> None:
    """The folder's state: another captain, a document more, another one less."""
    folder.mkdir(exist_ok=True)
    name = CAPTAINS[number % len(CAPTAINS)]
    (folder / "ferry.txt").write_text(f"The captain of the ferry Aurora is {name} of Port Vale.")
    (folder / f"log{number}.txt").write_text(f"{name} sailed the Aurora to Genoa {number} times.")
    (folder / f"log{number - 2}.txt").unlink(missing_ok=True)


def answer(store: Path) -> tuple[int, object]:
    """The generation that was seen, and all that was said."""
    with searching(store, SETTINGS) as search:
        found = ask_in(search.index, QUESTION, SETTINGS, search.helpers).answer
        hits = tuple((hit.doc, hit.text, round(hit.score, 6)) for hit in found.hits)
        return search.snapshot.generation, (found.reply.text, hits)


def test_readers_see_one_generation_each(tmp_path: Path) -> None:
    """Asked all through four updates, everybody gets what one generation says, whole."""
    folder, store = tmp_path / "docs", tmp_path / "s"
    state(folder, 0)
    index(IndexRequest(store, (folder,)), SETTINGS)
    expected = dict([answer(store)])
    seen: list[tuple[int, object]] = []
    errors: list[BaseException] = []
    over = threading.Event()

    def read() -> None:
        try:
            while not over.is_set():
                seen.append(answer(store))
        except BaseException as error:
            errors.append(error)

    readers = [threading.Thread(target=read) for _ in range(READERS)]
    for reader in readers:
        reader.start()
    try:
        for number in range(1, UPDATES + 1):
            state(folder, number)
            index(IndexRequest(store, (folder,)), SETTINGS)
            generation, said = answer(store)
            expected[generation] = said
    finally:
        over.set()
        for reader in readers:
            reader.join()
    assert not errors, errors
    assert len(expected) == UPDATES + 1 == len(set(map(str, expected.values())))
    assert len({generation for generation, _ in seen}) > 2
    for generation, said in seen:
        assert said == expected[generation]


def test_a_reader_stays_in_its_generation(tmp_path: Path) -> None:
    """A space that was opened before an update answers as the store was then."""
    folder, store = tmp_path / "docs", tmp_path / "s"
    state(folder, 0)
    index(IndexRequest(store, (folder,)), SETTINGS)
    _, before = answer(store)
    with searching(store, SETTINGS) as search:
        state(folder, 1)
        began = time.perf_counter()
        index(IndexRequest(store, (folder,)), SETTINGS)
        assert time.perf_counter() - began < TIMEOUT, "the writer waited for the reader"
        found = ask_in(search.index, QUESTION, SETTINGS, search.helpers).answer
        assert CAPTAINS[0] in found.reply.text and CAPTAINS[1] not in found.reply.text
        assert found.reply.text == before[0]  # type: ignore[index]
    assert CAPTAINS[1] in str(answer(store))


HOLD = """
import sys, time
from pathlib import Path
from ragcli.store.lock import writer_lock
from ragcli.text.asked_question import AskedQuestion
with writer_lock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


@contextmanager
def holder(store: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the store's lock."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(store)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        yield process
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def test_a_second_writer_is_told_the_pid_and_readers_go_on(tmp_path: Path) -> None:
    """While another process writes: its pid for a writer, an answer for a reader."""
    folder, store = tmp_path / "docs", tmp_path / "s"
    state(folder, 0)
    index(IndexRequest(store, (folder,)), SETTINGS)
    with holder(store) as process:
        with pytest.raises(StoreLocked, match=rf"\(pid {process.pid}\)"):
            index(IndexRequest(store), SETTINGS)
        assert CAPTAINS[0] in str(answer(store))


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
def test_the_lock_of_a_dead_process_holds_nobody_up(tmp_path: Path) -> None:
    """Killed with the lock in hand: the next writer simply goes on."""
    folder, store = tmp_path / "docs", tmp_path / "s"
    state(folder, 0)
    index(IndexRequest(store, (folder,)), SETTINGS)
    with holder(store) as process:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert (store / "lock.pid").exists()
        state(folder, 1)
        assert index(IndexRequest(store), SETTINGS).generation == 2
