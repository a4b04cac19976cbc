"""Decides how many replies are written at once, by how fast the model turns out to be.

Several replies at once take less time than one after another, but the first of them ends later. A
slow model with long prompts would show nothing for a quarter of an hour, and lose many half-written
replies when it has to stop. So a prompt is only read beside other replies if these still end soon.
"""

from __future__ import annotations

import time
from collections.abc import Iterable

from ragcli.models.llm.reply import Growing, TokenPrompt

SOON = 60.0
"""Seconds within which a reply should end from the time when its prompt is read."""

_USUAL_REPLY = 250.0  # tokens, until replies have ended
_STEP_OF_READING = 4.0  # a step takes as long as reading so many tokens, until one was measured
_LEAST_LEFT = 16.0  # tokens that a reply still takes when it is longer than usual
_WEIGHT = 0.1  # of the latest value in running means


class Pace:
    """Running means of a model's speed and of the length of its replies."""

    def __init__(self) -> None:
        self._token = 0.0  # seconds to read one
        self._step = 0.0  # seconds for one token of each reply
        self._reply = 0.0  # tokens

    def has_read(self, tokens: int, seconds: float) -> None:
        """Take note of a prompt."""
        if tokens:
            self._token = _mixed(self._token, seconds / tokens)

    def has_stepped(self, seconds: float) -> None:
        """Take note of a token of every reply."""
        self._step = _mixed(self._step, seconds)

    def has_replied(self, tokens: int) -> None:
        """Take note of a complete reply."""
        self._reply = _mixed(self._reply, float(tokens))

    def allows(self, under_way: Iterable[Growing], request: TokenPrompt) -> bool:
        """Return whether all replies under way still end soon if ``request`` is read now."""
        reading = len(request.tail) * self._token
        step = self._step or self._token * _STEP_OF_READING
        now = time.monotonic()
        for growing in under_way:
            usual = self._reply or _USUAL_REPLY
            left = min(usual, growing.request.prompt.max_tokens) - growing.count
            if now - growing.began + reading + max(left, _LEAST_LEFT) * step > SOON:
                return False
        return True


def _mixed(mean: float, latest: float) -> float:
    return mean + _WEIGHT * (latest - mean) if mean else latest
