"""LightRAG's two levels together with the passages nearest to the question.

A near passage is referred to by the question itself, by as much as it is near. Fused by rank
instead, the dense ranking takes back what the graph has gained (docs/adr/light.md).
"""

from __future__ import annotations

from ragcli.retrieve.base import Helpers, Ranking
from ragcli.retrieve.light import both, rank
from ragcli.retrieve.question import Question
from ragcli.search.search_index import SearchIndex

# Nearest passages that count.
NEAREST = 20


def mix(index: SearchIndex, question: Question, k: int, helpers: Helpers) -> Ranking:
    """The k passages that both levels and the question's nearness refer to."""
    nearest = index.passages.search(question.vector, max(NEAREST, k))
    return rank(index, question, both(index, question, helpers), k, nearest)
