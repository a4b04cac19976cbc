"""What a language model, or somebody's records, found in each chunk, by the hash it is kept under.

Chunks of pending documents are seen by nobody yet and get their findings at once. A chunk of a
document that stays is part of the sums already: the commit point gives it its new findings.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ragcli.store.generations import BORN, NEWEST
from ragcli.store.meta import generation
from ragcli.store.sweep import loosen
from ragcli.store.transaction import transaction

_CHUNKS = " FROM chunks c JOIN documents d ON d.id = c.doc"
# Chunks of pending documents that nobody has read yet.
_UNREAD_PENDING = f"{_CHUNKS} WHERE c.findings IS NULL AND {BORN}"


@dataclass(frozen=True, slots=True)
class ChunkFindings:
    """The hash of what was found in a chunk; None: nobody has read it any more."""

    chunk: int
    key: bytes | None


@dataclass(frozen=True, slots=True)
class ReadableChunk:
    """A chunk as a language model reads it: ``extraction`` stands for its owned text; ``findings``
    is the hash of what was found there, None if nobody has read it."""

    row: int
    doc: str
    extraction: bytes
    heading: str
    findings: bytes | None


@dataclass(frozen=True, slots=True)
class ChunkText:
    """The owned text of a chunk, and the packed mentions of the English pipeline in it."""

    text: str
    heading: str
    extraction: bytes


@dataclass(frozen=True, slots=True)
class EarlierFindings:
    """What was found in a document in one text under one heading."""

    extraction: bytes
    heading: str
    doc: str
    key: bytes


class FindingsWriter:
    """Which chunks have findings, which wait for them, and from where they can be taken."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    @property
    def _pending(self) -> dict[str, int]:
        return {"pending": generation(self._db) + 1}

    def are_there(self) -> bool:
        """Whether any chunk has findings."""
        row = self._db.execute("SELECT 1 FROM chunks WHERE findings IS NOT NULL LIMIT 1").fetchone()
        return row is not None

    def unread_pending(self) -> list[ReadableChunk]:
        """Chunks of pending documents without findings."""
        rows = self._db.execute(
            f"SELECT c.id, d.doc, c.extraction, c.heading, NULL{_UNREAD_PENDING}", self._pending
        )
        return [ReadableChunk(*row) for row in rows]

    def for_texts_of_pending(self) -> list[EarlierFindings]:
        """What was found anywhere in the texts of those; the work does not grow with the store."""
        rows = self._db.execute(
            "SELECT o.extraction, o.heading, p.doc, min(o.findings) FROM chunks o JOIN documents p"
            " ON p.id = o.doc WHERE o.findings IS NOT NULL"
            f" AND o.extraction IN (SELECT c.extraction{_UNREAD_PENDING}) GROUP BY 1, 2, 3",
            self._pending,
        )
        return [EarlierFindings(*row) for row in rows]

    def of_pending(self, found: Sequence[ChunkFindings]) -> list[ChunkFindings]:
        """Those of ``found`` whose chunks belong to pending documents."""
        query = f"SELECT c.id{_CHUNKS} WHERE {BORN}"
        pending = {row for (row,) in self._db.execute(query, self._pending)}
        return [f for f in found if f.chunk in pending]

    def that_differ(self, found: Iterable[ChunkFindings]) -> list[ChunkFindings]:
        """Those of ``found`` that differ from the chunks' own findings."""
        query = "SELECT findings FROM chunks WHERE id = ?"
        return [f for f in found if self._db.execute(query, (f.chunk,)).fetchone() != (f.key,)]

    def give(self, found: Sequence[ChunkFindings]) -> None:
        """Set the findings of chunks that no reader sees yet; one transaction."""
        with transaction(self._db):
            self._set(found)

    def replace(self, found: Sequence[ChunkFindings]) -> None:
        """Set the findings of any chunks and leave the former ones to the sweep; part of the
        commit point."""
        for f in found:
            loosen(
                self._db,
                "SELECT findings FROM chunks WHERE id = ? AND findings IS NOT NULL",
                (f.chunk,),
            )
        self._set(found)

    def _set(self, found: Sequence[ChunkFindings]) -> None:
        self._db.executemany(
            "UPDATE chunks SET findings = ? WHERE id = ?", [(f.key, f.chunk) for f in found]
        )

    def documents_with(self, found: Iterable[ChunkFindings]) -> set[int]:
        """Rows of the documents that hold the chunks."""
        query = "SELECT doc FROM chunks WHERE id = ?"
        return {self._db.execute(query, (f.chunk,)).fetchone()[0] for f in found}

    def in_order_of_reading(self) -> list[ReadableChunk]:
        """Chunks of the newest documents, those with the names that most documents share first."""
        rows = self._db.execute(
            f"SELECT c.id, d.doc, c.extraction, c.heading, c.findings{_CHUNKS} WHERE {NEWEST}"
            " ORDER BY (SELECT coalesce(sum(e.documents), 0) FROM chunk_entities x"
            "  JOIN entities e ON e.id = x.entity AND e.kind = 'name' WHERE x.chunk = c.id) DESC,"
            " d.doc, c.ordinal"
        )
        return [ReadableChunk(*row) for row in rows]

    def newest_chunks(self) -> list[int]:
        """The chunks of the newest documents."""
        return [row for (row,) in self._db.execute(f"SELECT c.id{_CHUNKS} WHERE {NEWEST}")]

    def unread_by_document(self) -> dict[str, int]:
        """How many chunks of each of the newest documents have no findings; only if any."""
        query = f"SELECT d.doc{_CHUNKS} WHERE {NEWEST} AND c.findings IS NULL"
        return dict(Counter(doc for (doc,) in self._db.execute(query)))

    def by_document(self, chunks: Iterable[int]) -> dict[str, int]:
        """How many of the chunks each document has."""
        query = f"SELECT d.doc{_CHUNKS} WHERE c.id = ?"
        return dict(Counter(self._db.execute(query, (row,)).fetchone()[0] for row in chunks))

    def text_of(self, chunk: int) -> ChunkText:
        """What a language model is asked about a chunk."""
        row = self._db.execute(
            "SELECT substr(c.text, c.owned - c.start + 1), c.heading, x.data FROM chunks c"
            " JOIN extractions x ON x.hash = c.extraction WHERE c.id = ?",
            (chunk,),
        ).fetchone()
        return ChunkText(*row)
