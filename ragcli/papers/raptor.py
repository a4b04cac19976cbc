"""RAPTOR's collapsed tree (Sarthi et al. 2024, section 3): passages and summaries of all levels in
one ranking by similarity to the question.

The paper clusters passages and summarises them with a language model. Here the tree is the store's
summary tree, whose summaries are sentences of the documents. The answerer gets a summary among the
nearest nodes as a fact; the summary's best passages represent it in hits and citations.
"""

from __future__ import annotations

from ragcli.papers.e2 import best_of, leaves, nearest
from ragcli.retrieve.base import Found, Helpers, Ranking
from ragcli.retrieve.question import Question
from ragcli.search.search_index import SearchIndex
from ragcli.types import Fact

# Number of nearest nodes of the collapsed tree whose summaries are facts for the answer.
NEAREST = 10


def raptor(index: SearchIndex, question: Question, k: int, _helpers: Helpers) -> Ranking:
    """Passages of the k nearest nodes of the tree, at most k, in the order of the nodes.

    The summaries among the nearest nodes are its facts, nearest first.
    """
    near = nearest(index, question, max(k, NEAREST))
    found: dict[int, Found] = {}
    for score, kind, row in near[:k]:
        note = f"{kind}, similarity {score:.2f}"
        for passage in best_of(index, question, leaves(index, row)) if kind == "summary" else [row]:
            found.setdefault(passage, Found(None, passage, score, note))
    facts = [_fact(index, row) for _, kind, row in near[:NEAREST] if kind == "summary"]
    return Ranking(list(found.values())[:k], tuple(facts))


def _fact(index: SearchIndex, node: int) -> Fact:
    name, level, text = index.snapshot.nodes.summary(node)
    return Fact("entity", level, name or "everything", text)
