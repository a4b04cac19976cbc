"""Tells while a language model reads chunks: replies, tokens per second, and the time left."""

from __future__ import annotations

import time
from collections.abc import Callable

from ragcli.enriching.reading_cost import (
    ChunkCost,
    ModelSpeed,
    measured_cost,
    measured_speed,
)
from ragcli.models.completion import TELL_EVERY, Watch
from ragcli.text.durations import about
from ragcli.types import Event, Report

_SURE = 8
"""Written tokens after which the speed is known well enough to say what the run will cost."""
_AS_CHUNKS = 3.0
"""Chunks that the estimate counts as, beside those that have been read."""


class ReadingProgress:
    """Follows a run over ``total`` chunks of which ``done`` are done without asking.

    ``cost`` gives what a chunk will take; it is called once, and not in a very short run.
    """

    def __init__(
        self, report: Report, total: int, done: int, cost: Callable[[], ChunkCost]
    ) -> None:
        self._report = report
        self._total = total
        self._before = done
        self._done = done
        self._expect = cost
        self._cost: ChunkCost | None = None
        self._began = time.monotonic()
        self._said = False

    def begin(self, speed: ModelSpeed | None, deadline: float | None) -> None:
        """Say what the run will cost if the speed is known from an earlier one."""
        if self._done == self._total:
            return
        if speed:
            self._say(speed, deadline)
            return
        text = f"{self._total - self._done:,} chunks for the language model"
        self._report(Event("describe", self._done, self._total, text, notice=True))

    def tell(self, watch: Watch) -> None:
        """Report where the run is; the first time also what it will cost."""
        speed = measured_speed(watch)
        note = f"{watch.replies} replies"
        lasting = time.monotonic() - self._began >= TELL_EVERY
        if speed and watch.written >= _SURE and lasting:
            if not self._said and self._done < self._total:
                self._say(speed, watch.deadline)
            rate = (watch.read + watch.written) / (watch.reading + watch.writing)
            note += f", {rate:,.0f} tokens/s, {about(self._left(speed))} left"
        self._report(Event("describe", self._done, self._total, note))

    def has_read(self, chunks: int, watch: Watch) -> None:
        """Count chunks that are done, and report."""
        self._done += chunks
        self.tell(watch)

    def measured(self, watch: Watch) -> ChunkCost | None:
        """What a chunk took in this run; None if none was read."""
        read = self._done - self._before
        return measured_cost(watch, watch.replies, read) if read and watch.replies else None

    def _say(self, speed: ModelSpeed, deadline: float | None) -> None:
        self._said = True
        chunks = self._total - self._done
        text = (
            f"{chunks:,} chunks for the language model: {about(self._left(speed))}"
            f" (it reads {speed.read:,.0f} and writes {speed.write:,.0f} tokens/s)"
        )
        if deadline is not None:
            left = max(deadline - time.monotonic(), 0.0)
            text += f"; this run ends after {about(left)}"
        self._report(Event("describe", self._done, self._total, text, notice=True))

    def _left(self, speed: ModelSpeed) -> float:
        """Seconds left: by the estimate at first, then more and more by what chunks took."""
        self._cost = self._cost or self._expect()
        read = self._done - self._before
        spent = time.monotonic() - self._began
        each = (_AS_CHUNKS * self._cost.seconds(speed) + spent) / (_AS_CHUNKS + read)
        return each * (self._total - self._done)
