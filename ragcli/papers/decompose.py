"""Query decomposition, after RQ-RAG (Chan et al. 2024): a language model splits the question, and
the results for each part are fused by rank.

RQ-RAG trains a model to decide whether to split a question. This module always splits it, with any
model, and also searches with the question itself.
"""

from __future__ import annotations

from ragcli.models.completion import Prompt
from ragcli.papers.assistant import reply_to
from ragcli.papers.plain import DEPTH, dense_bm25, fused
from ragcli.retrieve.base import Helpers, Ranking
from ragcli.retrieve.question import Question, understand
from ragcli.search.search_index import SearchIndex
from ragcli.text.asked_question import AskedQuestion

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


def decompose_prompt(asked: AskedQuestion) -> Prompt:
    """The prompt for the language model."""
    return Prompt(SYSTEM, f"Question: {asked.text.strip()}", MAX_TOKENS, GRAMMAR)


def parts_of(reply: str, asked: AskedQuestion) -> tuple[str, ...]:
    """The distinct questions in a reply, without the question itself and without a truncated one.

    >>> asked = AskedQuestion("Who is Ann?")
    >>> parts_of("Who made Lilu?\\nWho is Ann?\\nWho made Lilu?\\nWhere di", asked)
    ('Who made Lilu?',)
    """
    lines = (" ".join(line.split()) for line in reply.splitlines())
    own = asked.text.strip()
    whole = dict.fromkeys(line for line in lines if line.endswith("?") and line != own)
    return tuple(whole)[:MOST]


def decompose(index: SearchIndex, question: Question, k: int, helpers: Helpers) -> Ranking:
    """The k best passages by fusion of ``dense_bm25`` for the question and for each part.

    If the assistant's reply has no parts, only the question is used.
    """
    parts = parts_of(
        reply_to(decompose_prompt(question.asked), helpers, "decompose"), question.asked
    )
    lists = {"question": dense_bm25(index, question, k * DEPTH, helpers).passages}
    for number, part in enumerate(parts, 1):
        understood = understand(index.snapshot, AskedQuestion(part), helpers.encode)
        lists[f"part {number}"] = dense_bm25(index, understood, k * DEPTH, helpers).passages
    return fused(lists, k)
