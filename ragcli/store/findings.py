"""The findings of a language model, or of recorded extractions, in each chunk, by their hash.

Chunks of pending documents are not visible to readers and get their findings at once. A chunk of a
kept document is already part of the sums, so it gets new findings at the commit point.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ragcli.store.generations import BORN, NEWEST
from ragcli.store.meta import generation
from ragcli.store.queries import Queries
from ragcli.store.sweep import loosen
from ragcli.store.transaction import transaction

_CHUNKS = " FROM chunks c JOIN documents d ON d.id = c.doc"
# Chunks of pending documents without findings.
_UNREAD_PENDING = f"{_CHUNKS} WHERE c.findings IS NULL AND {BORN}"


@dataclass(frozen=True, slots=True)
class ChunkFindings:
    """The hash of a chunk's findings; None removes them."""

    chunk: int
    key: bytes | None


@dataclass(frozen=True, slots=True)
class ReadableChunk:
    """A chunk for a language model: ``extraction`` identifies its owned text; ``findings`` is the
    hash of its findings, None if there are none."""

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
    """The findings for one text under one heading in a document."""

    extraction: bytes
    heading: str
    doc: str
    key: bytes


class FindingsWriter(Queries):
    """Which chunks have findings, which are waiting for them, and which can reuse others'."""

    @property
    def _pending(self) -> dict[str, int]:
        return {"pending": generation(self._db) + 1}

    def are_there(self) -> bool:
        """Whether any chunk has findings."""
        return self._first("SELECT 1 FROM chunks WHERE findings IS NOT NULL LIMIT 1") is not None

    def unread_pending(self) -> list[ReadableChunk]:
        """Chunks of pending documents without findings."""
        return self._records(
            ReadableChunk,
            f"SELECT c.id, d.doc, c.extraction, c.heading, NULL{_UNREAD_PENDING}",
            self._pending,
        )

    def for_texts_of_pending(self) -> list[EarlierFindings]:
        """Findings for these texts anywhere; the cost is independent of the size of the store."""
        return self._records(
            EarlierFindings,
            "SELECT o.extraction, o.heading, p.doc, min(o.findings) FROM chunks o JOIN documents p"
            " ON p.id = o.doc WHERE o.findings IS NOT NULL"
            f" AND o.extraction IN (SELECT c.extraction{_UNREAD_PENDING}) GROUP BY 1, 2, 3",
            self._pending,
        )

    def of_pending(self, found: Sequence[ChunkFindings]) -> list[ChunkFindings]:
        """Those of ``found`` whose chunks belong to pending documents."""
        query = f"SELECT c.id{_CHUNKS} WHERE {BORN}"
        pending = set(self._column(query, self._pending))
        return [f for f in found if f.chunk in pending]

    def that_differ(self, found: Iterable[ChunkFindings]) -> list[ChunkFindings]:
        """Those of ``found`` that differ from the chunks' own findings."""
        query = "SELECT findings FROM chunks WHERE id = ?"
        return [f for f in found if self._value(query, (f.chunk,)) != f.key]

    def give(self, found: Sequence[ChunkFindings]) -> None:
        """Set the findings of pending chunks; one transaction."""
        with transaction(self._db):
            self._set(found)

    def replace(self, found: Sequence[ChunkFindings]) -> None:
        """Set the findings of any chunks; the sweep deletes the former ones. Part of the commit
        point."""
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
        """Rows of the documents that contain the chunks."""
        query = "SELECT doc FROM chunks WHERE id = ?"
        return {self._value(query, (f.chunk,)) for f in found}

    def in_order_of_reading(self) -> list[ReadableChunk]:
        """Chunks of the newest documents, those with the names that most documents share first."""
        return self._records(
            ReadableChunk,
            f"SELECT c.id, d.doc, c.extraction, c.heading, c.findings{_CHUNKS} WHERE {NEWEST}"
            " ORDER BY (SELECT coalesce(sum(e.documents), 0) FROM chunk_entities x"
            "  JOIN entities e ON e.id = x.entity AND e.kind = 'name' WHERE x.chunk = c.id) DESC,"
            " d.doc, c.ordinal",
        )

    def newest_chunks(self) -> list[int]:
        """The chunks of the newest documents."""
        return self._column(f"SELECT c.id{_CHUNKS} WHERE {NEWEST}")

    def unread_by_document(self) -> dict[str, int]:
        """How many chunks of each of the newest documents have no findings; only if any."""
        query = f"SELECT d.doc{_CHUNKS} WHERE {NEWEST} AND c.findings IS NULL"
        return dict(Counter(self._column(query)))

    def by_document(self, chunks: Iterable[int]) -> dict[str, int]:
        """How many of the chunks each document has."""
        query = f"SELECT d.doc{_CHUNKS} WHERE c.id = ?"
        return dict(Counter(self._value(query, (row,)) for row in chunks))

    def text_of(self, chunk: int) -> ChunkText:
        """The input of a language model for a chunk."""
        return ChunkText(
            *self._first(
                "SELECT substr(plain_text(c.text), c.owned - c.start + 1), c.heading,"
                " plain_data(x.data) FROM chunks c"
                " JOIN extractions x ON x.hash = c.extraction WHERE c.id = ?",
                (chunk,),
            )
        )
