"""Seconds by stage."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


def over(deadline: float | None) -> bool:
    """Whether a point in time (``time.monotonic``) has passed; None never does."""
    return deadline is not None and time.monotonic() >= deadline


class Clock:
    """Adds up the time spent in named stages."""

    def __init__(self) -> None:
        self._began = time.perf_counter()
        self.stages: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time spent inside counts for ``name``."""
        began = time.perf_counter()
        try:
            yield
        finally:
            spent = time.perf_counter() - began
            self.stages[name] = self.stages.get(name, 0.0) + spent

    @property
    def total(self) -> float:
        """Seconds since the clock was made."""
        return time.perf_counter() - self._began
