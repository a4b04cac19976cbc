"""The default: dense, lexical and graph retrieval, fused by rank."""

from __future__ import annotations

from ragcli.retrieve.base import Found
from ragcli.retrieve.bm25 import bm25
from ragcli.retrieve.e2 import local
from ragcli.retrieve.fuse import reciprocal_rank_fusion
from ragcli.retrieve.naive import naive
from ragcli.retrieve.question import Question
from ragcli.retrieve.space import Space

# Each ranking is read this many times deeper than the number of hits asked for.
DEPTH = 3


def auto(space: Space, question: Question, k: int) -> list[Found]:
    """Passages by reciprocal rank fusion; chunks of the graph come in by their best passage."""
    lists = {
        "dense": naive(space, question, k * DEPTH),
        "bm25": bm25(space, question, k * DEPTH),
        "graph": local(space, question, k),
    }
    notes: dict[int, list[str]] = {}
    rankings = []
    for name, finds in lists.items():
        rows = [_passage(space, question, find) for find in finds]
        rankings.append(list(dict.fromkeys(rows)))
        for rank, (row, find) in enumerate(zip(rows, finds, strict=True), 1):
            notes.setdefault(row, []).append(f"{name} rank {rank} ({find.note})")
    fused = reciprocal_rank_fusion(rankings)[:k]
    return [Found(None, row, score, ", ".join(notes[row])) for row, score in fused]


def _passage(space: Space, question: Question, find: Found) -> int:
    if find.passage is not None:
        return find.passage
    assert find.chunk is not None, "a find is a passage or a chunk"
    return space.best_passage(find.chunk, question.vector)
