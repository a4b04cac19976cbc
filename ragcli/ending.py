"""Lets a program or a long stage end in order when the user or the system asks it to end."""

from __future__ import annotations

import signal
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType

INTERRUPTED, TERMINATED = 128 + int(signal.SIGINT), 128 + int(signal.SIGTERM)
"""The exit codes after Ctrl-C and SIGTERM, as shells expect."""

# What the last signal in this process raised, and the code of all functions that then ran.
_last: tuple[BaseException, frozenset[CodeType]] | None = None


@contextmanager
def ending_in_order() -> Iterator[None]:
    """Inside, SIGTERM raises SystemExit, so that what is done can be committed.

    Ctrl-C raises KeyboardInterrupt as always; ``lost_in`` reports it. Outside the main thread,
    and where the program has handlers of its own, nothing changes.
    """
    main = threading.current_thread() is threading.main_thread()
    former = {
        number: default
        for number, default in (
            (signal.SIGINT, signal.default_int_handler),
            (signal.SIGTERM, signal.SIG_DFL),
        )
        if main and signal.getsignal(number) is default
    }
    for number in former:
        signal.signal(number, _end)
    try:
        yield
    finally:
        for number, default in former.items():
            signal.signal(number, default)


def _end(number: int, frame: FrameType | None) -> None:
    global _last
    stopped = KeyboardInterrupt() if number == signal.SIGINT else SystemExit(TERMINATED)
    _last = stopped, frozenset(_codes(frame))
    raise stopped


def _codes(frame: FrameType | None) -> Iterator[CodeType]:
    while frame is not None:
        yield frame.f_code
        frame = frame.f_back


def lost_in(functions: Collection[CodeType]) -> BaseException | None:
    """What a signal raised while one of ``functions``, given by their code, ran.

    For functions that C code calls which replaces their exceptions with an error of its own, as
    SQLite does. Each loss is reported once.
    """
    global _last
    if _last is None or _last[1].isdisjoint(functions):
        return None
    lost, _last = _last[0], None
    return lost
