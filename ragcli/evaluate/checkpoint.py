"""Results that a killed evaluation has kept: one JSON line ``[name, value]`` each.

The name of a scored answer is a hash of everything that it depends on (store generation, settings,
case, mode). A stale line is therefore never found, and one file may contain several sets.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO, Self

import orjson

from ragcli.evaluate.cases import Case
from ragcli.evaluate.results import CaseOutcome, EvalSettings

_log = logging.getLogger(__name__)

# Increase it when the meaning of a score changes; questions of old lines are then asked again.
_FORMAT = 2
_SYNC_EVERY = 20


def key(case: Case, mode: str, settings: EvalSettings) -> str:
    """Return SHA-256 over everything that the outcome of this case in this mode depends on."""
    parts: list[Any] = [
        _FORMAT,
        settings.generation,
        settings.digest,
        settings.ks,
        settings.depth,
        settings.answers,
        mode,
        asdict(case),
    ]
    return hashlib.sha256(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)).hexdigest()


def outcome_of(kept: Mapping[str, Any]) -> CaseOutcome:
    """A scored answer from its line."""
    fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in kept.items()}
    return CaseOutcome(**fields)


def read(path: Path) -> dict[str, Any]:
    """The values by name; none if the file does not exist. Damaged lines are skipped.

    A line without a newline was incomplete when the process died. It is dropped even if it parses.
    """
    known: dict[str, Any] = {}
    whole = path.read_bytes().rpartition(b"\n")[0] if path.exists() else b""
    for line in whole.splitlines():
        try:
            name, value = orjson.loads(line)
        except (ValueError, TypeError) as error:
            _log.debug("a damaged line of the checkpoint is skipped: %r", error)
        else:
            known[str(name)] = value
    return known


class KeptLines:
    """Values by name, appended to a file; flushed after each line, synced after every 20th and at
    close.

    ``with KeptLines(path) as kept``; a path of None keeps them in memory only. An incomplete last
    line is removed first, so that the next line is not appended to it. OSError goes to the caller.
    """

    def __init__(self, path: Path | None) -> None:
        self.known: dict[str, Any] = read(path) if path else {}
        """Values of earlier runs as JSON has them, and those of this run as they were added."""
        self._file = _at_last_line(path) if path else None
        self._unsynced = 0

    def add(self, name: str, value: object) -> None:
        """Append one value (what JSON has, or a dataclass) under its name."""
        self.known[name] = value
        if self._file is None:
            return
        self._file.write(orjson.dumps([name, value]) + b"\n")
        self._file.flush()
        self._unsynced += 1
        if self._unsynced >= _SYNC_EVERY:
            os.fsync(self._file.fileno())
            self._unsynced = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            os.fsync(self._file.fileno())
            self._file.close()


def _at_last_line(path: Path) -> BinaryIO:
    """Open a file of lines for appending, and remove an incomplete last line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.open("a+b")
    file.seek(0)
    file.truncate(file.read().rfind(b"\n") + 1)
    return file
