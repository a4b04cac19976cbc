"""LightRAG's low level: passages of the question's entities, their relations and neighbours."""

from __future__ import annotations

from ragcli.retrieve.base import Helpers, Ranking
from ragcli.retrieve.light import low, rank
from ragcli.retrieve.question import Question
from ragcli.search.search_index import SearchIndex


def local(index: SearchIndex, question: Question, k: int, helpers: Helpers) -> Ranking:
    """The k passages that the question's entities, their relations and neighbours refer to."""
    return rank(index, question, low(index, question, helpers), k)
