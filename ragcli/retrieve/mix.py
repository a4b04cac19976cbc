"""LightRAG's two levels and the nearest passages, fused by rank."""

from __future__ import annotations

from ragcli.retrieve.base import Found
from ragcli.retrieve.fuse import reciprocal_rank_fusion
from ragcli.retrieve.hybrid import hybrid
from ragcli.retrieve.naive import naive
from ragcli.retrieve.question import Question
from ragcli.retrieve.space import Space

# Each ranking is read this many times deeper than the number of hits asked for.
DEPTH = 3


def mix(space: Space, question: Question, k: int) -> list[Found]:
    """The k best passages of the graph's ranking and the dense one."""
    lists = [strategy(space, question, k * DEPTH) for strategy in (hybrid, naive)]
    notes: dict[int, list[str]] = {}
    rankings: list[list[int]] = []
    for finds in lists:
        rankings.append([find.passage for find in finds if find.passage is not None])
        for find, row in zip(finds, rankings[-1], strict=True):
            notes.setdefault(row, []).append(find.note)
    fused = reciprocal_rank_fusion(rankings)[:k]
    return [Found(None, row, score, "; ".join(notes[row])) for row, score in fused]
