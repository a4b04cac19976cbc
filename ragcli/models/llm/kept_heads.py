"""Keeps what a model has made of the beginnings of prompts, in memory and beside the models.

Every question begins with the same instructions. What a model makes of them (its keys and values)
is copied back in milliseconds, where reading them again takes most of a second.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

_log = logging.getLogger(__name__)

LEAST = 32
"""Tokens of a beginning that is worth a file."""

IN_MEMORY, ON_DISK = 4, 8
_SUM = sha256().digest_size


class KeptHeads:
    """The states of sequences that hold a beginning, by the beginning's tokens."""

    def __init__(self, key: str = "", folder: Path | None = None) -> None:
        """``key`` says what made the states: model, library, processor. Without a ``folder`` they
        last as long as the object."""
        self._key = key
        self._folder = folder
        self._states: OrderedDict[tuple[int, ...], bytes] = OrderedDict()

    def get(self, head: tuple[int, ...]) -> bytes | None:
        """Return the state of a beginning, None if it is not known."""
        state = self._states.get(head)
        if state is None and (state := self._load(head)) is not None:
            self._remember(head, state)
        return state

    def put(self, head: tuple[int, ...], state: bytes) -> None:
        """Keep a state; the files used longest ago make room for it."""
        self._remember(head, state)
        if self._folder is None or len(head) < LEAST:
            return
        file = self._folder / self._name(head)
        part = file.with_suffix(".part")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            part.write_bytes(sha256(state).digest() + state)
            part.replace(file)
            known = sorted(self._folder.glob("*.head"), key=lambda path: path.stat().st_mtime)
            for path in known[:-ON_DISK]:
                path.unlink(missing_ok=True)
        except OSError as error:  # a full disk, or a folder without write access: it is read again
            _log.debug("cannot keep %s: %s", file, error)

    def _remember(self, head: tuple[int, ...], state: bytes) -> None:
        self._states[head] = state
        self._states.move_to_end(head)
        if len(self._states) > IN_MEMORY:
            self._states.popitem(last=False)

    def _load(self, head: tuple[int, ...]) -> bytes | None:
        if self._folder is None or len(head) < LEAST:
            return None
        file = self._folder / self._name(head)
        try:
            data = file.read_bytes()
        except OSError:  # not kept yet
            return None
        with suppress(OSError):  # a folder that is not ours: its files are used all the same
            file.touch()
        state = data[_SUM:]
        return state if sha256(state).digest() == data[:_SUM] else None

    def _name(self, head: tuple[int, ...]) -> str:
        return f"{sha256(repr((self._key, head)).encode()).hexdigest()[:32]}.head"
