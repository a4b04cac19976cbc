"""Lexical retrieval: BM25 over the passages' words and titles."""

from __future__ import annotations

from ragcli.retrieve.base import Found, Helpers, Ranking
from ragcli.retrieve.question import Question
from ragcli.search.search_index import SearchIndex


def bm25(index: SearchIndex, question: Question, k: int, _helpers: Helpers) -> Ranking:
    """The k best passages by BM25."""
    best = index.by_words(question.asked, k)
    return Ranking([Found(None, row, score, f"BM25 {score:.1f}") for row, score in best])
