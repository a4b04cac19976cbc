"""A run may be killed at any moment: nothing finished is lost, the next run ends as if undisturbed.

The moments are not left to chance alone: a run is also stopped before every single write to the
database and before every step that touches derived files.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import remount
from searching import searching
from stops import NAMES, Countdown, Stop, stopping, write_folder

from ragcli.config import Settings
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.search import derive
from ragcli.store import derived
from ragcli.store.digest import digest
from ragcli.store.snapshot import open_snapshot

SETTINGS = Settings(workers=1)


def digest_of(store: Path) -> str:
    with open_snapshot(store) as snapshot:
        return digest(snapshot)["all"]


@pytest.fixture(scope="module")
def before_and_after(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, str, str]:
    """A folder, a store of its former state, and the digests before and after the change."""
    base = tmp_path_factory.mktemp("kill")
    folder, store = base / "docs", base / "store"
    write_folder(folder, 6, seed=1)
    records = [f'{{"_id": "{who}", "text": "{who} has a letter box."}}\n' for who in NAMES[:2]]
    (folder / "r.jsonl").write_text("".join(records))
    index(IndexRequest(store, (folder,)), SETTINGS)
    before = digest_of(store)
    (folder / "doc0.md").unlink()
    (folder / "doc1.md").rename(folder / "moved.md")
    (folder / "doc2.md").write_text("# Changed\n\nMara Linde met Jon Berg in Genoa.\n")
    (folder / "r.jsonl").write_text("".join(reversed(records)))
    (folder / "new.txt").write_text("Jon Berg of Port Vale is new here.")
    index(IndexRequest(base / "fresh", (folder,)), SETTINGS)
    return folder, store, before, digest_of(base / "fresh")


def disturbed(
    folder: Path, store: Path, at: int, patch: pytest.MonkeyPatch, files: bool = False
) -> bool:
    """Update the store, to be stopped at step ``at``; returns whether it came so far."""
    with stopping(Countdown(at, files), patch):
        try:
            index(IndexRequest(store, (folder,)), SETTINGS)
        except Stop:
            return True
    return False


def test_a_stop_before_any_write_loses_nothing(
    before_and_after: tuple[Path, Path, str, str], tmp_path: Path, quick: pytest.MonkeyPatch
) -> None:
    """Old state or new state for readers, never a mix; the next run always ends right."""
    folder, store, before, after = before_and_after
    at, stopped = 0, True
    while stopped:
        at += 1
        copy = tmp_path / f"s{at}"
        shutil.copytree(store, copy)
        stopped = disturbed(folder, copy, at, quick)
        assert digest_of(copy) in (before, after), f"a mix after a stop at step {at}"
        index(IndexRequest(copy, (folder,)), SETTINGS)
        assert digest_of(copy) == after, f"wrong end after a stop at step {at}"
        shutil.rmtree(copy)
    assert at > 60, "the harness no longer sees the writes"


@pytest.mark.parametrize("merged", [False, True])
def test_a_stop_while_segments_are_written_or_merged(
    before_and_after: tuple[Path, Path, str, str],
    tmp_path: Path,
    quick: pytest.MonkeyPatch,
    merged: bool,
) -> None:
    """A new layer, and a merge of all: readers find whole files, and leftovers are cleared away."""
    folder, store, before, after = before_and_after
    quick.setattr(derive, "staying", lambda held, _: 0 if merged else len(held))
    at, stopped = 0, True
    while stopped:
        at += 1
        copy = tmp_path / f"s{at}"
        shutil.copytree(store, copy)
        stopped = disturbed(folder, copy, at, quick, files=True)
        with searching(copy, SETTINGS) as search:
            assert not derive.problem(copy, search.snapshot.generation, thorough=True)
            assert search.index.passages.search(search.helpers.encode(["Rome"])[0], 3)
        assert digest_of(copy) == (before if stopped else after)
        index(IndexRequest(copy, (folder,)), SETTINGS)
        assert digest_of(copy) == after
        named = {s.name for g in (1, 2) for s in derived.segments(copy, g)}
        assert {p.name for p in (copy / "derived" / "segments").iterdir()} == named
        assert len(derived.segments(copy, 2)) == (1 if merged else 2)
        shutil.rmtree(copy)
    assert at > 12, "the harness no longer sees the writes"


def test_kill_9_at_random_moments(tmp_path: Path) -> None:
    """A whole process killed up to twenty times over, then run to its end, with two workers.

    Once it has come to its end twice, there is nothing left that a kill could spoil.
    """
    folder, store = tmp_path / "docs", tmp_path / "store"
    write_folder(folder, 120, seed=2)
    command = [sys.executable, "-m", "ragcli", "index", str(folder), "--workers", "2", "-q"]
    env = {**os.environ, "RAGCLI_CHUNK_SIZE": "300", "RAGCLI_CHUNK_OVERLAP": "50"}
    subprocess.run(
        [*command, "--store", str(tmp_path / "calm")], check=True, env=env, capture_output=True
    )
    began = time.monotonic()
    rng = random.Random(3)
    ended = 0
    for _ in range(20):
        process = subprocess.Popen(
            [*command, "--store", str(store)],
            env=env,
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        )
        try:
            process.wait(timeout=rng.uniform(0.2, 6.0))
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL)
        _, errors = process.communicate()
        # A process that was being started when its parent was killed says so.
        assert process.returncode < 0 or b"Traceback" not in errors, errors
        ended += process.returncode == 0
        if ended == 2 or time.monotonic() - began > 150:
            break
    subprocess.run([*command, "--store", str(store)], check=True, env=env, capture_output=True)
    assert digest_of(store) == digest_of(tmp_path / "calm")


@pytest.mark.parametrize("seconds", [0.3, 1.0, 2.0, 4.0])
def test_ctrl_c_says_so_and_loses_nothing(tmp_path: Path, seconds: float) -> None:
    """SIGINT to the whole group, as a terminal sends it: exit code 130, no traceback.

    Before its own code runs, and once it has told what it did, Python itself ends the process.
    """
    folder, store = tmp_path / "docs", tmp_path / "store"
    write_folder(folder, 150, seed=4)
    command = [sys.executable, "-m", "ragcli", "index", str(folder), "--workers", "2"]
    process = subprocess.Popen(
        [*command, "--store", str(store)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGINT)
    out, errors = process.communicate(timeout=60)
    if process.returncode != 0 and "documents" not in out:
        # Where Ctrl-C comes while Python runs a class from text (``exec``), it ends the process by
        # the signal in spite of its exit code; to a shell this is 130 as well.
        assert process.returncode in (130, -signal.SIGINT) or seconds < 1, errors
        assert "stopped; completed work is kept" in errors or seconds < 1, errors
        assert "Traceback" not in errors or seconds < 1, errors
    index(IndexRequest(store, (folder,)), SETTINGS)
    index(IndexRequest(tmp_path / "fresh", (folder,)), SETTINGS)
    assert digest_of(store) == digest_of(tmp_path / "fresh")


def test_a_full_disk_is_told_and_mended(tmp_path: Path, small_disk: Path) -> None:
    """On a full disk the run ends with a message; with room again it goes on to the end."""
    folder, store = tmp_path / "docs", small_disk / "store"
    write_folder(folder, 300, seed=5)
    command = [sys.executable, "-m", "ragcli", "index", str(folder), "--store", str(store)]
    full = subprocess.run(command, capture_output=True, text=True)
    assert full.returncode == 2 and "space" in full.stderr and "Traceback" not in full.stderr
    remount(small_disk, "size=60m")
    subprocess.run(command, capture_output=True, check=True)
    index(IndexRequest(tmp_path / "fresh", (folder,)), SETTINGS)
    assert digest_of(store) == digest_of(tmp_path / "fresh")


def test_a_read_only_medium_can_be_asked(tmp_path: Path, small_disk: Path) -> None:
    """Questions are answered from a store that cannot be written; writing to it is refused."""
    folder, store = tmp_path / "docs", small_disk / "store"
    write_folder(folder, 4, seed=6)
    remount(small_disk, "size=60m")
    index(IndexRequest(store, (folder,)), SETTINGS)
    remount(small_disk, "ro")
    ragcli = [sys.executable, "-m", "ragcli"]
    asked = [*ragcli, "ask", "Who wrote to Mara Linde?", "--store", str(store)]
    done = subprocess.run(asked, capture_output=True, text=True)
    assert done.returncode == 0 and "[1]" in done.stdout, done.stderr
    (folder / "more.txt").write_text("One more.")
    update = [*ragcli, "update", "--store", str(store)]
    done = subprocess.run(update, capture_output=True, text=True)
    assert done.returncode == 2 and "Read-only" in done.stderr and "Traceback" not in done.stderr
