"""Compares the best passages of a walk with each other, and orders them again.

The walk reaches each passage by its own names. A question over several documents needs passages
that belong together, and these show in each other's text:

- a passage *follows* from one of the first passages if that one mentions what it is about ("she
  was born in Tarnby" leads to the document Tarnby);
- a passage *adds* to one of the first passages the words of the question that are not in it;
- a passage that only *names* what the question names has that from the walk already;
- a passage is *similar* to the question or, where that describes things instead of naming them, to
  the nearest of its steps ("In which town was Marta Lind born?");
- such a question is answered by passages that are *linked*: they share a name that it does not say.

In documents of many passages, evidence stands together and a name does not lead to a passage of
its own. There the BM25 score of the whole question counts, too, by the share of such documents.

The score is the natural logarithm of the walk's probability plus the weighted sum of these values.
Figures for every constant: docs/adr/walk.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragcli.retrieve.base import Helpers, Ranking
from ragcli.retrieve.question import Question
from ragcli.retrieve.seeds import WORDED, Floats, Ints, begin, named_entities
from ragcli.retrieve.walk import MAX_PASSAGES, ranking, run
from ragcli.search.passage_graph import TITLE_WEIGHT
from ragcli.search.search_index import SearchIndex
from ragcli.store.snapshot.chunks import PassageText
from ragcli.text.words import stem

# Passages that are compared: the best of the walk, and the best by similarity and by BM25.
COMPARED = 40
DIRECT = 15
# Passages that others can follow from and add to: the first of the walk.
FIRST = 5
# Passages of the walk whose documents tell whether documents are long.
SAMPLED = 10
# Weights of the values, each between 0 and 1 (SIMILAR ...: differences of cosines).
FOLLOWS = 2.0
ADDS = 1.0
NAMES = 0.5
WORDS = 5.0
SIMILAR = 0.25
SIMILAR_TO_STEP = 1.5
LINKED = 1.0
# The lowest probability that counts: the walk does not reach every passage.
UNREACHED = 1e-7
# A word in all passages still counts a little.
EVERYWHERE = 0.1

_WORD = re.compile(r"\w+")

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class NamesOf:
    """The names in each of n passages.

    ``all`` are entity rows; ``titles`` those in its document's title that the question does not
    name; ``asked`` those that the question names.
    """

    all: Sequence[frozenset[int]]
    titles: Sequence[frozenset[int]]
    asked: frozenset[int] = frozenset()


def compared(index: SearchIndex, question: Question, k: int, helpers: Helpers) -> Ranking:
    """The k best passages of the walk after comparison."""
    words = dict(index.by_words(question.asked, WORDED))
    direct = list(words)[:DIRECT]
    start = begin(index, question, MAX_PASSAGES, direct)
    if not len(start.around):
        return Ranking([])
    walked = run(index.passage_graph, start.seeds, start.around, start.suit)
    first = walked.passages[walked.best(max(k, COMPARED))].tolist()
    rows = np.array(list(dict.fromkeys([*first, *start.nearest[:DIRECT], *direct])), dtype=np.int64)
    reached = walked.scores[np.searchsorted(walked.passages, rows)]
    share = np.maximum(reached, UNREACHED) / max(float(reached.max()), UNREACHED)
    found = index.snapshot.chunks.passage_texts(rows.tolist())
    texts = [found[row] for row in rows.tolist()]
    best = max(words.values(), default=1.0)
    by_words = np.array([words.get(row, 0.0) / best for row in rows.tolist()])
    names = _names_of(index, question, rows)
    held = holding(list(dict.fromkeys(map(stem, question.asked.terms))), texts)
    degrees = _degrees(index, names)
    steps = question.asked.steps
    score = np.log(share)
    score += FOLLOWS * follows(names, share, degrees)
    score += ADDS * adds(held, share)
    score -= NAMES * _named(index, names)
    score += WORDS * long_documents(texts) ** 2 * by_words
    if steps:
        similar = [index.passages.similarities(v, rows) for v in helpers.encode(steps)]
        score += SIMILAR_TO_STEP * nearest(similar)
        score += LINKED * linked(names, share, degrees, len(index.passages))
    else:
        score += SIMILAR * nearest([index.passages.similarities(question.vector, rows)])
    order = np.lexsort((rows, -score))[:k]
    return ranking(index, start, walked, rows[order], np.exp(score[order]))


def follows(names: NamesOf, share: Floats, degrees: Mapping[int, int]) -> Floats:
    """The degree, of shape (n,), to which each passage follows from one of the first.

    The first passages lead ``share``, which falls. A passage follows by ``share`` of the one that
    mentions a name of its title, divided by the square root of the name's ``degrees``: the number
    of passages with it.
    """
    found = np.zeros(len(share))
    for first in range(min(FIRST, len(share))):
        for at, titles in enumerate(names.titles):
            said = titles & names.all[first]
            if at != first and said:
                rarest = min(degrees[name] for name in said)
                found[at] = max(found[at], share[first] / np.sqrt(rarest))
    return found


def adds(held: Bools, share: Floats) -> Floats:
    """The share of the question, of shape (n,), that each passage adds to one of the first.

    ``held``: (n, words) which words of the question each passage has. Words count by their rarity
    among the passages. The passages that are added to count by ``share``, as in ``follows``.
    """
    weights = np.log((1 + len(held)) / (1 + held.sum(axis=0))) + EVERYWHERE
    found = np.zeros(len(share))
    for first in range(min(FIRST, len(share))):
        left = np.where(held[first], 0.0, weights)
        if left.any():
            added = share[first] * (held @ left) / left.sum()
            added[first] = 0.0
            found = np.maximum(found, added)
    return found


def nearest(similar: Sequence[NDArray[np.floating]]) -> Floats:
    """How much less similar each passage is than the best, of shape (n,): at most 0.

    ``similar``: (questions, n) cosines. A passage counts by the question for which it is least.
    """
    cosines = np.asarray(similar, dtype=np.float64)
    return np.asarray((cosines - cosines.max(axis=1, keepdims=True)).max(axis=0))


def linked(names: NamesOf, share: Floats, degrees: Mapping[int, int], passages: int) -> Floats:
    """The degree, of shape (n,), to which each passage is linked with one of the first.

    Two passages are linked by the rarest name in both that the question does not name: 1 for a
    name in one of the ``passages`` of the store, 0 for one in all. The first of the two counts by
    ``share``, as in ``follows``; one of the first is linked with itself.
    """
    whole = np.log(max(passages, 2))
    found = np.zeros(len(share))
    for first in range(min(FIRST, len(share))):
        sought = names.all[first] - names.asked
        for at, every in enumerate(names.all):
            common = sought & every
            rarest = min((degrees[name] for name in common), default=passages)
            link = 1.0 if at == first else max(0.0, 1 - np.log(max(rarest, 1)) / whole)
            found[at] = max(found[at], share[first] * link)
    return found


def holding(stems: Sequence[str], texts: Sequence[PassageText]) -> Bools:
    """Which stems each passage has in its text or its document's title: (texts, stems)."""
    said = [set(_WORD.findall(f"{text.title} {text.text}".casefold())) for text in texts]
    wanted = set(stems)
    places: dict[str, str] = {}
    for word in set().union(*said):
        root = stem(word)
        if root in wanted:
            places[word] = root
    roots = [{places[word] for word in words & places.keys()} for words in said]
    rows = [[root in has for root in stems] for has in roots]
    return np.array(rows, dtype=bool).reshape(len(texts), len(stems))


