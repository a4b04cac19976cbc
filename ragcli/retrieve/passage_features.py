"""What a passage is ranked by: numbers for each of the passages that are compared.

The walk reaches each passage by its own names. A question over several documents needs passages
that belong together, and these show in each other's text:

- a passage *follows* from one of the first passages if that one mentions what it is about ("she
  was born in Tarnby" leads to the document Tarnby);
- a passage *adds* to one of the first passages the words of the question that are not in it;
- passages are *linked* that share a name which the question does not say.

The other numbers say how a passage suits the question by itself. docs/adr/ranking.md says what each
is worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ragcli.retrieve.compared_passages import Bools, ComparedPassages, NamesOf
from ragcli.retrieve.seeds import Floats, Ints

# Passages that others can follow from, add to and be linked with: the best so far.
FIRST = 5
# Passages of the walk whose documents tell whether documents are long.
SAMPLED = 10
# Words side by side in which as much of the question as possible is looked for.
CLOSE = 25
# A word in all passages still counts a little.
EVERYWHERE = 0.1

FEATURES = (
    "walked",
    "walk_rank",
    "words",
    "words_rank",
    "cosine",
    "cosine_below",
    "cosine_rank",
    "step_cosine",
    "step_below",
    "step_words",
    "marks",
    "held",
    "above",
    "close",
    "pairs",
    "named",
    "follows",
    "adds",
    "linked",
    "like_first",
    "doc_share",
    "doc_words",
    "doc_rank",
    "doc_passages",
    "length",
    "long_documents",
    "titled",
    "question_steps",
)
"""The columns of ``features``."""


def features(compared: ComparedPassages, order: Ints) -> Floats:
    """The numbers of n passages, (n, columns); ``order``: their places, best so far first."""
    n = len(compared.rows)
    share, names = compared.share, compared.names
    held = held_stems(compared)
    first = order[:FIRST]
    weight = share[first] / max(float(share[first].max()), 1e-9)
    longest = long_documents([compared.texts[at].passages for at in order[:SAMPLED]])
    doc_share, doc_words, doc_rank = beside(compared, order)
    columns = {
        "walked": np.log(share),
        "walk_rank": np.log1p(ranks(share)),
        "words": compared.words,
        "words_rank": np.log1p(ranks(compared.words)),
        "cosine": compared.cosines,
        "cosine_below": compared.cosines - compared.cosines.max(),
        "cosine_rank": np.log1p(ranks(compared.cosines)),
        "step_cosine": compared.step_cosines.max(axis=0),
        "step_below": nearest(compared.step_cosines),
        "step_words": compared.step_words.max(axis=0),
        "marks": compared.marks,
        "held": part_held(held, compared.terms),
        "above": part_held(above(compared), compared.terms),
        "close": close(compared),
        "pairs": pairs(compared),
        "named": named(names, compared.passages),
        "follows": follows(names, first, weight),
        "adds": adds(held, first, weight),
        "linked": linked(names, first, weight, compared.passages),
        "like_first": like_first(compared.vectors, first),
        "doc_share": doc_share,
        "doc_words": doc_words,
        "doc_rank": doc_rank,
        "doc_passages": np.log([text.passages for text in compared.texts]),
        "length": np.log1p([len(text.text) / 100 for text in compared.texts]),
        "long_documents": np.full(n, longest),
        "titled": np.full(n, compared.titled),
        "question_steps": np.full(n, compared.steps),
    }
    return np.round(np.column_stack([columns[name] for name in FEATURES]), 4)


def mixed(rows: Floats) -> Floats:
    """What is weighed in a sum, (n, 8), of rows of features: some count for questions that describe
    things without naming them only, or for others only, or in long documents."""
    column = {name: rows[:, at] for at, name in enumerate(FEATURES)}
    stepped = column["question_steps"] > 0
    return np.column_stack(
        [
            column["walked"],
            column["follows"],
            column["adds"],
            column["named"],
            column["linked"] * stepped,
            column["step_below"] * stepped,
            column["cosine_below"] * ~stepped,
            column["words"] * column["long_documents"] ** 2,
        ]
    )


def by_walk(compared: ComparedPassages) -> Ints:
    """The places of the passages, most probable in the walk first; ties by row."""
    return np.lexsort((compared.rows, -compared.share))


def ranks(values: Floats) -> Ints:
    """How many values are higher than each."""
    return np.searchsorted(np.sort(-values), -values)


def nearest(cosines: Floats) -> Floats:
    """How much less similar each passage is than the best, (n,): at most 0.

    ``cosines``: (steps, n). A passage counts by the step for which it is least.
    """
    return np.asarray((cosines - cosines.max(axis=1, keepdims=True)).max(axis=0))


def held_stems(compared: ComparedPassages) -> Bools:
    """Which stems of the question each passage has in its text or above it: (n, stems)."""
    held = above(compared)
    for at, places in enumerate(compared.places):
        held[at, [number for _, number in places]] = True
    return held


def above(compared: ComparedPassages) -> Bools:
    """Which stems of the question are in the title or the headings of each passage."""
    held = np.zeros((len(compared.rows), len(compared.terms)), dtype=bool)
    for at, numbers in enumerate(compared.above):
        held[at, list(numbers)] = True
    return held


def part_held(held: Bools, terms: Floats) -> Floats:
    """The share of the question that each passage holds, by rarity."""
    return np.asarray(held @ terms / max(float(terms.sum()), 1e-9))


def close(compared: ComparedPassages) -> Floats:
    """The highest share of the question within ``CLOSE`` words of each passage."""
    total = max(float(compared.terms.sum()), 1e-9)
    return np.array([_closest(places, compared.terms) / total for places in compared.places])


def _closest(places: Sequence[tuple[int, int]], terms: Floats) -> float:
    """The highest sum of different stems within ``CLOSE`` words."""
    best = value = 0.0
    counts = [0] * len(terms)
    begin = 0
    for end, number in places:
        value += terms[number] if not counts[number] else 0.0
        counts[number] += 1
        while places[begin][0] <= end - CLOSE:
            out = places[begin][1]
            counts[out] -= 1
            value -= terms[out] if not counts[out] else 0.0
            begin += 1
        best = max(best, value)
    return best


def pairs(compared: ComparedPassages) -> Floats:
    """The share of neighbouring words of the question that stand together in each passage."""
    most = max(len(compared.terms) - 1, 1)
    found = []
    for places in compared.places:
        together = {
            (one, other)
            for (at, one), (after, other) in pairwise(places)
            if after - at <= 2 and other == one + 1
        }
        found.append(len(together) / most)
    return np.array(found)


def follows(names: NamesOf, first: Ints, weight: Floats) -> Floats:
    """The degree, (n,), to which each passage follows from one of the first, which have weights.

    A passage follows by the weight of the one that mentions a name of its title, divided by the
    square root of the number of passages with the name.
    """
    found = np.zeros(len(names.all))
    for leading, worth in zip(first.tolist(), weight.tolist(), strict=True):
        for at, titles in enumerate(names.titles):
            said = titles & names.all[leading]
            if at != leading and said:
                rarest = min(names.degrees[name] for name in said)
                found[at] = max(found[at], worth / np.sqrt(rarest))
    return found


def adds(held: Bools, first: Ints, weight: Floats) -> Floats:
    """The share of the question, (n,), that each passage adds to one of the first.

    ``held``: (n, stems) which stems of the question each passage has. They count by their rarity
    among the passages, and the passages that are added to by ``weight``.
    """
    rarity = np.log((1 + len(held)) / (1 + held.sum(axis=0))) + EVERYWHERE
    found = np.zeros(len(held))
    for leading, worth in zip(first.tolist(), weight.tolist(), strict=True):
        left = np.where(held[leading], 0.0, rarity)
        if left.any():
            added = worth * (held @ left) / left.sum()
            added[leading] = 0.0
            found = np.maximum(found, added)
    return found


def linked(names: NamesOf, first: Ints, weight: Floats, passages: int) -> Floats:
    """The degree, (n,), to which each passage is linked with another one of the first.

    Two passages are linked by the rarest name in both that the question does not name: 1 for a
    name in one of the ``passages`` of the store, 0 for one in all.
    """
    whole = np.log(max(passages, 2))
    found = np.zeros(len(names.all))
    for leading, worth in zip(first.tolist(), weight.tolist(), strict=True):
        sought = names.all[leading] - names.asked
        for at, every in enumerate(names.all):
            common = sought & every
            if at != leading and common:
                rarest = min(names.degrees[name] for name in common)
                found[at] = max(found[at], worth * max(0.0, 1 - np.log(max(rarest, 1)) / whole))
    return found


def named(names: NamesOf, passages: int) -> Floats:
    """The share of the question's names that each passage has; rare names count more."""
    asked = sorted(names.asked)
    weights = np.log([1 + passages / max(names.degrees[name], 1) for name in asked])
    has = np.array([[name in every for name in asked] for every in names.all], dtype=bool)
    return np.asarray(has.reshape(len(names.all), len(asked)) @ weights / max(weights.sum(), 1e-9))


