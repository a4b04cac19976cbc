"""One writer at a time: an OS lock, so that the lock of a dead process holds nobody up."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from ragcli.errors import StoreLocked


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
