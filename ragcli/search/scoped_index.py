"""A search index that shows only the documents of a scope, to every strategy alike.

Vectors, words and the graph of passages are searched with a mask over live rows, before anything
is ranked. So the k best of the scope are found, however many better ones are outside. Statistics of
the whole store (how rare a word or a name is) stay those of the whole store. Texts that were made
from several documents, such as profiles of entities, are not shown, because they may come from
outside.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ragcli.search import lexical
from ragcli.search.passage_graph import PassageGraph
from ragcli.search.scope import select
from ragcli.search.search_index import SearchIndex
from ragcli.search.vector_set import Vectors
from ragcli.search.word_ranking import RowMask
from ragcli.store.snapshot.document_facts import Kind
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Scope

Int = NDArray[np.int64]


def within(index: SearchIndex, scope: Scope) -> SearchIndex:
    """The index of the documents in a scope; the same index if the scope is empty.

    Raises InputError if no document is in the scope.
    """
    return ScopedIndex(index, select(index.snapshot, scope)) if scope else index


class RowSpans:
    """Disjoint spans of row numbers, rising."""

    def __init__(self, spans: Int) -> None:
        """``spans``, shape (n, 2): first and last row of each."""
        self.first, self.last = spans[:, 0], spans[:, 1]

    def hold(self, rows: Int) -> NDArray[np.bool_]:
        """Which rows are in a span."""
        if not len(self.first):
            return np.zeros(len(rows), dtype=bool)
        at = np.searchsorted(self.first, rows, side="right") - 1
        return np.asarray((at >= 0) & (rows <= self.last[at]))

    def pairs(self) -> list[tuple[int, int]]:
        """The spans as numbers."""
        return list(zip(self.first.tolist(), self.last.tolist(), strict=True))


class ScopedIndex(SearchIndex):
    """The part of another index that belongs to some documents."""

    whole = False

    def __init__(self, index: SearchIndex, documents: Int) -> None:
        """``documents``: their rows, rising, at least one."""
        super().__init__(index.snapshot, index.files)
        self.documents = documents
        self._index = index

    @cached_property
    def document_count(self) -> int:
        return len(self.documents)

    @cached_property
    def passages(self) -> Vectors:
        return self._index.passages.only(self._spans("passages").hold)

    @cached_property
    def nodes(self) -> Vectors:
        """Nodes of the documents; folders have others below them, too."""
        return self._index.nodes.only(self._spans("nodes").hold)

    @cached_property
    def names(self) -> Vectors:
        return self._index.names.only(lambda rows: np.isin(rows, self._named))

    @cached_property
    def entity_profiles(self) -> Vectors:
        found = self.snapshot.facts.described_entities(self._chunks.pairs())
        return self._index.entity_profiles.only(lambda rows: np.isin(rows, found))

    @cached_property
    def relation_profiles(self) -> Vectors:
        found = self.snapshot.facts.described_relations(self._chunks.pairs())
        return self._index.relation_profiles.only(lambda rows: np.isin(rows, found))

    @cached_property
    def themes(self) -> Vectors:
        return self._index.themes

    @cached_property
    def members(self) -> Vectors:
        return self._index.members.only(lambda rows: np.isin(rows, self._named))

    @cached_property
    def passage_graph(self) -> PassageGraph:
        return self._index.passage_graph.only(self.passages.ids)

    def hold(self) -> None:
        self._index.hold()

    def by_words(self, asked: AskedQuestion, k: int) -> list[tuple[int, float]]:
        return lexical.search(self.snapshot.db, asked, k, self._mask)

    def with_phrase(self, phrase: str, k: int) -> list[tuple[int, float]]:
        return lexical.with_phrase(self.snapshot.db, phrase, k, self._mask)

    def rare_terms(self, asked: AskedQuestion, most: int) -> AskedQuestion:
        return lexical.rare_terms(self.snapshot.db, asked, most, self._mask)

    def holds_chunk(self, chunk: int) -> bool:
        return bool(self._chunks.hold(np.array([chunk]))[0])

    def tops(self, k: int) -> list[int]:
        return self.snapshot.nodes.tops_of(self.documents.tolist(), k)

    def chunks_mentioning(self, entity: int) -> dict[int, int]:
        found = super().chunks_mentioning(entity)
        return {chunk: n for chunk, n in found.items() if self.holds_chunk(chunk)}

    @cached_property
    def _chunks(self) -> RowSpans:
        return self._spans("chunks")

    @cached_property
    def _named(self) -> Int:
        """The names in the passages, rising."""
        return np.unique(self._index.passage_graph.by_passage.of(self.passages.ids)[1])

    @cached_property
    def _mask(self) -> RowMask:
        return RowMask.of(self.passages.ids)

    def _spans(self, kind: Kind) -> RowSpans:
        """The spans of rows that belong to the documents."""
        at = np.searchsorted(self.snapshot.facts.rows(), self.documents)
        ends = np.flatnonzero(np.diff(at) != 1)
        first = self.documents[np.concatenate(([0], ends + 1))]
        last = self.documents[np.concatenate((ends, [len(at) - 1]))]
        return RowSpans(
            self.snapshot.facts.spans(kind, list(zip(first.tolist(), last.tolist(), strict=True)))
        )
