"""Decides how many replies are written at once, by how fast the model turns out to be.

Several replies at once take less time than one after another, but the first of them ends later. A
slow model with long prompts would show nothing for a quarter of an hour, and lose many half-written
replies when it has to stop. So a prompt is only read beside other replies if these still end soon,
or, where no reply ends soon, if they do not take much longer than one alone
(docs/adr/llm-engine.md).
"""

from __future__ import annotations

import time
from collections.abc import Iterable

from ragcli.models.llm.reply import Growing, TokenPrompt

SOON = 60.0
"""Seconds within which a reply should end from the time when its prompt is read."""
LATE = 3.0
"""How many times as long as alone a reply may take beside others when that is more than SOON."""

_USUAL_REPLY = 250.0  # tokens, until replies have ended
_LEAST_LEFT = 16.0  # tokens that a reply still takes when it is longer than usual
_WEIGHT = 0.1  # of the latest value in running means


class Pace:
    """Running means of a model's speed and of the length of its replies."""

    def __init__(self) -> None:
        self._token = 0.0  # seconds to read one
        self._step = 0.0  # seconds for one token of each reply
        self._alone = 0.0  # the same, of a single reply
        self._reply = 0.0  # tokens

    def has_read(self, tokens: int, seconds: float) -> None:
        """Take note of a prompt."""
        if tokens:
            self._token = _mixed(self._token, seconds / tokens)

    def has_stepped(self, seconds: float, replies: int) -> None:
        """Take note of a token of each of so many replies."""
        self._step = _mixed(self._step, seconds)
        if replies == 1:
            self._alone = _mixed(self._alone, seconds)

    def has_replied(self, tokens: int) -> None:
        """Take note of a complete reply."""
        self._reply = _mixed(self._reply, float(tokens))

    def allows(self, under_way: Iterable[Growing], request: TokenPrompt) -> bool:
        """Return whether all replies under way still end soon if ``request`` is read now.

        The first reply of all is alone until its first step has been measured.
        """
        reading = len(request.tail) * self._token
        now = time.monotonic()
        for growing in under_way:
            usual = min(self._reply or _USUAL_REPLY, growing.request.prompt.max_tokens)
            alone = len(growing.request.tail) * self._token + usual * self._alone
            left = max(usual - growing.count, _LEAST_LEFT)
            takes = now - growing.began + reading + left * self._step
            if not self._step or takes > max(SOON, LATE * alone):
                return False
        return True


def _mixed(mean: float, latest: float) -> float:
    return mean + _WEIGHT * (latest - mean) if mean else latest
