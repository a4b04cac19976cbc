"""A snapshot together with its derived files: what a question is searched in.

Everything is opened when first used, so a strategy pays for what it needs and no more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ragcli.corpus.read.normalised_text import PAGE
from ragcli.errors import StoreDamaged, StoreLocked
from ragcli.search import derive, evidence, lexical
from ragcli.search.evidence import Evidence
from ragcli.search.graph import EntityGraph
from ragcli.search.passage_graph import PassageGraph
from ragcli.search.vector_set import Vectors
from ragcli.store import derived
from ragcli.store.lock import nothing_committed, writer_lock
from ragcli.store.records import chunk_id
from ragcli.store.snapshot import Snapshot
from ragcli.types import Event, Hit, Report, Via, silent


class SearchIndex:
    """One generation of a store: texts and counts by its snapshot, vectors and graphs by files."""

    def __init__(self, snapshot: Snapshot, segments: Sequence[Path]) -> None:
        """From the folders of the generation's segments, oldest first; see ``open``."""
        self.snapshot = snapshot
        self._segments = segments

    @classmethod
    def open(cls, snapshot: Snapshot, report: Report = silent) -> SearchIndex:
        """The index of a snapshot; its files are made again when they are missing or damaged.

        Raises StoreMissing when nothing has been committed yet, StoreLocked, StoreDamaged.
        """
        if not snapshot.generation:
            raise nothing_committed(snapshot.store)
        return cls(snapshot, ensure_derived(snapshot, report))

    @cached_property
    def passages(self) -> Vectors:
        """Passages, by their text."""
        return Vectors(self._segments, "passages")

    @cached_property
    def nodes(self) -> Vectors:
        """Nodes of the summary tree, by their text."""
        return Vectors(self._segments, "nodes")

    @cached_property
    def names(self) -> Vectors:
        """Entities, by their name."""
        return Vectors(self._segments, "names")

    @cached_property
    def entity_profiles(self) -> Vectors:
        """Entities, by what is said of them."""
        return Vectors(self._segments, "entity_profiles")

    @cached_property
    def relation_profiles(self) -> Vectors:
        """Relations, by what is said of them."""
        return Vectors(self._segments, "relation_profiles")

    @cached_property
    def themes(self) -> Vectors:
        """Keywords of relations."""
        return Vectors(self._segments, "themes")

    @cached_property
    def members(self) -> Vectors:
        """Entities in the hierarchy, by their description; only in a store that has one."""
        return Vectors(self._segments, "members")

    @cached_property
    def graph(self) -> EntityGraph:
        """Entities joined by sentences that name both."""
        return EntityGraph.open(self._segments)

    @cached_property
    def passage_graph(self) -> PassageGraph:
        """Passages joined with the names in them."""
        return PassageGraph.open(self.passages.ids, self._segments)

    def hold(self) -> None:
        """Open every file now: updates delete those of a generation that is two behind."""
        described = self.entity_profiles, self.relation_profiles, self.themes
        for vectors in (self.passages, self.nodes, self.names, *described, self.members):
            vectors.open()
        _ = self.graph, self.passage_graph

    def by_words(self, text: str, k: int) -> list[tuple[int, float]]:
        """The k best passages by BM25 as (passage row, score), best first."""
        return lexical.search(self.snapshot.db, text, k)

    def telling_words(self, text: str, most: int) -> str:
        """The content words of a text that stand in at least one passage and at most ``most``."""
        return lexical.telling(self.snapshot.db, text, most)

    def sentence_with(self, entities: Sequence[int]) -> Evidence | None:
        """A sentence that names all the entities, from a chunk that does so often."""
        return evidence.sentence_with(self.snapshot.chunks, self.snapshot.entities, entities)

    def sentences_saying(self, chunk: int, wanted: Iterable[str]) -> list[Evidence]:
        """Where sentences stand in the document that a chunk is of; the others are left out."""
        return evidence.passages_saying(self.snapshot.chunks, chunk, wanted)

    def passages_of(self, entity: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Passage rows that mention an entity, and how much each is about it, both (n,).

        A name weighs as in the walk; a common noun stands in whole chunks.
        """
        _, passages, weights = self.passage_graph.by_entity.of(np.array([entity]))
        if len(passages):
            return passages, weights
        rows = self.snapshot.chunks.passages_mentioning(entity)
        return np.array(rows, dtype=np.int64), np.ones(len(rows), dtype=np.float32)

    def best_passage(self, chunk: int, vector: NDArray[np.float32]) -> int:
        """The passage of a chunk that is nearest to a vector."""
        rows, vectors = self.snapshot.chunks.passage_vectors(chunk)
        return rows[int(np.argmax(vectors @ vector))]

    def passage_hit(self, row: int, score: float, rank: int, via: tuple[Via, ...]) -> Hit:
        """A hit that is one passage."""
        chunk, start, end = self.snapshot.chunks.passage_place(row)
        return self._hit(chunk, (start, end), score, rank, via)

    def chunk_hit(self, row: int, score: float, rank: int, via: tuple[Via, ...]) -> Hit:
        """A hit that is a whole chunk."""
        return self._hit(row, None, score, rank, via)

    def span_hit(self, chunk: int, start: int, end: int, rank: int) -> Hit:
        """A hit that is ``[start:end]`` of a document, inside a chunk."""
        return self._hit(chunk, (start, end), 0.0, rank, ())

    def _hit(
        self, row: int, span: tuple[int, int] | None, score: float, rank: int, via: tuple[Via, ...]
    ) -> Hit:
        chunk = self.snapshot.chunks.place(row)
        start, end = span or (chunk.start, chunk.end)
        part = chunk.text[start - chunk.start : end - chunk.start]
        # A JSON Lines record stands on one line of its file, whatever line breaks it holds.
        before = chunk.text.count("\n", 0, start - chunk.start)
        line_start = min(chunk.line_start + before, chunk.line_end)
        line_end = min(line_start + part.count("\n"), chunk.line_end)
        page = chunk.page
        if page is not None:
            page += chunk.text.count(PAGE, 0, start - chunk.start)
        return Hit(
            chunk_id(chunk.doc, chunk.ordinal),
            chunk.doc,
            chunk.title,
            start,
            end,
            line_start,
            line_end,
            part,
            score,
            rank,
            via,
            page,
        )


def ensure_derived(snapshot: Snapshot, report: Report = silent) -> list[Path]:
    """The segments of a generation, oldest first, made again when they are missing or damaged."""
    store, current = snapshot.store, snapshot.generation
    found = derive.problem(store, current)
    if found:
        report(Event("derive", 0, 1, f"derived files are made again: {found}"))
        try:
            with writer_lock(store):
                derive.build(store, snapshot.db, current)
        except StoreLocked as error:
            # The writer may have just replaced them: then they are complete by now.
            if derive.problem(store, current):
                raise error
        except OSError as error:
            raise StoreDamaged(
                f"derived files in {store}: {found}; they cannot be made again: {error.strerror}",
                "run as a user who may write there: ragcli inspect check",
            ) from error
    return derived.folders(store, current)
