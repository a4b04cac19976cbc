"""LightRAG's two levels combined with the passages nearest to the question.

The question itself refers to a near passage, weighted by its similarity. With fusion by rank, the
dense ranking would undo the gain of the graph (docs/adr/light.md).
"""

from __future__ import annotations

from ragcli.retrieve.base import Helpers, Ranking
from ragcli.retrieve.light import both, rank
from ragcli.retrieve.question import Question
from ragcli.search.search_index import SearchIndex

# Nearest passages that count.
NEAREST = 20


def mix(index: SearchIndex, question: Question, k: int, helpers: Helpers) -> Ranking:
    """The k passages that both levels refer to, or that are nearest to the question."""
    nearest = index.passages.search(question.vector, max(NEAREST, k))
    return rank(index, question, both(index, question, helpers), k, nearest)
