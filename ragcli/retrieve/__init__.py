"""Retrieval: ranked hits for a question. One strategy per file, and a table of their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module

from ragcli.config import EVAL_MODES
from ragcli.errors import InputError
from ragcli.retrieve.auto import auto
from ragcli.retrieve.base import Assisted, Found, Helpers, Ranking, Retrieval, Strategy
from ragcli.retrieve.bm25 import bm25
from ragcli.retrieve.decompose import decompose, decompose_prompt
from ragcli.retrieve.dense_bm25 import dense_bm25
from ragcli.retrieve.hyde import hyde, hyde_prompt
from ragcli.retrieve.naive import naive
from ragcli.retrieve.question import Question, understand
from ragcli.retrieve.table_heads import with_table_head
from ragcli.retrieve.walk import walk
from ragcli.search.search_index import SearchIndex
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Hit, Via

StoreHit = tuple[int, Hit]
"""The number of a store, and a hit in it."""


def _later(name: str) -> Strategy:
    """The strategy of a module of the same name, which is imported when it is first used.

    A plain question uses one strategy and waits for no other.
    """

    def strategy(index: SearchIndex, question: Question, k: int, helpers: Helpers) -> Ranking:
        found: Ranking = getattr(import_module(f"ragcli.retrieve.{name}"), name)(
            index, question, k, helpers
        )
        return found

    return strategy


STRATEGIES: dict[str, Strategy] = {
    "auto": auto,
    "walk": walk,
    "naive": naive,
    "bm25": bm25,
    "dense+bm25": dense_bm25,
    "e2": _later("e2"),
    "raptor": _later("raptor"),
    "local": _later("local"),
    "global": _later("global_"),
    "hybrid": _later("hybrid"),
    "mix": _later("mix"),
    "lean": _later("lean"),
}

# Baselines of eval only: they wait for a language model, which takes longer than all other modes.
ASSISTED: dict[str, Assisted] = {
    "hyde": Assisted(hyde_prompt, hyde),
    "decompose": Assisted(decompose_prompt, decompose),
}


def retrieve(
    index: SearchIndex, question: Question, mode: str, k: int, helpers: Helpers
) -> Retrieval:
    """The k best hits of the strategy ``mode``, with the facts, seeds and path it found.

    Raises InputError for a mode that cannot be used.
    """
    ranking = _ranked(index, question, mode, k, helpers)
    return _retrieval(index, question, mode, ranking)


def retrieve_from(
    indexes: Sequence[SearchIndex],
    asked: AskedQuestion,
    mode: str,
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
        _retrieval(index, question, mode, ranking)
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


def _ranked(index: SearchIndex, question: Question, mode: str, k: int, helpers: Helpers) -> Ranking:
    if mode in ASSISTED:
        ranking = _assisted(index, question, mode, k, helpers)
    elif mode in STRATEGIES:
        ranking = STRATEGIES[mode](index, question, k, helpers)
    elif mode in EVAL_MODES:
        raise _for_eval_only(mode)
    else:
        known = ", ".join(STRATEGIES)
        raise InputError(f"unknown retrieval mode {mode!r}", f"choose one of: {known}")
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
        ranking.selection,
    )


def _assisted(
    index: SearchIndex, question: Question, mode: str, k: int, helpers: Helpers
) -> Ranking:
    if helpers.assistant is None:
        raise _for_eval_only(mode)
    ((_, reply),) = helpers.assistant.complete([ASSISTED[mode].prompt(question.asked)])
    return ASSISTED[mode].find(index, question, k, helpers, reply.text)


def _for_eval_only(mode: str) -> InputError:
    return InputError(
        f"the retrieval mode {mode!r} is a baseline for ragcli eval only",
        f"measure it with: ragcli eval QUESTIONS --modes {mode}; "
        f"ask with one of: {', '.join(STRATEGIES)}",
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
    "ASSISTED",
    "STRATEGIES",
    "Helpers",
    "Question",
    "Retrieval",
    "retrieve",
    "retrieve_from",
    "understand",
]
