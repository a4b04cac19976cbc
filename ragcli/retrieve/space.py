"""What a question is asked against: one generation of the store, opened for reading.

Everything is opened when first used, so that a strategy pays for what it needs and no more.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ragcli.corpus.read.normal import PAGE
from ragcli.errors import InputError
from ragcli.retrieve.question import Question, find_entities
from ragcli.search.graph import EntityGraph
from ragcli.search.passage_graph import PassageGraph
from ragcli.search.vector_set import Vectors
from ragcli.store.read import chunk_id
from ragcli.types import Hit, Via

if TYPE_CHECKING:
    from ragcli.models.completion import Completer

Encode = Callable[[Sequence[str]], NDArray[np.float32]]


class Space:
    """Read access to one generation: texts and counts by SQL, vectors and graph by files."""

    def __init__(
        self, db: sqlite3.Connection, generation: int, segments: Sequence[Path], encode: Encode
    ) -> None:
        self.db = db
        self.generation = generation
        self.encode = encode
        # Asked for keywords by the modes that use them; their replies, by question.
        self.model: Completer | None = None
        self.keywords: dict[str, Any] = {}
        # Writes what the baselines of ``eval`` search with (retrieve.ASSISTED).
        self.assistant: Completer | None = None
        self._segments = segments

    @cached_property
    def passages(self) -> Vectors:
        return Vectors(self._segments, "passages")

    @cached_property
    def nodes(self) -> Vectors:
        return Vectors(self._segments, "nodes")

    @cached_property
    def names(self) -> Vectors:
        return Vectors(self._segments, "names")

    @cached_property
    def entity_profiles(self) -> Vectors:
        return Vectors(self._segments, "entity_profiles")

    @cached_property
    def relation_profiles(self) -> Vectors:
        return Vectors(self._segments, "relation_profiles")

    @cached_property
    def themes(self) -> Vectors:
        return Vectors(self._segments, "themes")

    @cached_property
    def members(self) -> Vectors:
        """Descriptions of the entities in the hierarchy; only in a store that has one."""
        return Vectors(self._segments, "members")

    @cached_property
    def graph(self) -> EntityGraph:
        return EntityGraph.open(self._segments)

    @cached_property
    def passage_graph(self) -> PassageGraph:
        return PassageGraph.open(self.passages.ids, self._segments)

    def hold(self) -> None:
        """Open every file now: updates delete those of a generation that is two behind."""
        described = self.entity_profiles, self.relation_profiles, self.themes
        for vectors in (self.passages, self.nodes, self.names, *described, self.members):
            vectors.open()
        _ = self.graph, self.passage_graph

    def understand(self, text: str) -> Question:
        """The question with its vector and the entities it names."""
        return Question(text, self.encode([text])[0], find_entities(self.db, text))

    def named(self, name: str) -> int:
        """The entity row that a name means, of several the most frequent; InputError if none."""
        rows = [row for match in find_entities(self.db, name) for row in match.rows]
        in_graph = [row for row in rows if self.graph.has(row)]
        if not in_graph:
            raise InputError(
                f"no entity is called {name!r}", "list them with: ragcli inspect entities"
            )
        return max(in_graph, key=lambda row: (sum(self.chunks_with(row).values()), -row))

    def names_of(self, entities: Sequence[int]) -> list[str]:
        """The names of entity rows, in order."""
        marks = ",".join("?" * len(entities))
        rows = self.db.execute(f"SELECT id, name FROM entities WHERE id IN ({marks})", entities)
        names = dict(rows.fetchall())
        return [names[e] for e in entities if e in names]

    def text_of(self, doc: str, start: int, end: int) -> str:
        """``text[start:end]`` of a document of this generation, put together from its chunks."""
        rows = self.db.execute(
            "SELECT c.start, c.owned, c.text FROM chunks c JOIN documents d ON d.id = c.doc"
            " WHERE d.doc = :doc AND d.born <= :g AND (d.died IS NULL OR d.died > :g)"
            ' AND c.owned < :end AND c."end" > :start ORDER BY c.ordinal',
            {"doc": doc, "g": self.generation, "start": start, "end": end},
        ).fetchall()
        if not rows:
            return ""
        joined = "".join(text[owned - base :] for base, owned, text in rows)
        first = rows[0][1]
        return joined[max(start - first, 0) : end - first]

    def chunks_with(self, entity: int) -> dict[int, int]:
        """Chunk row -> mentions of an entity."""
        rows = self.db.execute(
            "SELECT chunk, count FROM chunk_entities WHERE entity = ?", (entity,)
        )
        return dict(rows.fetchall())

    def passages_of(self, entity: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Passage rows that say an entity, and how much each is about it (n,).

        A name weighs as in the walk; a common noun stands in whole chunks.
        """
        _, passages, weights = self.passage_graph.by_entity.of(np.array([entity]))
        if len(passages):
            return passages, weights
        rows = self.db.execute(
            "SELECT p.id FROM chunk_entities x JOIN passages p ON p.chunk = x.chunk"
            " WHERE x.entity = ? ORDER BY p.id",
            (entity,),
        ).fetchall()
        return np.array(rows, dtype=np.int64).reshape(-1), np.ones(len(rows), dtype=np.float32)

    def passage_vectors(self, chunk: int) -> tuple[list[int], NDArray[np.float32]]:
        """Rows of a chunk's passages and their vectors (n, dim)."""
        rows = self.db.execute(
            "SELECT p.id, v.vector FROM passages p JOIN vectors v ON v.hash = p.vector"
            " WHERE p.chunk = ? ORDER BY p.id",
            (chunk,),
        ).fetchall()
        vectors = [np.frombuffer(blob, dtype=np.float16) for _, blob in rows]
        return [row for row, _ in rows], np.array(vectors, dtype=np.float32)

    def chunk_of(self, passage: int) -> int:
        """The chunk row of a passage."""
        row = self.db.execute("SELECT chunk FROM passages WHERE id = ?", (passage,)).fetchone()
        return int(row[0])

    def best_passage(self, chunk: int, vector: NDArray[np.float32]) -> int:
        """The passage of a chunk that is nearest to a vector."""
        rows, vectors = self.passage_vectors(chunk)
        return rows[int(np.argmax(vectors @ vector))]

    def passage_hit(self, row: int, score: float, rank: int, via: tuple[Via, ...]) -> Hit:
        """A hit that is one passage."""
        chunk, start, end = self.db.execute(
            'SELECT p.chunk, p.start, p."end" FROM passages p WHERE p.id = ?', (row,)
        ).fetchone()
        return self._hit(chunk, start, end, score, rank, via)

    def chunk_hit(self, row: int, score: float, rank: int, via: tuple[Via, ...]) -> Hit:
        """A hit that is a whole chunk."""
        return self._hit(row, None, None, score, rank, via)

    def span_hit(self, chunk: int, start: int, end: int, rank: int) -> Hit:
        """A hit that is ``[start:end]`` of a document, inside a chunk."""
        return self._hit(chunk, start, end, 0.0, rank, ())

    def _hit(
        self,
        chunk: int,
        start: int | None,
        end: int | None,
        score: float,
        rank: int,
        via: tuple[Via, ...],
    ) -> Hit:
        doc, title, ordinal, base, stop, first, last, text, page = self.db.execute(
            'SELECT d.doc, d.title, c.ordinal, c.start, c."end", c.line_start, c.line_end, c.text,'
            " c.page"
            " FROM chunks c JOIN documents d ON d.id = c.doc WHERE c.id = ?",
            (chunk,),
        ).fetchone()
        start, end = (base, stop) if start is None or end is None else (start, end)
        part = text[start - base : end - base]
        # A JSON Lines record stands on one line of its file, whatever line breaks it holds.
        line_start = min(first + text.count("\n", 0, start - base), last)
        line_end = min(line_start + part.count("\n"), last)
        if page is not None:
            page += text.count(PAGE, 0, start - base)
        return Hit(
            chunk_id(doc, ordinal),
            *(doc, title, start, end, line_start, line_end, part, score, rank, via, page),
        )
