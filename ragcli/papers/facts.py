"""Finds entities and relations by keys, as LightRAG's retrieval does.

``Described`` searches the findings of a language model; profiles and themes are the keys.
``Undescribed`` searches the text itself: the key of an entity is its name, and two names in one
passage are related. The similarity of that passage to a key is the similarity of the relation.
Both are always searched, and the better score counts. So a partly described store is searched
completely, and a described store finds more than with its descriptions only (docs/adr/light.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ragcli.retrieve.base import Helpers, Related
from ragcli.search.level_codes import ERROR
from ragcli.search.search_index import SearchIndex

Vector = NDArray[np.float32]
Pair = tuple[int, int]

# Relations considered for one entity or one theme; the nearest to the question are kept.
MAX_RELATIONS = 1000
# Themes considered for a keyword, and their least similarity.
THEMES = 3
THEME_LIKENESS = 0.6
# The most mentioned names of a passage; each pair of them counts as a relation.
MAX_NAMES = 8
# Names are found by estimates, and embedded again to be compared: those that may be among the
# nearest within so many errors of an estimate, at most so many for a key.
DOUBT = 2.5
MOST_EMBEDDED = 64


class Facts:
    """Entities and relations by key, described and not described; the better score counts."""

    def __init__(self, index: SearchIndex, helpers: Helpers) -> None:
        self._parts = Described(index), Undescribed(index, helpers)

    def entities_near(self, key: Vector, k: int) -> list[tuple[int, float]]:
        """The k entity rows whose name or profile is nearest, best first."""
        scores: dict[int, float] = {}
        for row, near in (near for part in self._parts for near in part.entities_near(key, k)):
            scores[row] = max(scores.get(row, 0.0), near)
        return _best(scores, k)

    def relations_of(self, entities: Mapping[int, float], key: Vector, k: int) -> list[Related]:
        """The k relations of some entities that are nearest to a key, weighted by the entity."""
        return _joined([part.relations_of(entities, key, k) for part in self._parts], k)

    def relations_near(self, whole: Vector, themes: Sequence[Vector], k: int) -> list[Related]:
        """The k relations nearest to the question or, over a theme, to one of its keywords."""
        return _joined([part.relations_near(whole, themes, k) for part in self._parts], k)


def _joined(parts: Iterable[Iterable[Related]], k: int) -> list[Related]:
    """The k best of all parts; a pair in several parts gets the passages of each."""
    found: dict[Pair, Related] = {}
    for related in (r for part in parts for r in part):
        known = found.get(related.pair)
        if known is not None:
            first, second = sorted((known, related), key=lambda r: -r.score)
            passages = tuple(dict.fromkeys((*first.passages, *second.passages)))
            related = replace(first, passages=passages)
        found[related.pair] = related
    return sorted(found.values(), key=lambda r: -r.score)[:k]  # ties: in the order of the parts


def _best(scores: Mapping[int, float], k: int) -> list[tuple[int, float]]:
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:k]


class Described:
    """Profiles of a language model's findings."""

    def __init__(self, index: SearchIndex) -> None:
        self._index = index
        self._profiles = index.snapshot.profiles

    def entities_near(self, key: Vector, k: int) -> list[tuple[int, float]]:
        return self._index.entity_profiles.search(key, k)

    def relations_of(self, entities: Mapping[int, float], key: Vector, k: int) -> list[Related]:
        scores: dict[int, float] = {}
        for entity, weight in entities.items():
            rows = self._profiles.relations_of(entity, MAX_RELATIONS)
            for row, similar in self._similar(rows, key):
                scores[row] = max(scores.get(row, 0.0), similar * weight)
        return self._related(scores, k, key)

    def relations_near(self, whole: Vector, themes: Sequence[Vector], k: int) -> list[Related]:
        scores = dict(self._index.relation_profiles.search(whole, k))
        for theme in themes:
            for row, likeness in self._index.themes.search(theme, THEMES):
                if likeness >= THEME_LIKENESS:
                    rows = self._profiles.relations_under(row, MAX_RELATIONS)
                    for relation, similar in self._similar(rows, whole):
                        score = similar * likeness
                        scores[relation] = max(scores.get(relation, 0.0), score)
        return self._related(scores, k, whole)

    def _similar(self, rows: Sequence[int], key: Vector) -> list[tuple[int, float]]:
        if not self._index.whole:
            rows = np.intersect1d(rows, self._index.relation_profiles.ids).tolist()
        if not rows:
            return []
        wanted = np.array(sorted(rows), dtype=np.int64)
        found = self._index.relation_profiles.similarities(key, wanted)
        return list(zip(wanted.tolist(), found.tolist(), strict=True))

    def _related(self, scores: Mapping[int, float], k: int, key: Vector) -> list[Related]:
        """The k best relations; within a scope, of those that its passages state."""
        found: list[Related] = []
        for row, score in _best(scores, k if self._index.whole else len(scores)):
            pair = self._profiles.pair(row)
            passages = tuple(self._passages(pair, key))
            if passages or self._index.whole:
                found.append(Related(pair, score, passages))
            if len(found) == k:
                break
        return found

    def _passages(self, pair: Pair, key: Vector) -> list[int]:
        """The passages of a pair's statements: in each chunk, those with most of the pair."""
        found = []
        for chunk in filter(self._index.holds_chunk, self._profiles.chunks_stating(pair)):
            held = self._index.snapshot.chunks.passages_naming(chunk, pair)
            most = [row for row, n in held if n == held[0][1]]
            if len(most) > 1 and not held[0][1]:
                most = [self._index.best_passage(chunk, key)]
            found += most
        return found


