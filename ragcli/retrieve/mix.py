"""LightRAG's two levels together with the passages nearest to the question.

A near passage is referred to by the question itself, by as much as it is near. Fused by rank
instead, the dense ranking takes back what the graph has gained (docs/adr/light.md).
"""

from __future__ import annotations

from ragcli.retrieve.base import Found
from ragcli.retrieve.light import both, rank
from ragcli.retrieve.question import Question
from ragcli.retrieve.space import Space

# Nearest passages that count.
NEAREST = 20


def mix(space: Space, question: Question, k: int) -> list[Found]:
    """The k passages that both levels and the question's nearness refer to."""
    nearest = space.passages.search(question.vector, max(NEAREST, k))
    return rank(space, question, both(space, question), k, nearest)
