"""The write lock: an OS lock, so that the lock of a dead process blocks nobody."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from ragcli.errors import StoreLocked, StoreMissing


@contextmanager
def writer_lock(store: Path) -> Iterator[None]:
    """Hold the store's write lock; StoreLocked names the holder when it is taken."""
    lock = FileLock(store / "lock")
    holder = store / "lock.pid"
    try:
        lock.acquire(timeout=0)
    except Timeout:
        who = holder.read_text().strip() if holder.exists() else "unknown"
        raise StoreLocked(
            f"{store} is being written by another process (pid {who})",
            "wait until it has finished, or stop it; what it has finished is kept",
        ) from None
    try:
        holder.write_text(f"{os.getpid()}\n")
        yield
    finally:
        holder.unlink(missing_ok=True)
        lock.release()


def nothing_committed(store: Path) -> StoreMissing:
    """The error for readers of a store without a generation: is its first run under way or not?"""
    if _is_written(store):
        return StoreMissing(
            f"the first index of {store} is still running",
            "ask again when it has finished; it says how far it is where it was started",
        )
    return StoreMissing(
        f"the store in {store} holds nothing yet", "run, or run again: ragcli index FOLDER"
    )


def _is_written(store: Path) -> bool:
    """Whether a process holds the write lock. To find out, the lock is taken for a moment."""
    if not (store / "lock.pid").exists():
        return False
    lock = FileLock(store / "lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return True
    except OSError:  # a store that only others may write
        return True
    lock.release()
    return False
