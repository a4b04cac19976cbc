"""The search index of one generation: a snapshot together with its derived files.

Each file is opened at its first use, so a strategy opens only the files that it needs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ragcli.corpus.normalised_text import PAGE
from ragcli.errors import StoreDamaged, StoreLocked
from ragcli.search import derive, evidence, lexical
from ragcli.search.entity_graph import EntityGraph
from ragcli.search.evidence import Evidence
from ragcli.search.passage_graph import PassageGraph, held
from ragcli.search.vector_set import Vectors
from ragcli.store import derived, relations
from ragcli.store.connection import newest_generation
from ragcli.store.lock import nothing_committed, writer_lock
from ragcli.store.records import chunk_id
from ragcli.store.snapshot import Snapshot
from ragcli.text.asked_question import AskedQuestion
from ragcli.text.near_words import nearest_word
from ragcli.types import Event, Hit, Part, Report, Via, silent
from ragcli.types.blocks import Block, abouts
from ragcli.types.places import line_in

# Passages in which the spelling of a word is looked up; the lexical index has only stems.
_SPELLED = 20
_LETTERS = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class GenerationFiles:
    """The folders of a generation's segments, oldest first."""

    vectors: tuple[Path, ...]
    edges: tuple[Path, ...]

    @classmethod
    def of(cls, store: Path, generation: int) -> GenerationFiles:
        """Those of a store. Raises StoreDamaged if a manifest is unusable."""
        vectors = derived.folders(store, generation, derived.VECTORS)
        return cls(tuple(vectors), tuple(derived.folders(store, generation)))


