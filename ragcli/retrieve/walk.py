"""Walking from what the question names to what answers it: personalised PageRank, no LLM call.

The walk goes back and forth between passages and the names in them. It starts at the names that
the question holds and at the passages nearest to it, so that a passage reached from both sides
over a rare name comes out on top, though it may share no word with the question. A passage draws
the walk by how well it suits the question: by its similarity, and by the question's words that
no name has taken up ("which COUNTY BORDERS the one that Tarnby lies in"), since these tell which
of a name's many passages is meant. A name draws the walk by the best of the other passages that
it leads to. All this seeds and steers the walk; it has no part in the final score, where it would
only bring back the nearest passages.

Ideas from HippoRAG 2 (Gutierrez et al. 2025) and LinearRAG (2025); figures in docs/adr/walk.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragcli.graph.pagerank import personalised_pagerank
from ragcli.retrieve.base import Found
from ragcli.retrieve.question import Question
from ragcli.retrieve.space import Space
from ragcli.search import lexical
from ragcli.search.passage_graph import PassageGraph

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

DAMPING = 0.8
# 0.8 ** 20 = 0.01: more rounds change no rank worth having.
STEPS = 20
# What nearness to the question seeds, where the names it holds seed 1.
DENSE_SHARE = 0.3
# Nearest passages that are seeds, by this power of their similarity: the first few have most.
NEAREST = 100
SHARPNESS = 6
# A passage draws the walk by the square root of its similarity, at least that of LEAST, ...
LEAST = 0.01
# ... three times as much if no other has more of the question's words, by BM25 among so many.
WORDS = 2.0
WORDED = 1000
# A word in more than this share of the passages does not steer: dear to rank, and it tells little.
COMMON = 0.25
# What a name draws that leads nowhere else; the one that leads to what suits best draws 1 more.
NOWHERE = 0.2
# A larger graph is walked around the seeds only; see PassageGraph.around.
MAX_PASSAGES = 2000


@dataclass(frozen=True, slots=True)
class Seeds:
    """Where a walk begins: rows of passages and entities, and their weights."""

    passages: Ints
    near: Floats
    entities: Ints
    named: Floats


@dataclass(frozen=True, slots=True)
class Walked:
    """Passages walked, rising, and the share of the walk at each; for names likewise."""

    passages: Ints
    scores: Floats
    entities: Ints
    reached: Floats


def walk(space: Space, question: Question, k: int, limit: int = MAX_PASSAGES) -> list[Found]:
    """The k passages where the walk is most often found; the note says over which names.

    At most ``limit`` passages take part: those nearest to the seeds, hop by hop.
    """
    graph = space.passage_graph
    seeds = seeds_of(space, question)
    if not len(seeds.passages):
        return []
    around = graph.around(seeds.passages, seeds.entities, limit)
    walked = run(graph, seeds, around, suits(space, question, around))
    best = np.lexsort((walked.passages, -walked.scores))[:k]
    notes = _notes(space, graph, seeds, walked, best)
    return [
        Found(None, int(walked.passages[i]), float(walked.scores[i]), note)
        for i, note in zip(best, notes, strict=True)
    ]


def named_entities(question: Question) -> dict[int, float]:
    """Entity rows that the question names with a capital, and how surely (0 to 1]."""
    found: dict[int, float] = {}
    for match in question.matches:
        if match.named:
            for row in match.rows:
                found[row] = max(found.get(row, 0.0), 1 / len(match.rows))
    return found


def seeds_of(space: Space, question: Question) -> Seeds:
    """The question's names, the rarer the heavier, and the passages nearest to it."""
    graph = space.passage_graph
    sure = named_entities(question)
    entities = np.array(list(sure), dtype=np.int64)
    named = np.array(list(sure.values()))
    degrees = graph.by_entity.degrees(entities)
    linked = degrees > 0
    nearest = space.passages.search(question.vector, NEAREST)
    passages = np.array([row for row, _ in nearest], dtype=np.int64)
    near = np.clip(np.array([score for _, score in nearest]), LEAST, None) ** SHARPNESS
    return Seeds(passages, near, entities[linked], named[linked] / degrees[linked])


def suits(space: Space, question: Question, around: Ints) -> Floats:
    """How well passages suit the question, above 0 up to 1, of the shape of ``around`` (rising)."""
    similar = space.passages.similarities(question.vector, around).astype(np.float64)
    suit = np.sqrt(np.clip(similar, LEAST, None))
    most = int(COMMON * len(space.passages)) + 1
    if rest := lexical.telling(space.db, without_names(question), most):
        found = dict(lexical.search(space.db, rest, WORDED))
        worded = np.array([found.get(row, 0.0) for row in around.tolist()])
        suit *= 1 + WORDS * worded / max(found.values(), default=1.0)
    return np.asarray(suit / suit.max())


def without_names(question: Question) -> str:
    """The question's text but for the names in it."""
    parts, at = [], 0
    for match in question.matches:
        if match.named:
            parts.append(question.text[at : match.start])
            at = match.end
    return " ".join([*parts, question.text[at:]])


def run(graph: PassageGraph, seeds: Seeds, around: Ints, suit: Floats) -> Walked:
    """Walk the part of the graph that the passages ``around`` (rising) and their names are.

    ``suit`` tells how much each passage draws, of the shape of ``around``, which holds all
    passages that are seeds.
    """
    at, ends, weights = graph.by_passage.of(around)
    entities, names = np.unique(np.concatenate([ends, seeds.entities]), return_inverse=True)
    names, start = names[: len(ends)], names[len(ends) :]
    onward = weights * (NOWHERE + best_other(at, names, suit))
    n = len(around)
    restart = np.zeros(n + len(entities))
    restart[np.searchsorted(around, seeds.passages)] = DENSE_SHARE * seeds.near / seeds.near.sum()
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

    ``passages`` and ``names``, of the shape of the edges, count from 0; no edge stands there twice.
    """
    # The last to be assigned stays: of the edges, put in order, the best of each name.
    order = np.argsort(suit[passages], kind="stable")
    best = np.zeros(int(names.max(initial=-1)) + 1, dtype=np.int64)
    best[names[order]] = order
    first = best[names] == np.arange(len(names))
    others = order[~first[order]]
    second = np.zeros(len(best))
    second[names[others]] = suit[passages[others]]
    return np.where(first, second[names], suit[passages[best[names]]])


def _notes(
    space: Space, graph: PassageGraph, seeds: Seeds, walked: Walked, best: Ints
) -> list[str]:
    """Why each passage is there: the question's names in it, else the names it was reached over."""
    rank = {int(p): f"similarity rank {n}" for n, p in enumerate(seeds.passages, 1)}
    notes = []
    for i in best:
        passage = walked.passages[i : i + 1]
        verb, names = _way(graph, seeds, walked, passage)
        way = verb + ", ".join(space.names_of(names.tolist())) if len(names) else ""
        notes.append("; ".join(filter(None, (way, rank.get(int(passage[0]), "")))))
    return notes


def _way(graph: PassageGraph, seeds: Seeds, walked: Walked, passage: Ints) -> tuple[str, Ints]:
    """How the walk came to a passage: a verb and the names that brought most of it, best first."""
    _, ends, weights = graph.by_passage.of(passage)
    flow = weights * walked.reached[np.searchsorted(walked.entities, ends)]
    order = ends[np.argsort(-flow, kind="stable")]
    named = order[np.isin(order, seeds.entities)]
    if len(named):
        return "names ", named[:3]
    return "reached over ", order[graph.by_entity.degrees(order) > 1][:2]
