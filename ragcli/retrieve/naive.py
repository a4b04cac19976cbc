"""Dense retrieval: the passages whose vectors are nearest to the question's."""

from __future__ import annotations

from ragcli.retrieve.base import Found
from ragcli.retrieve.question import Question
from ragcli.retrieve.space import Space


def naive(space: Space, question: Question, k: int) -> list[Found]:
    """The k nearest passages by cosine."""
    nearest = space.passages.search(question.vector, k)
    return [Found(None, row, score, f"similarity {score:.2f}") for row, score in nearest]
