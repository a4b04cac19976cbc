"""What looking up finds."""

from __future__ import annotations

from dataclasses import dataclass

from ragcli.answer.windows import Stretch


@dataclass(frozen=True, slots=True)
class LookedUp:
    """The words that answer, each a stretch of a document; ``listed``: several were asked for.

    ``confidence`` is the probability that they are right.
    """

    places: tuple[Stretch, ...]
    confidence: float
    listed: bool = False
