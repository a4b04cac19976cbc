"""What every strategy takes and gives, and the one result that all of retrieval is."""

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
    from ragcli.models.completion import Completer, Prompt

# Texts -> unit vectors (n, dim).
Encode = Callable[[Sequence[str]], NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Helpers:
    """The models that retrieval may use.

    ``model`` writes the keywords of a question, in the modes that have some (None: they are taken
    from its words); ``assistant`` writes what the baselines of ``eval`` search with.
    """

    encode: Encode
    model: Completer | None = None
    assistant: Completer | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A passage row (or a whole chunk, when ``passage`` is None) with its score and the reason."""

    chunk: int | None
    passage: int | None
    score: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class Related:
    """Two entity rows (a < b), how well they match, and the passages that say so."""

    pair: tuple[int, int]
    score: float
    passages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Selection:
    """Entity rows with their scores, and relations; both best first.

    ``seeds`` are the entities that the question itself led to.
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
    """What a strategy gives: at most k finds, best first, and how it came to them.

    ``facts``: what the graph says beside the passages, most important first. ``seeds``: the entity
    rows it began at; ``path``: all places of the graph on the way to the finds. ``about_whole``:
    the question was answered from the summary tree. ``selection``: what a mode of LightRAG chose.
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
    """All that was retrieved for a question, once: its context, its answer and its picture use it.

    ``names`` are of the entities that the question names; the rest is as in Ranking.
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
class Assisted:
    """A strategy that has a language model write something first, and searches with that.

    ``prompt`` maps the question's text to what the model is asked; ``find`` is a strategy that is
    given the reply, too.
    """

    prompt: Callable[[str], Prompt]
    find: Callable[[SearchIndex, Question, int, Helpers, str], Ranking]
