"""Tells while a language model reads chunks: replies, tokens per second, and the time left."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from ragcli.enriching.reading_cost import (
    NO_COST,
    ChunkCost,
    ModelSpeed,
    corrected,
    measured_speed,
)
from ragcli.models.completion import TELL_EVERY, Watch
from ragcli.text.durations import about
from ragcli.text.words import counted
from ragcli.types import Event, Report

_SURE = 8
"""Written tokens after which the speed is known well enough to say what the run will cost."""
_LEAST = 0.1
"""Of the mean cost of a chunk: what one that is left costs at least, when others took more."""


@dataclass(frozen=True, slots=True)
class ReadingWork:
    """What a run reads: ``total`` chunks, ``done`` of them without asking. ``cost`` gives the mean
    cost of one of the others; it is called once, and not in a very short run. ``share`` are the
    tokens that are written for each token of prompts, as far as is known."""

    total: int
    done: int
    share: float
    cost: Callable[[], ChunkCost]


class ReadingProgress:
    """Follows a run over chunks."""

    def __init__(self, report: Report, work: ReadingWork) -> None:
        self._report = report
        self._work = work
        self._done = work.done
        self._spent = 0.0  # tokens of the first prompts of chunks that were read
        self._cost = NO_COST
        self._began = time.monotonic()
        self._said = False

    def begin(self, speed: ModelSpeed | None, deadline: float | None) -> None:
        """Say what the run will cost if the speed is known from an earlier one."""
        if self._done == self._work.total:
            return
        if speed:
            self._say(self._left(speed, Watch()), speed, deadline)
            return
        text = f"{counted(self._work.total - self._done, 'chunk')} for the language model"
        self._report(Event("describe", self._done, self._work.total, text, notice=True))

    def tell(self, watch: Watch) -> None:
        """Report where the run is; the first time also what it will cost."""
        speed = measured_speed(watch)
        note = f"{watch.replies} replies"
        lasting = time.monotonic() - self._began >= TELL_EVERY
        if speed and watch.written >= _SURE and lasting:
            left = self._left(speed, watch)
            if not self._said and self._done < self._work.total:
                self._say(left, speed, watch.deadline)
            rate = (watch.read + watch.written) / (watch.reading + watch.writing)
            note += f", {rate:,.0f} tokens/s, {about(left)} left"
        self._report(Event("describe", self._done, self._work.total, note))

    def has_read(self, chunks: int, cost: ChunkCost, watch: Watch) -> None:
        """Count chunks of equal text that are done, with the cost of their prompts, and report."""
        self._done += chunks
        self._spent += chunks * cost.read
        self.tell(watch)

    def _say(self, left: float, speed: ModelSpeed, deadline: float | None) -> None:
        self._said = True
        chunks = self._work.total - self._done
        text = f"{counted(chunks, 'chunk')} for the language model: {about(left)} (it {speed})"
        if deadline is not None:
            ends = max(deadline - time.monotonic(), 0.0)
            text += f"; this run ends after {about(ends)}"
        self._report(Event("describe", self._done, self._work.total, text, notice=True))

    def _left(self, speed: ModelSpeed, watch: Watch) -> float:
        """Seconds left. Chunks with many names are read first and are long, so what counts is the
        tokens that are left, not the chunks."""
        if self._cost is NO_COST:
            self._cost = self._work.cost()
        mean, chunks = self._cost.read, self._work.total - self._done
        whole = mean * (self._work.total - self._work.done)
        read = max(whole - self._spent, _LEAST * mean * chunks)
        share = corrected(self._work.share, watch)
        return ChunkCost(0, read, read * share).seconds(speed)
