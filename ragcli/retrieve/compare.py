"""Compares the best passages of a walk with each other, and orders them again.

What is known of each passage (``compared_passages.py``) becomes numbers (``passage_features.py``).
A weighted sum of them and boosted trees make one score, fitted on questions over folders and on
questions that two documents answer together (``training/ranking``). Figures: docs/adr/ranking.md.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ragcli.models.trees import Trees
from ragcli.retrieve.base import Found, Helpers, Ranking
from ragcli.retrieve.compared_passages import ComparedPassages, compared_passages, directly_found
from ragcli.retrieve.passage_features import by_walk, features, mixed
from ragcli.retrieve.question import Question
from ragcli.retrieve.seeds import Floats, Start, begin
from ragcli.retrieve.walk import MAX_PASSAGES, Walked, ranking, run
from ragcli.search.search_index import SearchIndex

_WEIGHTS = Path(__file__).with_name("ranking.json")


def compared(index: SearchIndex, question: Question, k: int, helpers: Helpers) -> Ranking:
    """The k best passages of the walk after comparison; a score is the odds to be what is sought,
    up to a factor."""
    reached = walked_passages(index, question, k, helpers)
    if reached is None:
        return Ranking([])
    found, start, walked = reached
    logits = scores(found)
    order = np.lexsort((found.rows, -logits))[:k]
    best = ranking(index, start, walked, found.rows[order], np.exp(logits[order]))
    finds = zip(best.finds, found.marks[order] > 0, strict=True)
    return replace(best, finds=[_marked(find) if marked else find for find, marked in finds])


def _marked(find: Found) -> Found:
    return replace(find, note="; ".join(filter(None, (find.note, "holds the identifier"))))


def walked_passages(
    index: SearchIndex, question: Question, k: int, helpers: Helpers
) -> tuple[ComparedPassages, Start, Walked] | None:
    """The passages to compare for a question, k or more of them if there are, and their walk.

    None if the store is empty.
    """
    direct = directly_found(index, question)
    start = begin(index, question, MAX_PASSAGES, direct.rows)
    if not len(start.around):
        return None
    walked = run(index.passage_graph, start.seeds, start.around, start.suit)
    found = compared_passages(index, question, direct, start, walked, k, helpers.encode)
    return found, start, walked


def scores(found: ComparedPassages) -> Floats:
    """The score of each passage, (n,): log odds up to a summand."""
    rows = features(found, by_walk(found))
    linear, trees = _model()
    return np.asarray(np.round((mixed(rows) * linear).sum(axis=1) + trees.sums(rows), 6))


@cache
def _model() -> tuple[Floats, Trees]:
    fitted: dict[str, Any] = json.loads(_WEIGHTS.read_bytes())
    return np.array(fitted["weights"]), Trees(fitted["bias"], fitted["trees"])
