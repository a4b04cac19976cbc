"""Scored answers, one JSON line each, so that a killed evaluation continues where it stopped.

A line is ``{"key", "outcome"}``. The key is a hash of everything that the outcome depends on (store
generation, settings, case, mode). A stale line is therefore never found, and one file may contain
several sets of questions.
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


def read(path: Path) -> dict[str, CaseOutcome]:
    """Return the outcomes by key; none if the file does not exist. Damaged lines are skipped.

    A line without a newline was incomplete when the process died. It is dropped even if it parses.
    """
    if not path.exists():
        return {}
    whole, _, _ = path.read_bytes().rpartition(b"\n")
    found = (_outcome(line) for line in whole.split(b"\n"))
    return dict(pair for pair in found if pair is not None)


def _outcome(line: bytes) -> tuple[str, CaseOutcome] | None:
    try:
        record = orjson.loads(line)
        fields = record["outcome"]
        for name in ("wanted", "ranks", "documents"):
            fields[name] = tuple(fields[name])
        return str(record["key"]), CaseOutcome(**fields)
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        if line:
            _log.debug("a damaged line of the checkpoint is skipped: %r", error)
        return None


class Checkpoint:
    """Appends outcomes to a file; flushed after each line, synced after every 20th and at close.

    ``with Checkpoint(path) as checkpoint``; a path of None keeps nothing. An incomplete last line
    is removed first, so that the next line is not appended to it. OSError goes to the caller.
    """

    def __init__(self, path: Path | None) -> None:
        self.known: Mapping[str, CaseOutcome] = read(path) if path else {}
        self._file = at_last_line(path) if path else None
        self._unsynced = 0

    def add(self, name: str, outcome: CaseOutcome) -> None:
        """Append one outcome under its key."""
        if self._file is None:
            return
        self._file.write(orjson.dumps({"key": name, "outcome": asdict(outcome)}) + b"\n")
        self._file.flush()
        self._unsynced += 1
        if self._unsynced >= _SYNC_EVERY:
            self._sync()

    def _sync(self) -> None:
        if self._file is not None:
            os.fsync(self._file.fileno())
            self._unsynced = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._sync()
            self._file.close()


def at_last_line(path: Path) -> BinaryIO:
    """Open a file of lines for appending, and remove an incomplete last line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.open("a+b")
    file.seek(0)
    file.truncate(file.read().rfind(b"\n") + 1)
    return file
