"""Question in, ranked hits out: one strategy per file, and the table that names them."""

from __future__ import annotations

from ragcli.errors import InputError
from ragcli.retrieve.auto import auto
from ragcli.retrieve.base import Assisted, Found, Strategy, Tells
from ragcli.retrieve.bm25 import bm25
from ragcli.retrieve.decompose import decompose, decompose_prompt
from ragcli.retrieve.dense_bm25 import dense_bm25
from ragcli.retrieve.e2 import e2
from ragcli.retrieve.global_ import global_
from ragcli.retrieve.hybrid import hybrid
from ragcli.retrieve.hyde import hyde, hyde_prompt
from ragcli.retrieve.lean import evidence, lean, lean_facts
from ragcli.retrieve.local import local
from ragcli.retrieve.mix import mix
from ragcli.retrieve.naive import naive
from ragcli.retrieve.question import Question
from ragcli.retrieve.raptor import raptor, raptor_facts
from ragcli.retrieve.space import Space
from ragcli.retrieve.walk import walk
from ragcli.types import Fact, Hit, Via

STRATEGIES: dict[str, Strategy] = {
    "auto": auto,
    "walk": walk,
    "naive": naive,
    "bm25": bm25,
    "dense+bm25": dense_bm25,
    "e2": e2,
    "raptor": raptor,
    "local": local,
    "global": global_,
    "hybrid": hybrid,
    "mix": mix,
    "lean": lean,
}

# Baselines of eval. They are no modes of ask: a model writes for longer than all other modes need.
ASSISTED: dict[str, Assisted] = {
    "hyde": Assisted(hyde_prompt, hyde),
    "decompose": Assisted(decompose_prompt, decompose),
}

# Modes whose context is made of facts and passages, whoever answers.
FACTS: dict[str, Tells] = {"raptor": raptor_facts, "lean": lean_facts}


def facts_of(space: Space, question: Question, mode: str) -> list[Fact]:
    """What the graph says beside the hits, by the strategy called ``mode``; often nothing."""
    return FACTS[mode](space, question) if mode in FACTS else []


def retrieve(space: Space, question: Question, mode: str, k: int) -> list[Hit]:
    """The k best hits by the strategy called ``mode``; InputError for one that cannot be used."""
    if mode in ASSISTED:
        finds = _assisted(space, question, mode, k)
    elif mode in STRATEGIES:
        finds = STRATEGIES[mode](space, question, k)
    else:
        known = ", ".join(STRATEGIES)
        raise InputError(f"unknown retrieval mode {mode!r}", f"choose one of: {known}")
    return [_hit(space, mode, find, rank) for rank, find in enumerate(finds, 1)]


def _assisted(space: Space, question: Question, mode: str, k: int) -> list[Found]:
    if space.assistant is None:
        raise InputError(
            f"the retrieval mode {mode!r} is a baseline for ragcli eval only",
            f"measure it with: ragcli eval QUESTIONS --modes {mode}; "
            f"ask with one of: {', '.join(STRATEGIES)}",
        )
    ((_, reply),) = space.assistant.complete([ASSISTED[mode].prompt(question.text)])
    return ASSISTED[mode].find(space, question, k, reply.text)


def _hit(space: Space, mode: str, find: Found, rank: int) -> Hit:
    via = (Via(mode, rank, find.note),)
    if find.passage is not None:
        return space.passage_hit(find.passage, find.score, rank, via)
    assert find.chunk is not None, "a find is a passage or a chunk"
    return space.chunk_hit(find.chunk, find.score, rank, via)


__all__ = ["ASSISTED", "STRATEGIES", "Question", "Space", "evidence", "facts_of", "retrieve"]
