"""From an answer to the picture of how it came about."""

from __future__ import annotations

from ragcli.asking.ask import AskResult
from ragcli.explore import Trace


def trace_of(asked: AskResult) -> Trace:
    """Where retrieval began in the graph, and all places that it came through."""
    found = asked.retrieval
    return Trace(asked.answer.question, asked.answer.reply.text, found.seeds, found.path)
