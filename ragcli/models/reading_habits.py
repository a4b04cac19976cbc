"""How language models read chunks on this machine, kept beside them for the next estimate."""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass

from ragcli.models.kept_results import read_results, write_results

_log = logging.getLogger(__name__)

_FILE = "reading-habits.json"
MOST = 32
"""Methods that are kept; the one noted longest ago goes first."""


@dataclass(frozen=True, slots=True)
class ReadingHabit:
    """Tokens written for each token of the prompts; tokens read and written per second."""

    share: float
    read_speed: float
    write_speed: float


def kept_habit(method: str) -> ReadingHabit | None:
    """Return what the last run noted; ``method`` names the model and its prompts."""
    found = read_results(_FILE).get(method)
    if not isinstance(found, dict):
        return None
    try:
        habit = ReadingHabit(**{name: float(value) for name, value in found.items()})
    except (TypeError, ValueError):  # written by another release
        return None
    return habit if min(habit.read_speed, habit.write_speed) > 0 else None


def keep_habit(method: str, habit: ReadingHabit) -> None:
    """Keep it; where nothing can be written, the next estimate measures anew."""
    known = read_results(_FILE)
    known.pop(method, None)
    known[method] = asdict(habit)
    try:
        write_results(_FILE, dict(list(known.items())[-MOST:]))
    except OSError as error:
        _log.debug("cannot keep how the model reads: %s", error)
