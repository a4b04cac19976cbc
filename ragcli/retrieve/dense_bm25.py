"""Dense and lexical retrieval fused by rank: the baseline that any graph has to beat."""

from __future__ import annotations

from ragcli.retrieve.base import Found
from ragcli.retrieve.bm25 import bm25
from ragcli.retrieve.fuse import reciprocal_rank_fusion
from ragcli.retrieve.naive import naive
from ragcli.retrieve.question import Question
from ragcli.retrieve.space import Space

# Each ranking is read this many times deeper than the number of hits asked for.
DEPTH = 3


def dense_bm25(space: Space, question: Question, k: int) -> list[Found]:
    """The k best passages by reciprocal rank fusion of cosine and BM25."""
    lists = {
        "dense": naive(space, question, k * DEPTH),
        "bm25": bm25(space, question, k * DEPTH),
    }
    notes: dict[int, list[str]] = {}
    rankings: list[list[int]] = []
    for name, finds in lists.items():
        rankings.append([find.passage for find in finds if find.passage is not None])
        for rank, row in enumerate(rankings[-1], 1):
            notes.setdefault(row, []).append(f"{name} rank {rank}")
    fused = reciprocal_rank_fusion(rankings)[:k]
    return [Found(None, row, score, ", ".join(notes[row])) for row, score in fused]
