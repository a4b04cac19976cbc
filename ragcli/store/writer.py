"""Writing documents. Every public method is one transaction: all of it happens or none.

What is written here is *pending*: readers do not see it before a commit (``indexing.commit``)
raises the generation.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

import orjson

from ragcli.store.meta import generation
from ragcli.types import Chunk, Node, ParsedDocument, Source


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
    """A document ready to be written, with the hashes under which its costly parts are kept.

    ``extractions[i]`` belongs to ``chunks[i]``; ``vectors[i][j]`` to its passage j;
    ``node_vectors[k]`` to ``nodes[k]``.
    """

    document: ParsedDocument
    source: str
    size: int
    chunks: Sequence[Chunk]
    extractions: Sequence[bytes]
    vectors: Sequence[Sequence[bytes]]
    nodes: Sequence[Node]
    node_vectors: Sequence[bytes]


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """BEGIN IMMEDIATE ... COMMIT; rolled back when anything is raised inside.

    Inside another transaction it is part of that one.
    """
    if db.in_transaction:
        yield
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


class StoreWriter:
    """Adds, replaces and removes documents of the pending generation."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._pending = generation(db) + 1

    def versions(self) -> dict[str, DocumentVersion]:
        """The newest version of every document that is not on its way out, by document id."""
        rows = self._db.execute(
            "SELECT id, doc, source, sha256, CASE WHEN doc = source THEN 0 ELSE coalesce("
            " (SELECT line FROM moves WHERE docrow = d.id),"
            " (SELECT line_start FROM chunks WHERE doc = d.id AND ordinal = 0), 0) END"
            " FROM documents d WHERE died IS NULL"
        )
        return {row[1]: DocumentVersion(*row) for row in rows}

    def files(self) -> dict[str, Source]:
        """Source id -> the file as of the last look."""
        rows = self._db.execute("SELECT source, path, size, mtime_ns FROM files")
        return {s: Source(s, os.fsdecode(path), size, time_) for s, path, size, time_ in rows}

    def roots(self) -> list[str]:
        """The folders and files that the store is built from, in order of first use."""
        rows = self._db.execute("SELECT path FROM roots ORDER BY id")
        return [os.fsdecode(row[0]) for row in rows]

    def add_roots(self, paths: Sequence[str]) -> None:
        """Remember folders and files that were given to be indexed."""
        with transaction(self._db):
            self._db.executemany(
                "INSERT OR IGNORE INTO roots (path) VALUES (?)", ((os.fsencode(p),) for p in paths)
            )

    def keep(self, table: str, rows: Mapping[bytes, bytes]) -> None:
        """Keep extractions or vectors by hash, before the document they are for is complete."""
        assert table in ("extractions", "vectors")
        with transaction(self._db):
            self._db.executemany(f"INSERT OR IGNORE INTO {table} VALUES (?, ?)", rows.items())

    def known(self, table: str, hashes: Sequence[bytes]) -> set[bytes]:
        """Which of the hashes the table holds."""
        assert table in ("extractions", "vectors")
        found: set[bytes] = set()
        for at in range(0, len(hashes), 500):
            part = hashes[at : at + 500]
            marks = ",".join("?" * len(part))
            rows = self._db.execute(f"SELECT hash FROM {table} WHERE hash IN ({marks})", part)
            found.update(row[0] for row in rows)
        return found

    def add(self, new: NewDocument) -> None:
        """Write a document in place of its former version; its failure, if any, is forgotten."""
        with transaction(self._db):
            created = self._retire(new.document.id) or now()
            row = self._insert_document(new, created)
            for i, chunk in enumerate(new.chunks):
                self._insert_chunk(row, chunk, new.extractions[i], new.vectors[i])
            self._db.executemany(
                "INSERT INTO nodes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [node_row(n, row, v) for n, v in zip(new.nodes, new.node_vectors, strict=True)],
            )
            self._db.execute("DELETE FROM failures WHERE doc = ?", (new.document.id,))

    def move(self, row: int, line: int) -> None:
        """Note that a record stands on another line now; nothing else of it has changed."""
        with transaction(self._db):
            self._db.execute("INSERT OR REPLACE INTO moves VALUES (?, ?)", (row, line))

    def apply_moves(self) -> None:
        """Write the new lines of moved records into their chunks; part of the commit point."""
        self._db.execute(
            "UPDATE chunks SET line_start = m.line, line_end = m.line"
            " FROM moves m WHERE chunks.doc = m.docrow"
        )
        self._db.execute("DELETE FROM moves")

    def remove(self, doc: str) -> None:
        """Take a document out, and what is known of its failures."""
        with transaction(self._db):
            self._retire(doc)
            self._db.execute("DELETE FROM failures WHERE doc = ?", (doc,))

    def _retire(self, doc: str) -> str | None:
        """End the former version; returns when the document was first seen."""
        first = self._db.execute(
            "SELECT min(created_at) FROM documents WHERE doc = ?", (doc,)
        ).fetchone()[0]
        self._db.execute("DELETE FROM documents WHERE doc = ? AND born = ?", (doc, self._pending))
        self._db.execute(
            "UPDATE documents SET died = ? WHERE doc = ? AND died IS NULL", (self._pending, doc)
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
        return int(cursor.lastrowid or 0)

    def _insert_chunk(
        self, docrow: int, c: Chunk, extraction: bytes, vectors: Sequence[bytes]
    ) -> None:
        cursor = self._db.execute(
            'INSERT INTO chunks (doc, ordinal, start, "end", owned, line_start, line_end, page,'
            " heading, text, tokens, extraction) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(docrow, c.ordinal, c.start, c.end, c.owned, c.line_start, c.line_end, c.page),
                *(c.heading, c.text, c.tokens, extraction),
            ),
        )
        self._db.executemany(
            'INSERT INTO passages (chunk, doc, start, "end", vector) VALUES (?, ?, ?, ?, ?)',
            [
                (cursor.lastrowid, docrow, p.start, p.end, v)
                for p, v in zip(c.passages, vectors, strict=True)
            ],
        )

    def saw(self, source: Source) -> None:
        """Note what a file looked like now that its documents are in line with it.

        A file changed within the last two seconds may change again without its size or time
        showing it, so its time is not trusted and it is read again next time.
        """
        fresh = time.time_ns() - source.mtime_ns < 2_000_000_000
        with transaction(self._db):
            self._db.execute(
                "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)",
                (
                    *(source.id, os.fsencode(source.path), source.size),
                    -1 if fresh else source.mtime_ns,
                ),
            )

    def forget(self, source: str) -> None:
        """Forget a file that is gone."""
        with transaction(self._db):
            self._db.execute("DELETE FROM files WHERE source = ?", (source,))
            self._db.execute("DELETE FROM failures WHERE source = ?", (source,))

    def failed(self, doc: str, source: str, error: str) -> None:
        """Note why a document could not be read; its last good version stays."""
        with transaction(self._db):
            self._db.execute(
                "INSERT OR REPLACE INTO failures VALUES (?, ?, ?, ?)", (doc, source, error, now())
            )


def node_row(node: Node, docrow: int | None, vector: bytes) -> tuple[object, ...]:
    """A node as a row of the table nodes."""
    children = orjson.dumps(node.children).decode()
    where = (node.id, docrow, node.doc, node.level, node.kind)
    return (*where, node.title, node.text, children, node.by, vector)
