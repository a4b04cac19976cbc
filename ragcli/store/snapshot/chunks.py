"""Chunks and passages of a snapshot, by their row numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ragcli.store.blocks import blocks_of_pieces
from ragcli.store.queries import Queries, marks, parts
from ragcli.store.records import CHUNK_COLUMNS, StoredChunk, chunk_record, chunks_of
from ragcli.types import Chunk
from ragcli.types.blocks import Block


class ChunkPlace(NamedTuple):
    """A chunk's text and location; see ``types.Chunk`` and ``types.Document``."""

    doc: str
    title: str
    ordinal: int
    start: int
    end: int
    line_start: int
    line_end: int
    text: str
    page: int | None


class PassagePlace(NamedTuple):
    """A passage: its chunk, and its offsets in the document."""

    chunk: int
    start: int
    end: int


class PassageText(NamedTuple):
    """A passage's text, the title of its document, and how many passages that document has.

    ``doc`` is the document's id, ``heading`` the path of the headings in force at its start.
    """

    title: str
    text: str
    passages: int
    doc: str = ""
    heading: str = ""


class ReadChunk(NamedTuple):
    """A chunk, without its passages, and its packed findings."""

    chunk: Chunk
    findings: bytes


class TextOfChunk(NamedTuple):
    """A chunk's row, where it starts in its document, and its text."""

    row: int
    start: int
    text: str


