"""Dense retrieval: the passages whose vectors are nearest to the question's."""

from __future__ import annotations

from ragcli.retrieve.base import Found, Helpers, Ranking
from ragcli.retrieve.question import Question
from ragcli.search.search_index import SearchIndex


def naive(index: SearchIndex, question: Question, k: int, _helpers: Helpers) -> Ranking:
    """The k nearest passages by cosine."""
    nearest = index.passages.search(question.vector, k)
    finds = [Found(None, row, score, f"similarity {score:.2f}") for row, score in nearest]
    return Ranking(finds)
