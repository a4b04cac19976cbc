"""Chooses how many threads write replies, by the time that steps take.

A step is hundreds of small operations, and after each of them all threads wait for the slowest. If
another program uses one of the processors, fewer threads may be faster. How many is measured now
and then while replies are written, and prompts are read with as many; replies are the same with any
number of threads.
"""

from __future__ import annotations

TRIAL = 3
"""Steps of a trial with another number of threads, and as many before it to compare with."""

FIRST, LAST = 6, 384
"""Steps between two trials: at first, and at last, if the trials change nothing."""

BETTER = 0.9
"""Another number of threads is taken if its steps take at most this share of the time."""


class ThreadChoice:
    """The number of ``threads`` for the next step, at most ``most``; ``usual`` without trials."""

    def __init__(self, most: int) -> None:
        self._counts = sorted({most, max(most - 1, 1), max(most // 2, 1)}, reverse=True)
        self.usual = most
        self._other = 0  # the position of the latest trial in _counts
        self._pause = FIRST
        self._wait = FIRST
        self._replies = 0
        self._before: list[float] = []
        self._trial: list[float] = []
        self.threads = most

    def has_stepped(self, replies: int, seconds: float) -> None:
        """Take note of a step for so many replies, and decide how many threads the next one has.

        Steps for more replies take longer, so a trial only compares steps for equally many.
        """
        if len(self._counts) == 1:
            return
        if replies != self._replies:
            self._replies = replies
            self._restart(self._wait)
            return
        if self.threads != self.usual:
            self._trial.append(seconds)
            if len(self._trial) == TRIAL:
                self._decide()
            return
        self._before = [*self._before, seconds][-TRIAL:]
        self._wait -= 1
        if self._wait <= 0 and len(self._before) == TRIAL:
            others = [count for count in self._counts if count != self.usual]
            self._other = (self._other + 1) % len(others)
            self.threads = others[self._other]

    def _decide(self) -> None:
        """End a trial: go on with the number of threads whose steps took less time."""
        if sum(self._trial) <= BETTER * sum(self._before):
            self.usual, self._pause = self.threads, FIRST
        else:
            self._pause = min(2 * self._pause, LAST)
        self._restart(self._pause)

    def _restart(self, wait: int) -> None:
        self._wait, self.threads = wait, self.usual
        self._before, self._trial = [], []