class Undescribed:
    """Facts from the text itself: names, and passages that contain two of them."""

    def __init__(self, index: SearchIndex, helpers: Helpers) -> None:
        self._index = index
        self._embed = helpers.encode_passages or helpers.encode
        self._embedded: dict[int, Vector] = {}

    def entities_near(self, key: Vector, k: int) -> list[tuple[int, float]]:
        """The names nearest by their codes, compared exactly: their text is embedded again."""
        rough = self._index.names.search(key, max(MOST_EMBEDDED, k))
        exact = self._compared([row for row, _ in rough[:k]], key)
        if len(exact) < len(rough):
            enough = min(exact.values()) - DOUBT * ERROR / len(key) ** 0.5
            exact |= self._compared([row for row, near in rough[k:] if near >= enough], key)
        return _best(exact, k)

    def _compared(self, rows: Sequence[int], key: Vector) -> dict[int, float]:
        """Entity rows -> inner products of their names with a key."""
        new = [row for row in rows if row not in self._embedded]
        if new:
            names = self._index.snapshot.entities.names(new)
            vectors = self._embed([names[row] for row in new])
            self._embedded |= zip(new, vectors, strict=True)
        return {row: float(self._embedded[row] @ key) for row in rows}

    def relations_of(self, entities: Mapping[int, float], key: Vector, k: int) -> list[Related]:
        found: dict[Pair, Related] = {}
        for entity, weight in entities.items():
            passages, _ = self._index.passages_of(entity)
            similar = self._index.passages.similarities(key, passages)
            order = np.lexsort((passages, -similar))[:k]
            for passage, score in zip(
                passages[order].tolist(), similar[order].tolist(), strict=True
            ):
                pairs = [tuple(sorted((entity, x))) for x in self._names(passage) if x != entity]
                self._note(found, pairs, score * weight, passage)
        return self._strongest(found, k)

    def relations_near(self, whole: Vector, themes: Sequence[Vector], k: int) -> list[Related]:
        found: dict[Pair, Related] = {}
        for key in (whole, *themes):
            for passage, score in self._index.passages.search(key, k):
                similar = score if key is whole else score * THEME_LIKENESS
                self._note(found, combinations(sorted(self._names(passage)), 2), similar, passage)
        return self._strongest(found, k)

    def _names(self, passage: int) -> list[int]:
        return self._index.snapshot.chunks.named_in_passage(passage, MAX_NAMES)

    def _note(
        self, found: dict[Pair, Related], pairs: Iterable[tuple[int, ...]], score: float, at: int
    ) -> None:
        for low, high in pairs:
            known = found.get((low, high))
            if known is None or known.score < score:
                found[low, high] = Related((low, high), score, (at,))

    def _strongest(self, found: Mapping[Pair, Related], k: int) -> list[Related]:
        """The k best pairs that share a sentence; within a passage, the most frequent first."""
        weighed = []
        for related in sorted(found.values(), key=lambda r: (-r.score, r.pair))[: 8 * k]:
            relation = self._index.snapshot.entities.relation(*related.pair)
            if relation is not None:
                weighed.append((-related.score, -relation.weight, related.pair, related))
        return [related for *_, related in sorted(weighed, key=lambda w: w[:3])[:k]]