def like_first(vectors: NDArray[np.float32], first: Ints) -> Floats:
    """The highest cosine of each passage and another one of the first."""
    similar = np.einsum("ij,kj->ik", vectors, vectors[first]).astype(np.float64)
    similar[first, np.arange(len(first))] = 0.0
    return np.asarray(similar.max(axis=1))


def beside(compared: ComparedPassages, order: Ints) -> tuple[Floats, Floats, Floats]:
    """Of the other passages of each document: their share of the walk's probability, the best of
    them by words, and how many are before the passage."""
    n = len(order)
    share, words, rank = np.zeros(n), np.zeros(n), np.zeros(n)
    total = float(compared.share.sum())
    groups: dict[str, list[int]] = {}
    for at in order.tolist():
        groups.setdefault(compared.texts[at].doc, []).append(at)
    for group in groups.values():
        whole = float(compared.share[group].sum())
        for before, at in enumerate(group):
            others = [compared.words[other] for other in group if other != at]
            share[at] = (whole - compared.share[at]) / total
            words[at] = max(others, default=0.0)
            rank[at] = min(before, 5)
    return share, words, rank


def long_documents(passages: Sequence[int]) -> float:
    """How far documents of so many passages are long: 0 (each is one passage) to 1."""
    return 1.0 - float(np.mean([1 / count for count in passages]))
