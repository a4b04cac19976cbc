"""LightRAG's two levels together."""

from __future__ import annotations

from ragcli.retrieve.base import Found
from ragcli.retrieve.light import both, rank
from ragcli.retrieve.question import Question
from ragcli.retrieve.space import Space


def hybrid(space: Space, question: Question, k: int) -> list[Found]:
    """The k passages that entities and relations of both levels refer to."""
    return rank(space, question, both(space, question), k)
