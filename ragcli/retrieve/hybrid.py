"""LightRAG's low and high level combined."""

from __future__ import annotations

from ragcli.retrieve.base import Helpers, Ranking
from ragcli.retrieve.light import both, rank
from ragcli.retrieve.question import Question
from ragcli.search.search_index import SearchIndex


def hybrid(index: SearchIndex, question: Question, k: int, helpers: Helpers) -> Ranking:
    """The k passages that entities and relations of both levels refer to."""
    return rank(index, question, both(index, question, helpers), k)
