"""Query decomposition, after RQ-RAG (Chan et al. 2024): a language model takes the question apart,
and what is found for each part is fused by rank.

RQ-RAG trains a model to decide whether to take apart at all; here any model is asked, always, and
the question itself stays one of the searches.
"""

from __future__ import annotations

from ragcli.models.completion import Prompt
from ragcli.retrieve.base import Found, Helpers, Ranking
from ragcli.retrieve.dense_bm25 import DEPTH, dense_bm25
from ragcli.retrieve.fuse import reciprocal_rank_fusion
from ragcli.retrieve.question import Question, understand
from ragcli.search.search_index import SearchIndex

MOST = 4
MAX_TOKENS = 120

SYSTEM = """\
You prepare a search. Take the question you are given apart into two to four shorter questions, \
each about one thing that must be known to answer it. Name people, places and works in full in \
each of them. Write one question on a line and nothing else."""

GRAMMAR = r"""
root ::= line line line? line?
line ::= word " " [^?:\n]{4,120} "?\n"
word ::= "Who" | "Whose" | "What" | "When" | "Where" | "Which" | "Why" | "How" | is
is ::= "Is" | "Are" | "Was" | "Were" | "Do" | "Does" | "Did" | "Has" | "Have" | "Can"
"""


def decompose_prompt(question: str) -> Prompt:
    """What the language model is asked."""
    return Prompt(SYSTEM, f"Question: {question.strip()}", MAX_TOKENS, GRAMMAR)


def parts_of(reply: str, question: str) -> tuple[str, ...]:
    """The questions in a reply, each once; not the question itself, nor one that was cut off.

    >>> parts_of("Who made Lilu?\\nWho is Ann?\\nWho made Lilu?\\nWhere di", "Who is Ann?")
    ('Who made Lilu?',)
    """
    lines = (" ".join(line.split()) for line in reply.splitlines())
    whole = dict.fromkeys(line for line in lines if line.endswith("?") and line != question.strip())
    return tuple(whole)[:MOST]


def decompose(
    index: SearchIndex, question: Question, k: int, helpers: Helpers, reply: str
) -> Ranking:
    """The k best passages by fusion of ``dense_bm25`` for the question and for each part.

    A reply without parts leaves the question alone.
    """
    parts = parts_of(reply, question.text)
    asked = [question, *(understand(index.snapshot, part, helpers.encode) for part in parts)]
    rankings: list[list[int]] = []
    notes: dict[int, list[str]] = {}
    for number, part in enumerate(asked):
        rankings.append(dense_bm25(index, part, k * DEPTH, helpers).passages)
        what = f"part {number}" if number else "question"
        for rank, row in enumerate(rankings[-1], 1):
            notes.setdefault(row, []).append(f"{what} rank {rank}")
    fused = reciprocal_rank_fusion(rankings)[:k]
    return Ranking([Found(None, row, score, ", ".join(notes[row])) for row, score in fused])
