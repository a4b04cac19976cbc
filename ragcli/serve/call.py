"""One request while it is worked on: whether it was cancelled, and its progress notifications."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from ragcli.serve.jsonrpc import Json, notification

# Seconds between notifications while a model writes.
_PAUSE = 0.25


class CallCancelled(Exception):
    """The client does not want the result any more."""


def _nowhere(_message: Json) -> None:
    """Drop a notification."""


class Call:
    """The state of one request.

    ``send`` gets progress notifications, if the request asked for them with a token. A tool calls
    ``step`` between its steps and ``still`` while a model writes; both raise CallCancelled.
    """

    def __init__(self, send: Callable[[Json], None] = _nowhere) -> None:
        self.send = send
        self._cancelled = threading.Event()
        self._token: str | int | None = None
        self._progress = 0.0
        self._total = 0
        self._told: float | None = None
        """When the last notification was sent."""

    def report_as(self, token: str | int | None) -> None:
        """Send progress notifications with this token from now on."""
        self._token = token

    def cancel(self) -> None:
        """Ask the call to stop at its next step."""
        self._cancelled.set()

    @property
    def cancelled(self) -> bool:
        """Whether the client has cancelled the request."""
        return self._cancelled.is_set()

    def check(self) -> None:
        """Raise CallCancelled if the client has cancelled the request."""
        if self.cancelled:
            raise CallCancelled

    def step(self, done: int, total: int, message: str) -> None:
        """``done`` of ``total`` steps are done; ``message`` says what comes next."""
        self.check()
        self._total = total
        self._notify(float(done), message)

    def still(self, message: str) -> None:
        """The step goes on: half of what was left of it is done."""
        self.check()
        if self._told is None or time.monotonic() - self._told > _PAUSE:
            whole = float(int(self._progress) + 1)
            self._notify(self._progress + (whole - self._progress) / 2, message)

    def _notify(self, progress: float, message: str) -> None:
        # The protocol asks that progress increases with each notification. The first may be 0.
        repeated = self._told is not None and progress <= self._progress
        if self._token is None or repeated:
            return
        self._progress, self._told = progress, time.monotonic()
        params = {"progressToken": self._token, "progress": progress, "total": self._total}
        self.send(notification("notifications/progress", {**params, "message": message}))
