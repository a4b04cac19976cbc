"""ask, and then the picture of how: open -> understand the question -> trace -> gather."""

from __future__ import annotations

from pathlib import Path

from ragcli.asking.opening import open_space
from ragcli.config import Settings
from ragcli.explore import Picture, Trace, gather
from ragcli.retrieve.lean import paths, seeds_of
from ragcli.retrieve.seeds import named_entities
from ragcli.types import Answer


def picture_of(store: Path, result: Answer, settings: Settings) -> Picture:
    """The graph with the way of an answer: over the hierarchy for ``lean``, else the names asked
    for."""
    with open_space(store, settings) as space:
        question = space.understand(result.question)
        if result.mode == "lean":
            seeds = seeds_of(space, question)
            path = paths(space, seeds)
        else:
            seeds = sorted(named_entities(question))
            path = [(0, row) for row in seeds]
        trace = Trace(result.question, result.reply.text, tuple(seeds), tuple(path))
        return gather(space.db, trace)
