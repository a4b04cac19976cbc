"""Lexical retrieval: BM25 over the passages' words and titles."""

from __future__ import annotations

from ragcli.retrieve.base import Found
from ragcli.retrieve.question import Question
from ragcli.retrieve.space import Space
from ragcli.search import lexical


def bm25(space: Space, question: Question, k: int) -> list[Found]:
    """The k best passages by BM25."""
    best = lexical.search(space.db, question.text, k)
    return [Found(None, row, score, f"BM25 {score:.1f}") for row, score in best]