class SearchIndex:
    """One generation of a store: texts and counts in a snapshot, vectors and graphs in files.

    A strategy asks the index, not the snapshot, which rows there are: ``ScopedIndex`` answers for
    the documents of a scope only.
    """

    whole = True
    """Whether all documents are visible. Otherwise texts made from several must not be shown."""

    def __init__(self, snapshot: Snapshot, files: GenerationFiles) -> None:
        """Use the files of the generation; see ``open``."""
        self.snapshot = snapshot
        self.files = files

    @classmethod
    def open(cls, snapshot: Snapshot, report: Report = silent) -> SearchIndex:
        """Open the index of a snapshot; missing or damaged derived files are made again.

        Raises StoreMissing if nothing has been committed yet, StoreLocked, StoreDamaged.
        """
        if not snapshot.generation:
            raise nothing_committed(snapshot.store)
        ensure_derived(snapshot, report)
        return cls(snapshot, GenerationFiles.of(snapshot.store, snapshot.generation))

    @cached_property
    def document_count(self) -> int:
        """The number of documents that are visible."""
        return len(self.snapshot.facts.rows())

    @cached_property
    def passages(self) -> Vectors:
        """Vectors of passages, of their text."""
        return Vectors(self.files.vectors, "passages")

    @cached_property
    def nodes(self) -> Vectors:
        """Vectors of the summary tree's nodes, of their text."""
        return Vectors(self.files.vectors, "nodes")

    @cached_property
    def names(self) -> Vectors:
        """Vectors of entities, of their name."""
        return Vectors(self.files.vectors, "names")

    @cached_property
    def entity_profiles(self) -> Vectors:
        """Vectors of entities, of their profile."""
        return Vectors(self.files.vectors, "entity_profiles")

    @cached_property
    def relation_profiles(self) -> Vectors:
        """Vectors of relations, of their profile."""
        return Vectors(self.files.vectors, "relation_profiles")

    @cached_property
    def themes(self) -> Vectors:
        """Vectors of the keywords of relations."""
        return Vectors(self.files.vectors, "themes")

    @cached_property
    def members(self) -> Vectors:
        """Vectors of entities in the hierarchy, of their description; empty without a hierarchy."""
        return Vectors(self.files.vectors, "members")

    @cached_property
    def graph(self) -> EntityGraph:
        """Entities with edges for sentences that name both."""
        every = partial(relations.everything, self.snapshot.db)
        return EntityGraph.open(self.files.edges, every)

    @cached_property
    def passage_graph(self) -> PassageGraph:
        """Passages with edges to the names in them."""
        return PassageGraph.open(self.passages.ids, self.files.edges)

    def hold(self) -> None:
        """Open every file now, because updates delete the files of the last but one generation."""
        described = self.entity_profiles, self.relation_profiles, self.themes
        for vectors in (self.passages, self.nodes, self.names, *described, self.members):
            vectors.open()
        _ = self.graph, self.passage_graph

    def holds_chunk(self, _chunk: int) -> bool:
        """Return whether a live chunk is visible."""
        return True

    def tops(self, _k: int) -> list[int]:
        """Return the highest nodes of the summary tree below which all chunks are visible; of
        many, the k with most text below them."""
        top = self.snapshot.nodes.top()
        return [] if top is None else [top]

    def chunks_mentioning(self, entity: int) -> dict[int, int]:
        """Return chunk row -> mentions of an entity."""
        return self.snapshot.chunks.mentioning(entity)

    def by_words(self, asked: AskedQuestion, k: int) -> list[tuple[int, float]]:
        """Return the k best passages by BM25 as (passage row, score), best first."""
        return lexical.search(self.snapshot.db, asked, k)

    def with_phrase(self, phrase: str, k: int) -> list[tuple[int, float]]:
        """Return the k best passages with the words of a phrase side by side, in any form."""
        return lexical.with_phrase(self.snapshot.db, phrase, k)

    def rare_terms(self, asked: AskedQuestion, most: int) -> AskedQuestion:
        """Return the terms of a text that occur in at least one and at most ``most`` passages."""
        return lexical.rare_terms(self.snapshot.db, asked, most)

    def passages_with(self, term: str, most: int) -> int:
        """Return the number of passages of the store with a term, ``most`` at most."""
        return lexical.passages_with(self.snapshot.db, term, most)

    def has_word(self, word: str) -> bool:
        """Return whether a word, or another form of it, occurs in a passage of the store."""
        return lexical.occurs(self.snapshot.db, word)

    def word_meant(self, word: str) -> str | None:
        """Return the word of the documents that a mistyped one probably stands for.

        None if the word itself occurs, or if no similar word does.
        """
        if self.has_word(word):
            return None
        for row in lexical.rows_of_similar(self.snapshot.db, word, _SPELLED):
            words = {found.casefold() for found in _LETTERS.findall(self._passage_text(row))}
            if meant := nearest_word(word, words):
                return meant
        return None

    def _passage_text(self, row: int) -> str:
        chunk, start, end = self.snapshot.chunks.passage_place(row)
        place = self.snapshot.chunks.place(chunk)
        return place.text[start - place.start : end - place.start]

    def sentence_with(self, entities: Sequence[int]) -> Evidence | None:
        """Return a sentence that names all entities, or None."""
        return evidence.sentence_with(self.snapshot.chunks, self.snapshot.entities, entities)

    def sentences_saying(self, chunk: int, wanted: Iterable[str]) -> list[Evidence]:
        """Return where the wanted sentences occur in the chunk's document."""
        return evidence.passages_saying(self.snapshot.chunks, chunk, wanted)

    def passages_of(self, entity: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the passage rows that mention an entity, and their weights, both (n,).

        The weights of a name are those of the passage graph. Common nouns are counted by chunk, so
        all passages of such a chunk have weight 1.
        """
        _, passages, weights = self.passage_graph.by_entity.of(np.array([entity]))
        if not len(passages):
            passages = np.array(self.snapshot.chunks.passages_mentioning(entity), dtype=np.int64)
            weights = np.ones(len(passages), dtype=np.float32)
        if self.whole:
            return passages, weights
        visible = held(self.passages.ids, passages)
        return passages[visible], weights[visible]

    def best_passage(self, chunk: int, vector: NDArray[np.float32]) -> int:
        """Return the passage of a chunk that is most similar to a vector."""
        rows, vectors = self.passage_vectors(chunk)
        return rows[int(np.argmax(vectors @ vector))]

    def passage_vectors(self, chunk: int) -> tuple[list[int], NDArray[np.float32]]:
        """Return the rows of a chunk's passages, and their vectors (n, dim)."""
        rows = self.snapshot.chunks.passage_rows(chunk)
        return rows, self.passages.of(np.array(rows, dtype=np.int64))

    def passage_hit(self, row: int, score: float, rank: int, via: tuple[Via, ...]) -> Hit:
        """Return a hit for one passage."""
        chunk, start, end = self.snapshot.chunks.passage_place(row)
        return self._hit(chunk, (start, end), score, rank, via)

    def chunk_hit(self, row: int, score: float, rank: int, via: tuple[Via, ...]) -> Hit:
        """Return a hit for a whole chunk."""
        return self._hit(row, None, score, rank, via)

    def span_hit(self, chunk: int, start: int, end: int, rank: int) -> Hit:
        """Return a hit for ``[start:end]`` of a document, inside a chunk."""
        return self._hit(chunk, (start, end), 0.0, rank, ())

    def part_around(self, doc: str, start: int, end: int) -> Part:
        """Return the part of a document that the chunks with [start:end] make up together."""
        chunks = self.snapshot.chunks
        rows = chunks.around(doc, start, end)
        first, last = chunks.place(rows[0]), chunks.place(rows[-1])
        return Part(
            1,
            doc,
            first.title,
            first.start,
            last.end,
            first.line_start,
            last.line_end,
            self.snapshot.documents.text(doc, first.start, last.end),
            first.page,
            chunks.headings(rows[0], first.start, last.end),
            lines=chunks.lines(rows[0], first.start, last.end),
            blocks=(blocks := chunks.blocks(rows[0], first.start, last.end)),
            above=self._above(doc, blocks, first.start, last.end),
        )

    def _above(
        self, doc: str, blocks: Sequence[Block], start: int, end: int
    ) -> tuple[tuple[int, str], ...]:
        """(offset, text) of what is outside of [start:end] and says what blocks are about."""
        text = self.snapshot.documents.text
        return tuple((a.start, text(doc, a.start, a.end)) for a in abouts(blocks, start, end))

    def _hit(
        self, row: int, span: tuple[int, int] | None, score: float, rank: int, via: tuple[Via, ...]
    ) -> Hit:
        chunk = self.snapshot.chunks.place(row)
        start, end = span or (chunk.start, chunk.end)
        part = chunk.text[start - chunk.start : end - chunk.start]
        marks = self.snapshot.chunks.lines(row, start, end)
        blocks = self.snapshot.chunks.blocks(row, start, end)
        lines = chunk.line_start, chunk.line_end
        line_start = line_in(chunk.text, chunk.start, lines, marks, start)
        line_end = line_in(chunk.text, chunk.start, lines, marks, max(end - 1, start))
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
            self.snapshot.chunks.headings(row, start, end),
            path=self.snapshot.facts.path_here(chunk.doc),
            lines=marks,
            blocks=blocks,
            above=self._above(chunk.doc, blocks, start, end),
            reply_to=self.snapshot.facts.reply_to(chunk.doc),
        )


def ensure_derived(snapshot: Snapshot, report: Report = silent) -> None:
    """Make a generation's derived files again if they are missing or damaged.

    Raises StoreDamaged if this fails, or if files of vectors are damaged, which a writer must mend;
    StoreLocked if they are gone because two commits have ended meanwhile.
    """
    store, current = snapshot.store, snapshot.generation
    if found := derive.vector_problem(store, current):
        if newest_generation(store) > current:
            raise StoreLocked(f"{store} was updated while it was opened", "run it again")
        raise StoreDamaged(f"vectors in {store}: {found}", "run: ragcli inspect check")
    found = derive.problem(store, current)
    if found:
        report(Event("derive", 0, 1, f"derived files are made again: {found}"))
        try:
            with writer_lock(store):
                derive.build(store, snapshot.db, current)
        except StoreLocked as error:
            # The writer may have just replaced them; then they are complete now.
            if derive.problem(store, current):
                raise error
        except OSError as error:
            raise StoreDamaged(
                f"derived files in {store}: {found}; they cannot be made again: {error.strerror}",
                "run as a user who may write there: ragcli inspect check",
            ) from error
