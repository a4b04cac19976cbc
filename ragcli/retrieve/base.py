"""The types of arguments and results that all strategies share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ragcli.retrieve.question import Question
from ragcli.search.search_index import SearchIndex
from ragcli.store.snapshot.hierarchy import Place
from ragcli.types import Fact, Hit

if TYPE_CHECKING:
    from ragcli.models.completion import Completer

# Texts -> unit vectors (n, dim).
Encode = Callable[[Sequence[str]], NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Helpers:
    """The models that retrieval may use.

    ``encode`` embeds questions and ``encode_passages`` what is compared with them, for models that
    were trained with a prompt before either (None: both are the same).
    ``model`` writes the keywords of a question in the modes that use keywords (None: the keywords
    come from its words); ``assistant`` writes the search texts of the baselines of ``eval``.
    """

    encode: Encode
    model: Completer | None = None
    assistant: Completer | None = None
    encode_passages: Encode | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A passage row (or a whole chunk, when ``passage`` is None) with its score and the reason."""

    chunk: int | None
    passage: int | None
    score: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class Related:
    """Two entity rows (a < b), their score, and the passages that state the relation."""

    pair: tuple[int, int]
    score: float
    passages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Selection:
    """Entity rows with their scores, and relations; both best first.

    ``seeds`` are the entities found directly from the question.
    """

    entities: dict[int, float]
    relations: tuple[Related, ...]
    seeds: tuple[int, ...] = ()

    @property
    def path(self) -> tuple[Place, ...]:
        """All entities selected, and the ends of all relations."""
        ends = (row for related in self.relations for row in related.pair)
        return tuple((0, row) for row in dict.fromkeys((*self.entities, *ends)))


@dataclass(frozen=True, slots=True)
class Ranking:
    """The result of a strategy: at most k finds, best first, and the path to them.

    ``facts``: statements of the graph, most important first. ``seeds``: the entity rows where the
    search started; ``path``: all graph nodes on the path to the finds. ``about_whole``: the finds
    come from the summary tree. ``selection``: the selection of a LightRAG mode.
    """

    finds: list[Found]
    facts: tuple[Fact, ...] = ()
    seeds: tuple[int, ...] = ()
    path: tuple[Place, ...] = ()
    about_whole: bool = False
    selection: Selection | None = None

    @property
    def passages(self) -> list[int]:
        """Passage rows of the finds, without those that are whole chunks."""
        return [find.passage for find in self.finds if find.passage is not None]


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The result of retrieval for a question; context, answer and graph page all use it.

    ``names`` are the names of the entities in the question; the other fields are as in Ranking.
    """

    question: Question
    mode: str
    hits: tuple[Hit, ...]
    names: tuple[str, ...]
    facts: tuple[Fact, ...] = ()
    seeds: tuple[int, ...] = ()
    path: tuple[Place, ...] = ()
    about_whole: bool = False
    selection: Selection | None = None


# (index, question, k, helpers) -> at most k finds, best first, and how they were found
Strategy = Callable[[SearchIndex, Question, int, Helpers], Ranking]


@dataclass(frozen=True, slots=True)
class Mode:
    """A strategy and the name that a user knows it by."""

    name: str
    strategy: Strategy
