"""Progress without a terminal: a plain line at intervals, for CI logs and pipes."""

from __future__ import annotations

import time
from collections.abc import Callable

from ragcli.types import Event

_WHOLE, _PARTS = "index", ("embed", "extract")
"""The stage that counts all documents, and those that work on a part of them meanwhile."""

EVERY = 10.0
"""Seconds before the first line and between two lines; a short run writes none."""


class ProgressLines:
    """Writes at most one line in ``EVERY`` seconds, about the latest event.

    ``write`` takes a line without its newline; ``clock`` returns seconds, as time.monotonic does.
    """

    def __init__(
        self, write: Callable[[str], None], clock: Callable[[], float] | None = None
    ) -> None:
        self._write = write
        self._clock = clock = clock or time.monotonic
        self._began = self._last = clock()
        self._whole: Event | None = None

    def __call__(self, event: Event) -> None:
        """Write a line about an event if the last line is old enough, and about every notice."""
        if event.notice:
            self._write(f"{event.stage}: {event.note}")
            return
        if event.stage == _WHOLE:
            self._whole = event
        elif event.stage not in _PARTS:
            self._whole = None
        now = self._clock()
        if now - self._last < EVERY:
            return
        self._last = now
        whole = self._whole
        if whole and event.stage != _WHOLE:
            shown, beside = whole, f"{event.stage} of a part {_share(event)}"
        else:
            shown, beside = event, ""
        parts = (_share(shown), shown.note, beside, f"{_spell(now - self._began)} so far")
        self._write(f"{shown.stage}: {', '.join(part for part in parts if part)}")


def _share(event: Event) -> str:
    return f"{min(event.done / event.total, 1):.0%}" if event.total else f"{event.done:,}"


def _spell(seconds: float) -> str:
    """Format a duration in seconds for people.

    >>> _spell(59.6), _spell(3725)
    ('1 min 0 s', '1 h 2 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
