"""What every strategy takes and gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ragcli.models.completion import Prompt
from ragcli.retrieve.question import Question
from ragcli.retrieve.space import Space
from ragcli.types import Fact


@dataclass(frozen=True, slots=True)
class Found:
    """A passage row (or a whole chunk, when ``passage`` is None) with its score and the reason."""

    chunk: int | None
    passage: int | None
    score: float
    note: str = ""


# (space, question, k) -> at most k finds, best first
Strategy = Callable[[Space, Question, int], list[Found]]

# (space, question) -> what the graph says beside the passages, most important first
Tells = Callable[[Space, Question], list[Fact]]


@dataclass(frozen=True, slots=True)
class Assisted:
    """A strategy that has a language model write something first, and searches with that.

    ``prompt`` maps the question's text to what the model is asked; ``find`` is a strategy that is
    given the reply, too.
    """

    prompt: Callable[[str], Prompt]
    find: Callable[[Space, Question, int, str], list[Found]]
