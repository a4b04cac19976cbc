"""LightRAG's high level: passages of the relations that match the topics of the question."""

from __future__ import annotations

from ragcli.retrieve.base import Helpers, Ranking
from ragcli.retrieve.light import high, rank
from ragcli.retrieve.question import Question
from ragcli.search.search_index import SearchIndex


def global_(index: SearchIndex, question: Question, k: int, helpers: Helpers) -> Ranking:
    """The k passages that relations near the question's themes, and their ends, refer to."""
    return rank(index, question, high(index, question, helpers), k)
