"""Readers that may not write, and writers that they must not disturb."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from filelock import FileLock

from ragcli.errors import StoreLocked
from ragcli.store import lock
from ragcli.store.connection import FILE, close_writer, connect, create, make_folder, open_store
from ragcli.store.lock import writer_lock
from ragcli.store.writer import open_writer

NOBODY = 65534


def as_nobody(task: Callable[[], str]) -> Callable[[], str]:
    """Start a task in a process of a user without rights; call the result for what it returns."""
    receive, send = os.pipe()
    if os.fork() == 0:
        try:
            os.setuid(NOBODY)
            os.write(send, task().encode())
        except BaseException as error:
            os.write(send, repr(error).encode())
        os._exit(0)
    os.close(send)

    def result() -> str:
        with os.fdopen(receive) as stream:
            return stream.read()

    return result


@pytest.mark.skipif(not hasattr(os, "fork") or os.getuid() != 0, reason="only root can be nobody")
def test_a_reader_without_rights_reads_beside_a_writer() -> None:
    """Its state stays whole while the writer changes every page and shortens its log."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    create(folder)
    with open_writer(folder):
        pass
    ready, go = os.pipe(), os.pipe()

    def read() -> str:
        with closing(open_store(folder, readonly=True)) as db:
            db.execute("BEGIN")
            before = db.execute("SELECT value FROM meta WHERE key = 'format'").fetchone()
            os.write(ready[1], b".")
            os.read(go[0], 1)
            found = db.execute("PRAGMA quick_check(1)").fetchone()
            now = db.execute("SELECT value FROM meta WHERE key = 'format'").fetchone()
            return f"{found[0]} {before == now}"

    told = as_nobody(read)
    os.read(ready[0], 1)
    db = connect(folder / FILE, readonly=False)
    db.execute("UPDATE meta SET value = value || '0' WHERE key = 'format'")
    db.execute("CREATE TABLE more AS SELECT randomblob(4000) FROM sqlite_master a, sqlite_master b")
    db.execute("PRAGMA busy_timeout = 100")  # the reader goes on reading
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    close_writer(db, folder / FILE)
    os.write(go[1], b".")
    assert told() == "ok True"


def test_a_writer_waits_for_a_reader_that_tests_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader holds it for a moment; whoever keeps it is another writer."""
    monkeypatch.setattr(lock, "_READERS_TEST", 5)
    held = threading.Event()

    def test_it() -> None:
        with FileLock(tmp_path / "lock"):
            held.set()
            time.sleep(0.2)

    reader = threading.Thread(target=test_it)
    reader.start()
    held.wait()
    with writer_lock(tmp_path):
        reader.join()


def test_a_holder_that_has_just_ended_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file with its number can be gone between any two looks at it."""
    monkeypatch.setattr(Path, "exists", lambda _: True)
    wanted = pytest.raises(StoreLocked, match="pid unknown")
    with FileLock(tmp_path / "lock"), wanted, writer_lock(tmp_path):
        pass


def test_a_new_store_is_its_owners_alone(tmp_path: Path) -> None:
    """It contains whole texts, perhaps of files that others may not read; a given folder stays."""
    make_folder(tmp_path / "new")
    (tmp_path / "given").mkdir(mode=0o755)
    make_folder(tmp_path / "given")
    modes = [(tmp_path / name).stat().st_mode & 0o077 for name in ("new", "given")]
    assert modes == [0, 0o055]
