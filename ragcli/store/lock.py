"""The write lock: a lock of the operating system, which ends with its process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ragcli.errors import StoreLocked, StoreMissing

_READERS_TEST = 0.2
"""Seconds that a writer waits for a reader that tests the lock."""


@contextmanager
def writer_lock(store: Path) -> Iterator[None]:
    """Hold the store's write lock. Raises StoreLocked, which names the current holder."""
    # Readers need no lock, and importing this takes 10 ms.
    from filelock import FileLock, Timeout

    lock = FileLock(store / "lock")
    holder = store / "lock.pid"
    try:
        lock.acquire(timeout=_READERS_TEST, poll_interval=_READERS_TEST / 10)
    except Timeout:
        raise StoreLocked(
            f"{store} is being written by another process (pid {_who(holder)})",
            "wait until it has finished, or stop it; completed work is kept",
        ) from None
    try:
        holder.write_text(f"{os.getpid()}\n")
        yield
    finally:
        holder.unlink(missing_ok=True)
        lock.release()


def _who(holder: Path) -> str:
    """The process that holds the lock, as far as it is known; it may just be ending."""
    try:
        return holder.read_text().strip() or "unknown"
    except OSError:
        return "unknown"


def nothing_committed(store: Path) -> StoreMissing:
    """The error for readers of a store without a generation: still running, or empty."""
    if _is_written(store):
        return StoreMissing(
            f"the first index of {store} is still running",
            "try again when it has finished; its own terminal shows the progress",
        )
    return empty_store(store)


def empty_store(store: Path) -> StoreMissing:
    """The error for a store that no run has written."""
    return StoreMissing(f"the store in {store} is empty", "run: ragcli index FOLDER")


def _is_written(store: Path) -> bool:
    """Whether a process holds the write lock. The test acquires the lock briefly."""
    if not (store / "lock.pid").exists():
        return False
    # Readers need no lock, and importing this takes 10 ms.
    from filelock import FileLock, Timeout

    lock = FileLock(store / "lock")
    try:
        lock.acquire(timeout=0)
    except (Timeout, OSError):  # without write permission
        return True
    lock.release()
    return False
