"""ask, and then the picture of how: open -> ask -> trace -> gather."""

from __future__ import annotations

from pathlib import Path

from ragcli.asking.ask import AskResult, ask_in, opened
from ragcli.config import Settings
from ragcli.explore import Picture, Trace, gather
from ragcli.stage_timer import Clock
from ragcli.types import Answer, Report, silent


def ask_and_draw(
    store: Path, text: str, settings: Settings, report: Report = silent
) -> tuple[Answer, Picture]:
    """Answer one question, and draw the graph with the way that retrieval went through it."""
    clock = Clock()
    with opened(store, settings, report, clock) as (index, helpers):
        asked = ask_in(index, text, settings, helpers, clock)
        return asked.answer, gather(index.snapshot, trace_of(asked))


def trace_of(asked: AskResult) -> Trace:
    """Where retrieval began in the graph, and all places that it came through."""
    found = asked.retrieval
    return Trace(asked.answer.question, asked.answer.reply.text, found.seeds, found.path)
