"""Lets a program or a long stage end in order when the system asks it to end."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

TERMINATED = 128 + int(signal.SIGTERM)
"""The exit code after SIGTERM, as shells expect."""


@contextmanager
def ending_in_order() -> Iterator[None]:
    """Inside, SIGTERM raises SystemExit, so that what is done can be committed.

    Outside the main thread, and where the program has a handler of its own, nothing changes.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return

    def end(_number: int, _frame: Any) -> None:
        raise SystemExit(TERMINATED)

    signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
