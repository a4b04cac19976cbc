"""Documents with their chunks, passages and summary trees: how a run writes and reads them.

Every public method that writes is one atomic transaction. New rows are *pending*: readers do not
see them before the commit point.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragcli.store.blocks import pack_blocks
from ragcli.store.generations import BORN, DIES, NEWEST
from ragcli.store.meta import generation, now
from ragcli.store.packing import pack_text
from ragcli.store.queries import Queries
from ragcli.store.records import StoredChunk, chunks_of
from ragcli.store.sweep import loosen
from ragcli.store.transaction import transaction
from ragcli.store.tree_nodes import node_row
from ragcli.types import Chunk, Node, ParsedDocument
from ragcli.types.document_ids import folder_of, upward


@dataclass(frozen=True, slots=True)
class DocumentVersion:
    """The newest version of a document in the store; ``line`` of a record in its file, else 0."""

    row: int
    doc: str
    source: str
    sha256: str
    line: int


@dataclass(frozen=True, slots=True)
class NewDocument:
    """A document to write, with the hashes of its cached parts.

    ``extractions[i]`` belongs to ``chunks[i]``; ``vectors[i][j]`` to its passage j;
    ``node_vectors[k]`` to ``nodes[k]``. ``modified_ns`` is when its file was modified.
    """

    document: ParsedDocument
    source: str
    size: int
    chunks: Sequence[Chunk]
    extractions: Sequence[bytes]
    vectors: Sequence[Sequence[bytes]]
    nodes: Sequence[Node]
    node_vectors: Sequence[bytes]
    modified_ns: int = 0


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document and the row of one of its versions."""

    row: int
    doc: str


@dataclass(frozen=True, slots=True)
class PendingDocuments:
    """The documents that the next generation adds, and those that it ends."""

    born: tuple[DocumentRow, ...]
    dying: tuple[DocumentRow, ...]


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A stored document; ``headings`` are ``(offset, path)`` in order of offset."""

    row: int
    title: str
    chunks: tuple[StoredChunk, ...]
    headings: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class OwnedText:
    """A chunk's owned text, ``document[owned:end]``, and ``whole``, all its text."""

    chunk: int
    owned: int
    end: int
    text: str
    whole: str


