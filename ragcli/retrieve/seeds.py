"""The seeds of a walk, and the relevance of passages, which weights the steps of the walk.

The relevance (``suit``) of a passage depends on its similarity and on the question's words outside
names ("which COUNTY BORDERS the one that Tarnby lies in"), since these words select among the many
passages of a name. The seed weight of a name depends on its rarity and on its most relevant
passage. If no document is about the question's names, as in a novel, names are less informative:
then similar passages get more seed weight, which also counts words. Figures for every constant:
docs/adr/walk.md.
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

# Total seed weight of similar passages, relative to 1 for the question's names: if each name has a
# document of its own, and if none has; interpolated in between.
NEAR_TITLED = 0.3
NEAR_UNTITLED = 0.5
# Number of similar passages that are seeds, and the exponent of their similarity.
NEAREST = 100
SHARPNESS = 6
# If no document is about the names, seed weights are multiplied by this power of the word factor.
WORD_SHARPNESS = 4
# The best passages by words are always seeds: a part number, for example, is similar to nothing.
WORD_SEEDS = 10
# The relevance of a passage is the square root of its similarity (at least LEAST), ...
LEAST = 0.01
# ... multiplied by up to 1 + WORDS according to its BM25 score among the best WORDED passages.
WORDS = 2.0
WORDED = 1000
# Words in more than this share of the passages are ignored: expensive to rank, little information.
COMMON = 0.25


@dataclass(frozen=True, slots=True)
class Seeds:
    """The seeds of a walk: rows of passages and entities, and their weights.

    ``share`` is the total weight of all passages, relative to 1 for the names.
    """

    passages: Ints
    near: Floats
    entities: Ints
    named: Floats
    share: float


@dataclass(frozen=True, slots=True)
class Start:
    """The part of the graph for a walk, and its seeds.

    ``around``: its passages, ascending; ``suit``: the relevance of each, of the same shape.
    ``nearest`` and ``worded``: passages that are seeds by similarity and by words, best first;
    ``titled``: how far documents are about the question's names, 0 to 1.
    """

    seeds: Seeds
    around: Ints
    suit: Floats
    nearest: list[int]
    worded: list[int]
    titled: float


def begin(index: SearchIndex, question: Question, limit: int, also: Iterable[int] = ()) -> Start:
    """The start of a walk over at most ``limit`` passages; it has none if the store is empty.

    ``also``: rows of passages that the walk covers in any case, without being seeds.
    """
    graph = index.passage_graph
    words = worded(index, question)
    nearest = [row for row, _ in index.passages.search(question.vector, NEAREST)]
    by_words = list(words)[:WORD_SEEDS]
    start = rows_of(dict.fromkeys([*nearest, *by_words]))
    sure = named_entities(question)
    covered = np.concatenate([start, rows_of(also)])
    around = graph.around(covered, rows_of(sure), limit) if len(covered) else covered
    similar = index.passages.similarities(question.vector, around).astype(np.float64)
    drawn = pull(words, around)
    suit = suits(similar, drawn)
    names, named, titled = name_seeds(graph, sure, around, suit)
    at = np.searchsorted(around, start)
    near = np.clip(similar[at], LEAST, None) ** SHARPNESS
    near *= drawn[at] ** (WORD_SHARPNESS * (1 - titled))
    share = titled * NEAR_TITLED + (1 - titled) * NEAR_UNTITLED
    seeds = Seeds(start, near, names, named, share)
    return Start(seeds, around, suit, nearest, by_words, titled)


def named_entities(question: Question) -> dict[int, float]:
    """Entity rows of capitalised names in the question, and their certainty in (0, 1]."""
    found: dict[int, float] = {}
    for match in question.matches:
        if match.named:
            for row in match.rows:
                found[row] = max(found.get(row, 0.0), 1 / len(match.rows))
    return found


def worded(index: SearchIndex, question: Question) -> dict[int, float]:
    """Passage rows by the question's words outside its names, best first: relative BM25 scores."""
    most = int(COMMON * len(index.passages)) + 1
    rest = index.rare_terms(question.without_names, most)
    found = index.by_words(rest, WORDED) if rest.text else []
    return {row: score / found[0][1] for row, score in found}


def pull(words: dict[int, float], around: Ints) -> Floats:
    """The word factors of passages, from 1 to 1 + WORDS; of the shape of ``around``."""
    return 1 + WORDS * np.array([words.get(row, 0.0) for row in around.tolist()])


def suits(similar: Floats, drawn: Floats) -> Floats:
    """The relevance of passages in (0, 1], from their similarity and ``pull``."""
    suit = np.sqrt(np.clip(similar, LEAST, None)) * drawn
    return np.asarray(suit / suit.max(initial=LEAST))


def name_seeds(
    graph: PassageGraph, sure: dict[int, float], around: Ints, suit: Floats
) -> tuple[Ints, Floats, float]:
    """The question's names as seeds, their weights, and the degree to which documents are about
    them (0 to 1).

    The weight of a name increases with its rarity, its certainty (``sure``), and the relevance of
    its best passage in ``around``, so that a rare capitalised word ("According") has little
    weight. A name has its own document if it is the title of one passage; the title of a book
    counts one divided by the number of its passages.
    """
    names = rows_of(sure)
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


def rows_of(rows: Iterable[int]) -> Ints:
    """Row numbers as an array."""
    return np.array(list(rows), dtype=np.int64)
