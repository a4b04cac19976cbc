"""LightRAG's high level: relations that state what the question is about, and where they do."""

from __future__ import annotations

from ragcli.retrieve.base import Found
from ragcli.retrieve.light import high, rank
from ragcli.retrieve.question import Question
from ragcli.retrieve.space import Space


def global_(space: Space, question: Question, k: int) -> list[Found]:
    """The k passages that relations near the question's themes, and their ends, refer to."""
    return rank(space, question, high(space, question), k)
