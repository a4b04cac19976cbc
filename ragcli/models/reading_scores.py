"""How well language models have read: results of the reading test, kept beside the models."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import orjson

from ragcli.models.locate import file_fingerprint, models_folder

_FILE = "reading-tests.json"
_RULES = 1
"""Raise it when another test, or another pass mark, makes kept results worthless."""


@dataclass(frozen=True, slots=True)
class ReadingScore:
    """How many questions of the test a model got right, whether that is enough to answer by
    itself, and the questions that it got wrong."""

    right: int
    asked: int
    passed: bool
    missed: tuple[str, ...] = ()


def kept_score(model: Path) -> ReadingScore | None:
    """Return the result of a model (a GGUF file), None if it has not been tested."""
    found = _read().get(_key(model))
    if not isinstance(found, dict):
        return None
    try:
        return ReadingScore(**{**found, "missed": tuple(found["missed"])})
    except (TypeError, KeyError):  # written by another release
        return None


def may_answer(model: Path) -> bool:
    """Return whether a model answers without the user's word: it has passed the test."""
    # Nothing of the model's file need be read where none has passed.
    if not any(isinstance(found, dict) and found.get("passed") for found in _read().values()):
        return False
    score = kept_score(model)
    return score is not None and score.passed


def keep_score(model: Path, score: ReadingScore) -> None:
    """Keep the result of a model, whatever its name and place."""
    known = _read() | {_key(model): asdict(score)}
    folder = models_folder()
    folder.mkdir(parents=True, exist_ok=True)
    partial = folder / f".{_FILE}.part"
    partial.write_bytes(orjson.dumps(known, option=orjson.OPT_INDENT_2))
    partial.replace(folder / _FILE)


def _key(model: Path) -> str:
    return f"{_RULES} {file_fingerprint(model)}"


def _read() -> dict[str, object]:
    """The kept results; a file that is missing or damaged holds none: it is made again."""
    file = models_folder() / _FILE
    if not file.is_file():
        return {}
    try:
        found = orjson.loads(file.read_bytes())
    except orjson.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}