class Chunks(Queries):
    """Queries about chunks, and the passages in them."""

    def get(self, row: int) -> Chunk:
        """One chunk, without its passages."""
        return chunk_record(
            self._first(
                f"SELECT {CHUNK_COLUMNS} FROM live_chunks c JOIN live_documents d ON d.id = c.doc"
                " WHERE c.id = ?",
                (row,),
            )
        )

    def place(self, row: int) -> ChunkPlace:
        """The location of a chunk."""
        return ChunkPlace(
            *self._first(
                'SELECT d.doc, d.title, c.ordinal, c.start, c."end", c.line_start, c.line_end,'
                " c.text, c.page FROM live_chunks c JOIN live_documents d ON d.id = c.doc"
                " WHERE c.id = ?",
                (row,),
            )
        )

    def around(self, doc: str, start: int, end: int) -> list[int]:
        """The rows of the chunks that hold a part of [start:end] of a document, in order."""
        return self._column(
            "SELECT c.id FROM live_documents d JOIN live_chunks c ON c.doc = d.id"
            ' WHERE d.doc = ? AND c.start < ? AND c."end" > ? ORDER BY c.ordinal',
            (doc, end, start),
        )

    def headings(self, row: int, start: int, end: int) -> tuple[tuple[int, str], ...]:
        """(offset, path) of the headings over [start:end] of a chunk's document.

        The first is the path in force at ``start``, the others begin inside. () without headings.
        """
        return tuple((max(at, start), path) for at, path in self._over("headings", row, start, end))

    def lines(self, row: int, start: int, end: int) -> tuple[tuple[int, int], ...]:
        """(offset, line) of the lines of the file over [start:end] of a chunk's document.

        () where each line of the text is one of the file.
        """
        return tuple(self._over("line_marks", row, start, end))

    def blocks(self, row: int, start: int, end: int) -> tuple[Block, ...]:
        """The blocks with a character in [start:end] of a chunk's document, in order."""
        pieces = [data for _, data in self._over("blocks", row, start, end)]
        return tuple(b for b in blocks_of_pieces(pieces) if b.overlaps(start, end))

    def laid_out(self, doc: str, start: int, end: int) -> tuple[Block, ...]:
        """The tables, lists and code with a character in ``[start:end]`` of a document."""
        rows = self.around(doc, start, end)[:1]
        found = (block for row in rows for block in self.blocks(row, start, end))
        return tuple(block for block in found if block.kind in ("table", "list", "code", "drawn"))

    def _over(self, table: str, row: int, start: int, end: int) -> list[Any]:
        """(offset, value) of the marks over [start:end] of a chunk's document: the last at or
        before ``start``, and those inside."""
        value = {"headings": "path", "line_marks": "line", "blocks": "data"}[table]
        return self._all(
            f"SELECT m.start, m.{value} FROM live_{table} m WHERE m.doc ="
            " (SELECT doc FROM live_chunks WHERE id = :row) AND m.start < :end AND m.start >="
            f" coalesce((SELECT max(b.start) FROM live_{table} b WHERE b.doc = m.doc"
            " AND b.start <= :start), 0) ORDER BY m.start",
            {"row": row, "start": start, "end": end},
        )

    def text(self, row: int) -> str:
        """A chunk's text."""
        return str(self._value("SELECT text FROM live_chunks WHERE id = ?", (row,)))

    def passage_place(self, row: int) -> PassagePlace:
        """The location of a passage."""
        return PassagePlace(
            *self._first('SELECT chunk, start, "end" FROM live_passages WHERE id = ?', (row,))
        )

    def passage_starts(self, rows: Sequence[int]) -> dict[int, tuple[str, int]]:
        """Passage row -> its document's id, and its offset in the document."""
        found: dict[int, tuple[str, int]] = {}
        for part in parts(rows):
            places = self._db.execute(
                "SELECT p.id, d.doc, p.start FROM live_passages p JOIN live_documents d"
                f" ON d.id = p.doc WHERE p.id IN ({marks(part)})",
                part,
            )
            found |= {row: (doc, start) for row, doc, start in places}
        return found

    def passage_texts(self, rows: Sequence[int]) -> dict[int, PassageText]:
        """The texts of some passages, by row."""
        found = self._all(
            'SELECT p.id, d.id, d.title, substr(c.text, p.start - c.start + 1, p."end" - p.start),'
            " d.doc, coalesce((SELECT h.path FROM live_headings h WHERE h.doc = p.doc"
            " AND h.start <= p.start ORDER BY h.start DESC LIMIT 1), '')"
            " FROM live_passages p JOIN live_chunks c ON c.id = p.chunk"
            f" JOIN live_documents d ON d.id = p.doc WHERE p.id IN ({marks(rows)})",
            rows,
        )
        docs = list({doc for _, doc, *_ in found})
        counts: dict[int, int] = dict(
            self._all(
                "SELECT doc, count(*) FROM live_passages"
                f" WHERE doc IN ({marks(docs)}) GROUP BY doc",
                docs,
            )
        )
        return {
            row: PassageText(title, text, counts[doc], *place)
            for row, doc, title, text, *place in found
        }

    def chunk_of(self, passage: int) -> int:
        """The chunk row of a passage."""
        return self.passage_place(passage).chunk

    def passage_rows(self, row: int) -> list[int]:
        """Rows of a chunk's passages, rising."""
        return self._column("SELECT id FROM live_passages WHERE chunk = ? ORDER BY id", (row,))

    def mentioning(self, entity: int) -> dict[int, int]:
        """Chunk row -> mentions of an entity."""
        query = "SELECT chunk, count FROM chunk_entities WHERE entity = ?"
        return dict(self._all(query, (entity,)))

    def mentions(self, chunks: Sequence[int], entities: Sequence[int]) -> int:
        """The total number of mentions of the entities in the chunks."""
        total = 0
        for part in parts(chunks):
            total += self._value(
                "SELECT coalesce(sum(count), 0) FROM chunk_entities"
                f" WHERE chunk IN ({marks(part)}) AND entity IN ({marks(entities)})",
                (*part, *entities),
            )
        return total

    def entity_count(self, row: int) -> int:
        """How many entities a chunk mentions."""
        return int(self._value("SELECT count(*) FROM chunk_entities WHERE chunk = ?", (row,)))

    def passages_of(self, docs: Sequence[str]) -> list[int]:
        """Rows of all passages of some documents."""
        return self._column(
            "SELECT p.id FROM live_documents d JOIN live_passages p ON p.doc = d.id"
            f" WHERE d.doc IN ({marks(docs)}) ORDER BY p.id",
            tuple(docs),
        )

    def passages_mentioning(self, entity: int) -> list[int]:
        """Rows of all passages in chunks that mention an entity."""
        return self._column(
            "SELECT p.id FROM chunk_entities x JOIN live_passages p ON p.chunk = x.chunk"
            " WHERE x.entity = ? ORDER BY p.id",
            (entity,),
        )

    def passages_naming(self, row: int, entities: Sequence[int]) -> list[tuple[int, int]]:
        """(passage row, number of these entities in it) for a chunk, highest number first."""
        return self._all(
            "SELECT p.id, count(x.entity) AS n FROM live_passages p LEFT JOIN passage_entities x"
            f" ON x.passage = p.id AND x.entity IN ({marks(entities)}) WHERE p.chunk = ?"
            " GROUP BY p.id ORDER BY n DESC, p.id",
            (*entities, row),
        )

    def named_in_passage(self, passage: int, limit: int) -> list[int]:
        """Entity rows that a passage names: the title's first, then by number of mentions."""
        return self._column(
            "SELECT entity FROM passage_entities WHERE passage = ?"
            " ORDER BY title DESC, count DESC, entity LIMIT ?",
            (passage, limit),
        )

    def document_of(self, row: int) -> list[StoredChunk]:
        """All chunks of a chunk's document, in order, with their extractions and findings."""
        docrow = self._value("SELECT doc FROM live_chunks WHERE id = ?", (row,))
        return chunks_of(self._db, docrow, "live_")

    def with_findings(self) -> Iterator[ReadChunk]:
        """The chunks with findings, by document and position."""
        for row in self._db.execute(
            f"SELECT {CHUNK_COLUMNS}, plain_data(x.data) FROM live_chunks c"
            " JOIN live_documents d ON d.id = c.doc JOIN extractions x ON x.hash = c.findings"
            " ORDER BY d.doc, c.ordinal"
        ):
            yield ReadChunk(chunk_record(row), row[-1])

    def findings(self) -> Iterator[bytes]:
        """The packed findings of each chunk that has findings."""
        for (data,) in self._db.execute(
            "SELECT plain_data(x.data) FROM live_chunks c JOIN extractions x ON x.hash = c.findings"
        ):
            yield data

    def beside(self, row: int) -> list[TextOfChunk]:
        """All chunks of a chunk's document: itself, then the others in order."""
        return self._records(
            TextOfChunk,
            "SELECT c.id, c.start, c.text FROM live_chunks c WHERE c.doc ="
            " (SELECT doc FROM live_chunks WHERE id = :c) ORDER BY c.id <> :c, c.ordinal",
            {"c": row},
        )

    def mentioning_all(self, entities: Sequence[int], limit: int) -> list[TextOfChunk]:
        """Chunks that mention all the entities, by descending number of mentions."""
        return self._records(
            TextOfChunk,
            "SELECT c.id, c.start, c.text FROM live_chunks c JOIN live_documents d ON d.id = c.doc"
            " JOIN (SELECT chunk, sum(count) AS n FROM chunk_entities"
            f" WHERE entity IN ({marks(entities)}) GROUP BY chunk HAVING count(*) = ?) x"
            " ON x.chunk = c.id ORDER BY x.n DESC, d.doc, c.ordinal LIMIT ?",
            (*entities, len(entities), limit),
        )

    def by_entity(self) -> Iterator[tuple[int, int]]:
        """(entity row, chunk row) for all mentions; an entity's chunks by descending mentions."""
        yield from self._db.execute(
            "SELECT entity, chunk FROM chunk_entities ORDER BY entity, count DESC, chunk"
        )
