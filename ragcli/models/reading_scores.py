"""How well language models have read: results of the reading test, kept beside the models."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from ragcli.models.kept_results import read_results, write_results
from ragcli.models.locate import file_fingerprint

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
    found = read_results(_FILE).get(_key(model))
    if not isinstance(found, dict):
        return None
    try:
        return ReadingScore(**{**found, "missed": tuple(found["missed"])})
    except (TypeError, KeyError):  # written by another release
        return None


def may_answer(model: Path) -> bool:
    """Return whether a model answers without the user's word: it has passed the test."""
    # Nothing of the model's file need be read where none has passed.
    if not any(
        isinstance(found, dict) and found.get("passed") for found in read_results(_FILE).values()
    ):
        return False
    score = kept_score(model)
    return score is not None and score.passed


def keep_score(model: Path, score: ReadingScore) -> None:
    """Keep the result of a model, whatever its name and place."""
    write_results(_FILE, read_results(_FILE) | {_key(model): asdict(score)})


def _key(model: Path) -> str:
    return f"{_RULES} {file_fingerprint(model)}"
