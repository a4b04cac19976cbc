"""RAPTOR's collapsed tree (Sarthi et al. 2024, section 3): passages and summaries of all levels in
one ranking by similarity to the question.

The tree is the store's own, whose summaries are the documents' sentences, where the paper clusters
passages and lets a language model write. A summary among the nearest is given to the answerer as
it stands; to be found and cited it is stood for by its best passages.
"""

from __future__ import annotations

from ragcli.retrieve.base import Found
from ragcli.retrieve.e2 import best_of, leaves, nearest
from ragcli.retrieve.question import Question
from ragcli.retrieve.space import Space
from ragcli.types import Fact

# Nodes of the collapsed tree that the summaries for an answer are taken from.
NEAREST = 10


def raptor(space: Space, question: Question, k: int) -> list[Found]:
    """Passages of the k nearest nodes of the tree, at most k, in the order of the nodes."""
    found: dict[int, Found] = {}
    for score, kind, row in nearest(space, question, k):
        note = f"{kind}, similarity {score:.2f}"
        for passage in best_of(space, question, leaves(space, row)) if kind == "summary" else [row]:
            found.setdefault(passage, Found(None, passage, score, note))
    return list(found.values())[:k]


def raptor_facts(space: Space, question: Question) -> list[Fact]:
    """The summaries among the nearest nodes, nearest first."""
    facts = []
    for _, kind, row in nearest(space, question, NEAREST):
        if kind == "summary":
            name, level, text = space.db.execute(
                "SELECT CASE title WHEN '' THEN doc ELSE title END, level, text"
                " FROM nodes WHERE rowid = ?",
                (row,),
            ).fetchone()
            facts.append(Fact("entity", level, name or "everything", text))
    return facts
