"""A file that keeps a conversation: one answer a line, as ``ask --json`` prints it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from ragcli.asking.answer_json import answer_json
from ragcli.errors import InputError
from ragcli.types import Answer


class Session:
    """The turns in a file; without a file nothing is kept."""

    def __init__(self, file: Path | None = None) -> None:
        """``file`` need not exist. Raises InputError if it is something else than a session."""
        self._file = file
        self._former = _read(file) if file is not None and file.exists() else []

    def questions(self) -> list[str]:
        """The questions of earlier turns, in order."""
        return [turn["question"] for turn in self._former]

    def last(self) -> tuple[str, str, list[str]] | None:
        """Question, answer and quotes of the last turn, None if there is none."""
        if not self._former:
            return None
        turn = self._former[-1]
        return turn["question"], turn["answer"], [c["quote"] for c in turn["citations"]]

    def add(self, turn: Answer) -> None:
        """Append a turn to the file. Raises InputError if it cannot be written."""
        if self._file is None:
            return
        try:
            with self._file.open("ab") as file:
                file.write(orjson.dumps(answer_json(turn)) + b"\n")
        except OSError as error:
            raise InputError(f"{self._file} cannot be written: {error.strerror}") from error


def _read(file: Path) -> list[dict[str, Any]]:
    try:
        turns = [orjson.loads(line) for line in file.read_bytes().splitlines() if line.strip()]
        for turn in turns:
            _ = turn["question"], turn["answer"], [c["quote"] for c in turn["citations"]]
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}") from error
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(
            f"{file} is not a conversation that ragcli has kept", "name a new file"
        ) from error
    return turns
