"""Where a walk begins, and how well passages suit the question: what draws it on its way.

A passage suits by its similarity, and by the question's words that no name has taken up ("which
COUNTY BORDERS the one that Tarnby lies in"), since these tell which of a name's many passages is
meant. Names seed by their rarity and by the best of their passages. Where no document is about
what the question names, as in a novel, names say less: then nearness seeds more, and counts words
as well. Figures behind every constant in docs/adr/walk.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragcli.retrieve.question import Question
from ragcli.search.passage_graph import TITLE_WEIGHT, PassageGraph
from ragcli.search.search_index import SearchIndex

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

# What nearness to the question seeds where the names it holds seed 1: if a document of its own
# tells of each of them, if none does, and in between.
NEAR_TITLED = 0.3
NEAR_UNTITLED = 0.5
# Nearest passages that are seeds, by this power of their similarity: the first few have most.
NEAREST = 100
SHARPNESS = 6
# Where no document tells of the names, times this power of what its words make a passage draw.
WORD_SHARPNESS = 4
# The best by these words are seeds however far they are: a part number is near to nothing.
WORD_SEEDS = 10
# A passage draws the walk by the square root of its similarity, at least that of LEAST, ...
LEAST = 0.01
# ... three times as much if no other has more of the question's words, by BM25 among so many.
WORDS = 2.0
WORDED = 1000
# A word in more than this share of the passages does not steer: dear to rank, and it tells little.
COMMON = 0.25


@dataclass(frozen=True, slots=True)
class Seeds:
    """Where a walk begins: rows of passages and entities, and their weights.

    ``share`` is what all passages weigh together, where the names weigh 1.
    """

    passages: Ints
    near: Floats
    entities: Ints
    named: Floats
    share: float


@dataclass(frozen=True, slots=True)
class Start:
    """The part of the graph to be walked, and from where.

    ``around``: its passages, rising; ``suit`` how much each draws, of the same shape. ``nearest``
    and ``worded``: passages that are seeds by similarity and by words, best first.
    """

    seeds: Seeds
    around: Ints
    suit: Floats
    nearest: list[int]
    worded: list[int]


def begin(index: SearchIndex, question: Question, limit: int) -> Start:
    """The beginning of a walk over at most ``limit`` passages; without any in an empty store."""
    graph = index.passage_graph
    words = worded(index, question)
    nearest = [row for row, _ in index.passages.search(question.vector, NEAREST)]
    by_words = list(words)[:WORD_SEEDS]
    start = _rows(dict.fromkeys([*nearest, *by_words]))
    sure = named_entities(question)
    around = graph.around(start, _rows(sure), limit) if len(start) else start
    similar = index.passages.similarities(question.vector, around).astype(np.float64)
    drawn = pull(words, around)
    suit = suits(similar, drawn)
    names, named, titled = name_seeds(graph, sure, around, suit)
    at = np.searchsorted(around, start)
    near = np.clip(similar[at], LEAST, None) ** SHARPNESS
    near *= drawn[at] ** (WORD_SHARPNESS * (1 - titled))
    share = titled * NEAR_TITLED + (1 - titled) * NEAR_UNTITLED
    return Start(Seeds(start, near, names, named, share), around, suit, nearest, by_words)


def named_entities(question: Question) -> dict[int, float]:
    """Entity rows that the question names with a capital, and how surely (0 to 1]."""
    found: dict[int, float] = {}
    for match in question.matches:
        if match.named:
            for row in match.rows:
                found[row] = max(found.get(row, 0.0), 1 / len(match.rows))
    return found


def worded(index: SearchIndex, question: Question) -> dict[int, float]:
    """Passage rows by the question's words outside its names, best first: BM25 as a share of it."""
    most = int(COMMON * len(index.passages)) + 1
    rest = index.rare_terms(without_names(question), most)
    found = index.by_words(rest, WORDED) if rest else []
    return {row: score / found[0][1] for row, score in found}


def pull(words: dict[int, float], around: Ints) -> Floats:
    """What their words make passages draw, from 1 to 1 + WORDS; of the shape of ``around``."""
    return 1 + WORDS * np.array([words.get(row, 0.0) for row in around.tolist()])


def suits(similar: Floats, drawn: Floats) -> Floats:
    """How well passages suit the question, above 0 up to 1, from their similarity and ``pull``."""
    suit = np.sqrt(np.clip(similar, LEAST, None)) * drawn
    return np.asarray(suit / suit.max(initial=LEAST))


def name_seeds(
    graph: PassageGraph, sure: dict[int, float], around: Ints, suit: Floats
) -> tuple[Ints, Floats, float]:
    """The question's names as seeds, their weights, and how far documents are about them (0 to 1).

    A name weighs the more, the rarer it is, the surer that it is meant (``sure``), and the better
    the best of its passages ``around`` suits: a rare word that merely stands in the question
    ("According") leads nowhere. It has a document of its own when it is the title of one passage;
    a book's title counts by one over its passages.
    """
    names = _rows(sure)
    at, passages, weights = graph.by_entity.of(names)
    inside = np.isin(passages, around)
    best = np.zeros(len(names))
    np.maximum.at(best, at[inside], suit[np.searchsorted(around, passages[inside])])
    titles = np.bincount(at[weights >= 1 + TITLE_WEIGHT], minlength=len(names))
    known = np.array(list(sure.values()))
    named = known * best / np.maximum(graph.by_entity.degrees(names), 1)
    kept = named > 0
    names, named, titles = names[kept], named[kept], titles[kept]
    if not len(names):
        return names, named, 0.0
    own = np.where(titles > 0, 1 / np.maximum(titles, 1), 0.0)
    return names, named, float((named * own).sum() / named.sum())


def without_names(question: Question) -> str:
    """The question's text but for the names in it."""
    parts, at = [], 0
    for match in question.matches:
        if match.named:
            parts.append(question.text[at : match.start])
            at = match.end
    return " ".join([*parts, question.text[at:]])


def _rows(rows: Iterable[int]) -> Ints:
    return np.array(list(rows), dtype=np.int64)
