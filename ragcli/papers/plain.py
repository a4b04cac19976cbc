"""The plain searches that every other mode is measured against: by vectors, by words, by both."""

from __future__ import annotations

from ragcli.papers.fuse import reciprocal_rank_fusion
from ragcli.retrieve.base import Found, Helpers, Ranking
from ragcli.retrieve.question import Question
from ragcli.search.search_index import SearchIndex

# ``dense_bm25`` reads each ranking this many times deeper than the number of hits asked for.
DEPTH = 3


def naive(index: SearchIndex, question: Question, k: int, _helpers: Helpers) -> Ranking:
    """The k nearest passages by cosine."""
    nearest = index.passages.search(question.vector, k)
    finds = [Found(None, row, score, f"similarity {score:.2f}") for row, score in nearest]
    return Ranking(finds)


def bm25(index: SearchIndex, question: Question, k: int, _helpers: Helpers) -> Ranking:
    """The k best passages by BM25 over their words and titles."""
    best = index.by_words(question.asked, k)
    return Ranking([Found(None, row, score, f"BM25 {score:.1f}") for row, score in best])


def dense_bm25(index: SearchIndex, question: Question, k: int, helpers: Helpers) -> Ranking:
    """The k best passages by reciprocal rank fusion of cosine and BM25."""
    lists = {
        "dense": naive(index, question, k * DEPTH, helpers).passages,
        "bm25": bm25(index, question, k * DEPTH, helpers).passages,
    }
    return fused(lists, k)


def fused(lists: dict[str, list[int]], k: int) -> Ranking:
    """The k best passages by fusion of named rankings; notes give the rank in each of them."""
    notes: dict[int, list[str]] = {}
    for name, rows in lists.items():
        for rank, row in enumerate(rows, 1):
            notes.setdefault(row, []).append(f"{name} rank {rank}")
    best = reciprocal_rank_fusion(list(lists.values()))[:k]
    return Ranking([Found(None, row, score, ", ".join(notes[row])) for row, score in best])
