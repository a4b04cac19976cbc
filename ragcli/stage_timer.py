"""Measures how many seconds each stage of a run takes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


def has_passed(deadline: float | None) -> bool:
    """Return whether a deadline (as of ``time.monotonic``) has passed; None means no deadline."""
    return deadline is not None and time.monotonic() >= deadline


class StageTimer:
    """Adds up the time spent in named stages."""

    def __init__(self) -> None:
        self._began = time.perf_counter()
        self.stages: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the time spent inside the ``with`` block to the stage ``name``."""
        began = time.perf_counter()
        try:
            yield
        finally:
            spent = time.perf_counter() - began
            self.stages[name] = self.stages.get(name, 0.0) + spent

    @property
    def total(self) -> float:
        """Seconds since the timer was created."""
        return time.perf_counter() - self._began
