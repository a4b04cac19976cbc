"""Dense and lexical retrieval fused by rank: the baseline for retrieval with a graph."""

from __future__ import annotations

from ragcli.retrieve.base import Found, Helpers, Ranking
from ragcli.retrieve.bm25 import bm25
from ragcli.retrieve.fuse import reciprocal_rank_fusion
from ragcli.retrieve.naive import naive
from ragcli.retrieve.question import Question
from ragcli.search.search_index import SearchIndex

# Each ranking is read this many times deeper than the number of hits asked for.
DEPTH = 3


def dense_bm25(index: SearchIndex, question: Question, k: int, helpers: Helpers) -> Ranking:
    """The k best passages by reciprocal rank fusion of cosine and BM25."""
    lists = {
        "dense": naive(index, question, k * DEPTH, helpers).passages,
        "bm25": bm25(index, question, k * DEPTH, helpers).passages,
    }
    notes: dict[int, list[str]] = {}
    for name, rows in lists.items():
        for rank, row in enumerate(rows, 1):
            notes.setdefault(row, []).append(f"{name} rank {rank}")
    fused = reciprocal_rank_fusion(list(lists.values()))[:k]
    return Ranking([Found(None, row, score, ", ".join(notes[row])) for row, score in fused])
