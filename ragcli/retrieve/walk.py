"""Personalised PageRank over passages and the names in them, without calls to a language model.

The walk alternates between passages and names. It starts at the names in the question and at the
passages nearest to it (``seeds.py``). A passage reached from both over a rare name therefore ranks
high even if it shares no word with the question. A step to a passage is weighted by the passage's
relevance (``suit``), a step to a name by the best relevance among the name's other passages.
Relevance only affects the seeds and the steps. It is not part of the final score, where it would
favour the nearest passages.

Ideas from HippoRAG 2 (Gutierrez et al. 2025) and LinearRAG (2025); figures in docs/adr/walk.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragcli.graph.pagerank import personalised_pagerank
from ragcli.retrieve.base import Found, Helpers, Ranking
from ragcli.retrieve.question import Question
from ragcli.retrieve.seeds import Floats, Ints, Seeds, Start, begin
from ragcli.search.passage_graph import PassageGraph
from ragcli.search.search_index import SearchIndex

DAMPING = 0.8
# 0.8 ** 20 = 0.01: more rounds do not change the top ranks.
STEPS = 20
# Weight of a step to a name without other passages; the best relevance of other passages is added.
NOWHERE = 0.2
# A larger graph is walked around the seeds only; see PassageGraph.around.
MAX_PASSAGES = 2000


@dataclass(frozen=True, slots=True)
class Walked:
    """Passages of the walk, ascending, and the probability of each; for names likewise."""

    passages: Ints
    scores: Floats
    entities: Ints
    reached: Floats

    def best(self, k: int) -> Ints:
        """Positions of the k passages with the highest probability, best first; ties by row."""
        return np.lexsort((self.passages, -self.scores))[:k]


def walk(
    index: SearchIndex,
    question: Question,
    k: int,
    _helpers: Helpers,
    limit: int = MAX_PASSAGES,
) -> Ranking:
    """The k passages with the highest probability; the note gives the names on the path.

    The walk covers at most ``limit`` passages: those nearest to the seeds, hop by hop. The path
    contains the names where the walk started and the names through which it reached the passages.
    """
    start = begin(index, question, limit)
    if not len(start.around):
        return Ranking([])
    walked = run(index.passage_graph, start.seeds, start.around, start.suit)
    best = walked.best(k)
    return ranking(index, start, walked, walked.passages[best], walked.scores[best])


def ranking(
    index: SearchIndex, start: Start, walked: Walked, passages: Ints, scores: Floats
) -> Ranking:
    """Some passages of a walk, best first, with their scores: how the walk reached each of them."""
    graph = index.passage_graph
    ways = [_way(graph, start.seeds, walked, passages[i : i + 1]) for i in range(len(passages))]
    notes = _notes(index, start, passages.tolist(), ways)
    finds = [
        Found(None, passage, score, note)
        for passage, score, note in zip(passages.tolist(), scores.tolist(), notes, strict=True)
    ]
    seeds = tuple(start.seeds.entities.tolist())
    passed = dict.fromkeys((*seeds, *(row for _, names in ways for row in names)))
    return Ranking(finds, seeds=seeds, path=tuple((0, row) for row in passed))


def run(graph: PassageGraph, seeds: Seeds, around: Ints, suit: Floats) -> Walked:
    """Walk the part of the graph with the passages ``around`` (ascending) and their names.

    ``suit`` is the relevance of each passage, of the shape of ``around``. ``around`` contains all
    passages that are seeds.
    """
    at, ends, weights = graph.by_passage.of(around)
    entities, names = np.unique(np.concatenate([ends, seeds.entities]), return_inverse=True)
    names, start = names[: len(ends)], names[len(ends) :]
    onward = weights * (NOWHERE + best_other(at, names, suit))
    n = len(around)
    restart = np.zeros(n + len(entities))
    restart[np.searchsorted(around, seeds.passages)] = seeds.share * seeds.near / seeds.near.sum()
    if len(start):
        restart[n + start] = seeds.named / seeds.named.sum()
    scores = personalised_pagerank(
        np.concatenate([at, n + names]),
        np.concatenate([n + names, at]),
        np.concatenate([onward, weights * suit[at]]),
        restart,
        DAMPING,
        STEPS,
    )
    return Walked(around, scores[:n], entities, scores[n:])


def best_other(passages: Ints, names: Ints, suit: Floats) -> Floats:
    """For each edge of a passage and a name the best ``suit`` of the name's other passages, or 0.

    ``passages`` and ``names``, of the shape of the edges, count from 0; edges are distinct.
    """
    # The last assignment wins, so after sorting this is the best edge of each name.
    order = np.argsort(suit[passages], kind="stable")
    best = np.zeros(int(names.max(initial=-1)) + 1, dtype=np.int64)
    best[names[order]] = order
    first = best[names] == np.arange(len(names))
    others = order[~first[order]]
    second = np.zeros(len(best))
    second[names[others]] = suit[passages[others]]
    return np.where(first, second[names], suit[passages[best[names]]])


def _notes(
    index: SearchIndex, start: Start, passages: list[int], ways: list[tuple[str, list[int]]]
) -> list[str]:
    """Why each passage was found: the question's names in it, otherwise the names that led to it;
    its rank by similarity and by words, if it is a seed."""
    called = index.snapshot.entities.names({row for _, names in ways for row in names})
    notes = []
    for passage, (verb, names) in zip(passages, ways, strict=True):
        way = [verb + ", ".join(called[row] for row in names)] if names else []
        ranks = [
            f"{name} rank {rows.index(passage) + 1}"
            for name, rows in (("similarity", start.nearest), ("words", start.worded))
            if passage in rows
        ]
        notes.append("; ".join([*way, *ranks]))
    return notes


def _way(graph: PassageGraph, seeds: Seeds, walked: Walked, passage: Ints) -> tuple[str, list[int]]:
    """How the walk reached a passage: a verb and the names that contributed most, best first."""
    _, ends, weights = graph.by_passage.of(passage)
    known = np.isin(ends, walked.entities)  # not all, of a passage that the walk does not cover
    ends, weights = ends[known], weights[known]
    flow = weights * walked.reached[np.searchsorted(walked.entities, ends)]
    order = ends[np.argsort(-flow, kind="stable")]
    named = order[np.isin(order, seeds.entities)]
    if len(named):
        return "names ", named[:3].tolist()
    return "reached via ", order[graph.by_entity.degrees(order) > 1][:2].tolist()
