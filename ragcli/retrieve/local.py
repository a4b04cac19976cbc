"""LightRAG's low level: what the question names, what it is related to, and where that is said."""

from __future__ import annotations

from ragcli.retrieve.base import Found
from ragcli.retrieve.light import low, rank
from ragcli.retrieve.question import Question
from ragcli.retrieve.space import Space


def local(space: Space, question: Question, k: int) -> list[Found]:
    """The k passages that the question's entities, their relations and neighbours refer to."""
    return rank(space, question, low(space, question), k)
