"""Makes the scores of several stores comparable, so that their hits can be in one ranking.

Cosines of stores with the same embedder are comparable as they are. BM25 counts how rare a word is
in one store, so it is computed again over all stores. The mean of both, each as a share of the best
one, tells how well a hit *fits* the question.

The scores of the modes with a graph belong to the graph of one store. There the fit of a hit is
multiplied by the square root of its share of the best score in its own store, and by the weight of
its store: the mean fit of the store's best hits, to the power of ``SHARPNESS``. So a store that has
nothing to say gets few of the hits. Figures: docs/adr/several-stores.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragcli.retrieve.base import Found, Ranking, Retrieval
from ragcli.retrieve.question import Question
from ragcli.retrieve.seeds import COMMON
from ragcli.search.search_index import SearchIndex
from ragcli.text.asked_question import AskedQuestion
from ragcli.text.words import plain, stem
from ragcli.types import Hit

# Hits by which a store is judged.
JUDGED = 3
SHARPNESS = 4
# The constants of BM25, those of SQLite.
SATURATION = 1.2
BY_LENGTH = 0.75

Floats = NDArray[np.float64]


def comparable(
    indexes: Sequence[SearchIndex],
    rankings: Sequence[Ranking],
    found: Sequence[Retrieval],
) -> list[list[float]]:
    """A score for every hit of every store, comparable among all.

    ``rankings`` are what ``found`` was made from, one for each index.
    """
    mode, question = found[0].mode, found[0].question
    hits = [retrieval.hits for retrieval in found]
    if all(ranking.about_whole for ranking in rankings):
        # The question is about all documents, so every store has its share.
        return [_shares([hit.score for hit in listed]) for listed in hits]
    cosines = [
        cosines_of(index, question, ranking.finds)
        for index, ranking in zip(indexes, rankings, strict=True)
    ]
    if mode == "naive":
        return [listed.tolist() for listed in cosines]
    words = bm25_among(question.asked, [[_text(hit) for hit in listed] for listed in hits], indexes)
    if mode == "bm25":
        return [listed.tolist() for listed in words]
    fits = fits_of(cosines, words)
    if mode == "dense+bm25":
        return [listed.tolist() for listed in fits]
    return [
        [
            weight * math.sqrt(share) * fit
            for share, fit in zip(_shares([hit.score for hit in of_store]), listed, strict=True)
        ]
        for weight, of_store, listed in zip(store_weights(fits), hits, fits, strict=True)
    ]


def fits_of(cosines: Sequence[Floats], words: Sequence[Floats]) -> list[Floats]:
    """How well each hit of each store fits the question, from 0 to 1.

    >>> fits_of([np.array([0.8]), np.array([0.4])], [np.array([3.0]), np.array([0.0])])
    [array([1.]), array([0.25])]
    """
    nearest = max((float(x.max()) for x in cosines if len(x)), default=0.0)
    best = max((float(x.max()) for x in words if len(x)), default=0.0)
    return [
        np.maximum(near / max(nearest, 1e-9) + said / max(best, 1e-9), 0.0) / 2
        for near, said in zip(cosines, words, strict=True)
    ]


def store_weights(fits: Sequence[Floats]) -> list[float]:
    """The weight of each store, by how well its best hits fit the question; 1 for the best.

    >>> store_weights([np.array([1.0, 0.8, 0.6]), np.array([0.4]), np.array([])])
    [1.0, 0.0625, 0.0]
    """
    top = [np.sort(listed)[::-1][:JUDGED] for listed in fits]
    means = [float(listed.mean()) if len(listed) else 0.0 for listed in top]
    most = max(*means, 1e-9)
    return [round((mean / most) ** SHARPNESS, 9) for mean in means]


def cosines_of(index: SearchIndex, question: Question, finds: Sequence[Found]) -> Floats:
    """The cosine of the question and each find, (n,); for a chunk, that of its nearest passage."""
    found = np.zeros(len(finds))
    rows = [(at, find.passage) for at, find in enumerate(finds) if find.passage is not None]
    if rows:
        at, passages = zip(*rows, strict=True)
        vectors = index.passages
        found[list(at)] = vectors.similarities(question.vector, np.array(passages, dtype=np.int64))
    for place, find in enumerate(finds):
        if find.passage is None and find.chunk is not None:
            _, near = index.passage_vectors(find.chunk)
            found[place] = float((near @ question.vector).max()) if len(near) else 0.0
    return found


def bm25_among(
    asked: AskedQuestion, texts: Sequence[Sequence[str]], indexes: Sequence[SearchIndex]
) -> list[Floats]:
    """BM25 of the question and the texts of each store, with the word counts of all stores.

    A word that stands in over a quarter of all passages is left out. The mean length is that of the
    texts.
    """
    total = sum(len(index.passages) for index in indexes)
    most = int(COMMON * total)
    rarity: dict[str, float] = {}
    for term in asked.terms:
        count = sum(index.passages_with(term, most + 1) for index in indexes)
        if 0 < count <= max(most, 1):
            rarity[_stems(term)] = math.log(1 + (total - count + 0.5) / (count + 0.5))
    stems = [[_stems(text) for text in listed] for listed in texts]
    lengths = [text.count(" ") + 1 for listed in stems for text in listed]
    mean = sum(lengths) / len(lengths) if lengths else 1.0
    return [
        np.array([_bm25(text, rarity, (text.count(" ") + 1) / mean) for text in listed])
        for listed in stems
    ]


def _bm25(text: str, rarity: dict[str, float], length: float) -> float:
    """BM25 of stems; ``length`` is relative to the mean."""
    damped = SATURATION * (1 - BY_LENGTH + BY_LENGTH * length)
    score = 0.0
    for term, rare in rarity.items():
        count = f" {text} ".count(f" {term} ")
        score += rare * count * (1 + SATURATION) / (count + damped)
    return score


def _stems(text: str) -> str:
    """The stems of a text's words, with spaces between them."""
    return " ".join(map(stem, plain(text).split()))


def _text(hit: Hit) -> str:
    return f"{hit.title} {hit.text}"


def _shares(scores: Sequence[float]) -> list[float]:
    """Scores, falling, as shares of the first."""
    best = max(scores, default=0.0)
    if best <= 0:
        return [1 / rank for rank in range(1, len(scores) + 1)]
    return [max(score, 0.0) / best for score in scores]