class DocumentWriter(Queries):
    """Adds, replaces and removes documents of the pending generation."""

    @property
    def _pending(self) -> int:
        return generation(self._db) + 1

    def newest(self) -> dict[str, DocumentVersion]:
        """The newest version of every document that the next generation keeps, by document id."""
        rows = self._db.execute(
            "SELECT id, doc, source, sha256, CASE WHEN doc = source THEN 0 ELSE coalesce("
            " (SELECT line FROM moves WHERE docrow = d.id),"
            " (SELECT line_start FROM chunks WHERE doc = d.id AND ordinal = 0), 0) END"
            f" FROM documents d WHERE {NEWEST}"
        )
        return {row[1]: DocumentVersion(*row) for row in rows}

    def pending(self) -> PendingDocuments:
        """The documents that the next generation adds and ends so far."""
        born, dying = (
            tuple(
                self._records(
                    DocumentRow,
                    f"SELECT d.id, d.doc FROM documents d WHERE {which}",
                    {"pending": self._pending},
                )
            )
            for which in (BORN, DIES)
        )
        return PendingDocuments(born, dying)

    def are_changing(self) -> bool:
        """Whether the next generation adds, ends or moves a document."""
        return bool(
            self._value(
                f"SELECT EXISTS (SELECT 1 FROM documents d WHERE {BORN})"
                f" OR EXISTS (SELECT 1 FROM documents d WHERE {DIES})"
                " OR EXISTS (SELECT 1 FROM moves)",
                {"pending": self._pending},
            )
        )

    def entries_of(self, folder: str) -> Iterator[DocumentRow | str]:
        """Each document directly in a folder, and the name of each subfolder.

        The query skips the documents of subfolders in the index of names.
        """
        # "#" and "/" lead to what is in a folder, "0" follows them; a blob follows every text.
        low, high = (f"{folder}#", f"{folder}0") if folder else ("", b"\xff")
        seen: set[str] = set()
        while True:
            rows = self._db.execute(
                "SELECT id, doc FROM documents WHERE doc >= ? AND doc < ? ORDER BY doc",
                (low, high),
            )
            for row, doc in rows:
                way = list(upward(folder_of(doc)))
                if way[0] == folder:
                    yield DocumentRow(row, doc)
                elif folder in way:
                    sub = way[way.index(folder) - 1]
                    if sub not in seen:
                        seen.add(sub)
                        yield sub
                    if doc.startswith(f"{sub}/"):
                        low = f"{sub}0"
                        break
            else:
                return

    def stored(self, row: int) -> StoredDocument:
        """A document with its chunks in order, and their extractions and findings."""
        title = str(self._value("SELECT title FROM documents WHERE id = ?", (row,)))
        query = "SELECT start, path FROM headings WHERE doc = ? ORDER BY start"
        headings = tuple(self._all(query, (row,)))
        return StoredDocument(row, title, tuple(chunks_of(self._db, row)), headings)

    def owned_texts(self, row: int) -> list[OwnedText]:
        """The texts of a document's chunks, in order."""
        return self._records(
            OwnedText,
            'SELECT id, owned, "end", substr(whole, owned - start + 1), whole FROM'
            " (SELECT *, plain_text(text) AS whole FROM chunks WHERE doc = ?) ORDER BY ordinal",
            (row,),
        )

    def add(self, new: NewDocument) -> None:
        """Replace the former version of a document, and delete its failure, if any."""
        with transaction(self._db):
            created = self._retire(new.document.id) or now()
            row = self._insert_document(new, created)
            for i, chunk in enumerate(new.chunks):
                self._insert_chunk(row, chunk, new.extractions[i], new.vectors[i])
            self._db.executemany(
                "INSERT INTO nodes VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [node_row(n, row, v) for n, v in zip(new.nodes, new.node_vectors, strict=True)],
            )
            self._db.execute("DELETE FROM failures WHERE doc = ?", (new.document.id,))
            self._db.execute("DELETE FROM unread_files WHERE source = ?", (new.source,))

    def remove(self, doc: str) -> None:
        """Remove a document and its failures."""
        with transaction(self._db):
            self._retire(doc)
            self._db.execute("DELETE FROM failures WHERE doc = ?", (doc,))

    def move(self, row: int, line: int) -> None:
        """Record the new line of a record whose content has not changed."""
        with transaction(self._db):
            self._db.execute("INSERT OR REPLACE INTO moves VALUES (?, ?)", (row, line))

    def apply_moves(self) -> None:
        """Write the new lines of moved records into their chunks; part of the commit point."""
        self._db.execute(
            "UPDATE chunks SET line_start = m.line, line_end = m.line"
            " FROM moves m WHERE chunks.doc = m.docrow"
        )
        self._db.execute("DELETE FROM moves")

    def bury(self) -> None:
        """Delete the documents that the next generation ends, with all their rows. The sweep
        deletes their extractions. Part of the commit point."""
        pending = {"pending": self._pending}
        dead = f"SELECT d.id FROM documents d WHERE {DIES}"
        for column in ("extraction", "findings"):
            loosen(
                self._db,
                f"SELECT {column} FROM chunks WHERE doc IN ({dead}) AND {column} IS NOT NULL",
                pending,
            )
        self._db.execute(f"DELETE FROM documents AS d WHERE {DIES}", pending)

    def _retire(self, doc: str) -> str | None:
        """End the former version; returns the time when the document was first seen."""
        first = self._value("SELECT min(created_at) FROM documents WHERE doc = ?", (doc,))
        pending = self._pending
        self._db.execute("DELETE FROM documents WHERE doc = ? AND born = ?", (doc, pending))
        self._db.execute(
            "UPDATE documents SET died = ? WHERE doc = ? AND died IS NULL", (pending, doc)
        )
        return None if first is None else str(first)

    def _insert_document(self, new: NewDocument, created: str) -> int:
        document = new.document
        cursor = self._db.execute(
            "INSERT INTO documents (doc, source, sha256, title, size, born, created_at, updated_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                document.id,
                new.source,
                document.sha256,
                document.title,
                new.size,
                self._pending,
                created,
                now(),
            ),
        )
        row = int(cursor.lastrowid or 0)
        self._db.executemany(
            "INSERT INTO document_fields VALUES (?, ?, ?, ?)",
            [(row, n, name, value) for n, (name, value) in enumerate(document.fields)],
        )
        self._db.executemany(
            "INSERT INTO scanned_lines VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [(row, *line) for line in document.scanned],
        )
        self._db.execute("INSERT INTO document_times VALUES (?, ?)", (row, new.modified_ns))
        return row

    def _insert_chunk(
        self, docrow: int, chunk: Chunk, extraction: bytes, vectors: Sequence[bytes]
    ) -> None:
        cursor = self._db.execute(
            'INSERT INTO chunks (doc, ordinal, start, "end", owned, line_start, line_end, page,'
            " heading, text, tokens, extraction) VALUES (:doc, :ordinal, :start, :end, :owned,"
            " :line_start, :line_end, :page, :heading, :text, :tokens, :extraction)",
            {
                "doc": docrow,
                "ordinal": chunk.ordinal,
                "start": chunk.start,
                "end": chunk.end,
                "owned": chunk.owned,
                "line_start": chunk.line_start,
                "line_end": chunk.line_end,
                "page": chunk.page,
                "heading": chunk.heading,
                "text": pack_text(chunk.text),
                "tokens": chunk.tokens,
                "extraction": extraction,
            },
        )
        self._db.executemany(
            'INSERT INTO passages (chunk, doc, start, "end", vector) VALUES (?, ?, ?, ?, ?)',
            [
                (cursor.lastrowid, docrow, p.start, p.end, v)
                for p, v in zip(chunk.passages, vectors, strict=True)
            ],
        )
        # Two headings may begin at one place: a term that a table begins with.
        self._db.executemany(
            "INSERT OR REPLACE INTO headings (doc, start, path) VALUES (?, ?, ?)",
            [(docrow, start, path) for start, path in chunk.headings],
        )
        self._db.executemany(
            "INSERT INTO line_marks (doc, start, line) VALUES (?, ?, ?)",
            [(docrow, start, line) for start, line in chunk.lines],
        )
        if chunk.blocks:
            self._db.execute(
                "INSERT INTO blocks (doc, start, data) VALUES (?, ?, ?)",
                (docrow, chunk.owned, pack_blocks(chunk.blocks)),
            )
