"""Retrieval: ranked hits for a question, in the mode ``auto`` or one of ``ragcli.papers``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ragcli.retrieve.auto import auto
from ragcli.retrieve.base import Found, Helpers, Mode, Ranking, Retrieval
from ragcli.retrieve.question import Question, understand
from ragcli.retrieve.table_heads import with_table_head
from ragcli.retrieve.walk import walk
from ragcli.search.search_index import SearchIndex
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Hit, Via

StoreHit = tuple[int, Hit]
"""The number of a store, and a hit in it."""

OWN = {"auto": Mode("auto", auto), "walk": Mode("walk", walk)}
"""The modes that are no paper's: the usual one, and its walk alone."""


def retrieve(
    index: SearchIndex, question: Question, mode: Mode, k: int, helpers: Helpers
) -> Retrieval:
    """The k best hits of a mode, with the facts, seeds and path it found."""
    ranking = _ranked(index, question, mode, k, helpers)
    return _retrieval(index, question, mode.name, ranking)


def retrieve_from(
    indexes: Sequence[SearchIndex],
    asked: AskedQuestion,
    mode: Mode,
    k: int,
    helpers: Helpers,
    *,
    to_read: bool = True,
) -> tuple[list[Retrieval], list[StoreHit]]:
    """What ``retrieve`` finds in each of one or several stores, and the k best hits of all.

    ``to_read``: with the heads of the tables that they begin in (``table_heads``). Of several
    stores, their scores are comparable (see ``several``).
    """
    first = understand(indexes[0].snapshot, asked, helpers.encode)
    questions = [first, *(first.in_store(index.snapshot) for index in indexes[1:])]
    rankings = [
        _ranked(index, question, mode, k, helpers)
        for index, question in zip(indexes, questions, strict=True)
    ]
    found = [
        _retrieval(index, question, mode.name, ranking)
        for index, question, ranking in zip(indexes, questions, rankings, strict=True)
    ]
    best = [(0, hit) for hit in found[0].hits]
    if len(indexes) > 1:
        from ragcli.retrieve.several import comparable

        best = _merged(found, comparable(indexes, rankings, found), k)
    if to_read and not any(one.facts for one in found):
        best = [(at, with_table_head(hit, indexes[at].snapshot.documents.text)) for at, hit in best]
    return found, best


def _merged(
    found: Sequence[Retrieval], scores: Sequence[Sequence[float]], k: int
) -> list[StoreHit]:
    """The k best hits of all stores by comparable scores."""
    best = sorted(
        (-score, rank, store)
        for store, listed in enumerate(scores)
        for rank, score in enumerate(listed)
    )
    return [
        (store, replace(found[store].hits[at], score=-score, rank=rank))
        for rank, (score, at, store) in enumerate(best[:k], 1)
    ]


def _ranked(
    index: SearchIndex, question: Question, mode: Mode, k: int, helpers: Helpers
) -> Ranking:
    ranking = mode.strategy(index, question, k, helpers)
    if index.whole:
        return ranking
    return replace(ranking, finds=[find for find in ranking.finds if _visible(index, find)])


def _retrieval(index: SearchIndex, question: Question, mode: str, ranking: Ranking) -> Retrieval:
    names = index.snapshot.entities.names(question.entities)
    return Retrieval(
        question,
        mode,
        tuple(_hit(index, mode, find, rank) for rank, find in enumerate(ranking.finds, 1)),
        tuple(names[row] for row in question.entities if row in names),
        ranking.facts,
        ranking.seeds,
        ranking.path,
        ranking.about_whole,
        ranking.selection,
    )


def _visible(index: SearchIndex, find: Found) -> bool:
    """Whether a find is within the scope of the index.

    Strategies search within it; this makes sure of what must not fail.
    """
    chunk = find.chunk if find.passage is None else index.snapshot.chunks.chunk_of(find.passage)
    return chunk is not None and index.holds_chunk(chunk)


def _hit(index: SearchIndex, mode: str, find: Found, rank: int) -> Hit:
    via = (Via(mode, rank, find.note),)
    if find.passage is not None:
        return index.passage_hit(find.passage, find.score, rank, via)
    assert find.chunk is not None, "a find is a passage or a chunk"
    return index.chunk_hit(find.chunk, find.score, rank, via)


__all__ = [
    "OWN",
    "Helpers",
    "Mode",
    "Question",
    "Retrieval",
    "retrieve",
    "retrieve_from",
    "understand",
]