def long_documents(texts: Sequence[PassageText]) -> float:
    """How far the first passages are parts of long documents: 0 (each is a whole one) to 1."""
    return 1.0 - float(np.mean([1 / text.passages for text in texts[:SAMPLED]]))


def _names_of(index: SearchIndex, question: Question, rows: Ints) -> NamesOf:
    asked = frozenset(named_entities(question))
    at, ends, weights = index.passage_graph.by_passage.of(rows)
    every: list[set[int]] = [set() for _ in rows]
    titles: list[set[int]] = [set() for _ in rows]
    for place, name, weight in zip(at.tolist(), ends.tolist(), weights.tolist(), strict=True):
        every[place].add(name)
        if weight >= 1 + TITLE_WEIGHT and name not in asked:
            titles[place].add(name)
    return NamesOf(list(map(frozenset, every)), list(map(frozenset, titles)), asked)


def _degrees(index: SearchIndex, names: NamesOf) -> dict[int, int]:
    """The number of passages with each name."""
    rows = np.array(sorted(frozenset().union(*names.all)), dtype=np.int64)
    degrees = index.passage_graph.by_entity.degrees(rows)
    return dict(zip(rows.tolist(), degrees.tolist(), strict=True))


def _named(index: SearchIndex, names: NamesOf) -> Floats:
    """The share of the question's names that each passage has; rare names count more."""
    asked = np.array(sorted(names.asked), dtype=np.int64)
    degrees = index.passage_graph.by_entity.degrees(asked)
    weights = np.log(1 + len(index.passages) / np.maximum(degrees, 1))
    has = np.array([[name in all_ for name in asked.tolist()] for all_ in names.all], dtype=bool)
    return np.asarray(has.reshape(len(names.all), len(asked)) @ weights / max(weights.sum(), 1e-9))
