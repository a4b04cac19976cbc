"""What a scope selects documents by, and where the rows of the selected documents are."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from ragcli.store.queries import Queries
from ragcli.store.roots import from_here, moved, moved_roots, roots
from ragcli.text.terminal import harmless_line
from ragcli.types.document_ids import path_of

Int = NDArray[np.int64]
Kind = Literal["chunks", "passages", "nodes"]

_OWNED: dict[Kind, tuple[str, str]] = {
    # table -> the column with its document, the column that numbers its rows
    "chunks": ("doc", "id"),
    "passages": ("doc", "id"),
    "nodes": ("docrow", "rowid"),
}

# Both ends of a span that json_each gives as r.
_LOW, _HIGH = "json_extract(r.value, '$[0]')", "json_extract(r.value, '$[1]')"


class DocumentDate(NamedTuple):
    """A document's row, the ``date`` in its fields (""), and when its file was modified (ns).

    Without a known time of the file, ``updated_at`` says when the document was last indexed.
    """

    row: int
    date: str
    modified_ns: int | None
    updated_at: str


class FieldValue(NamedTuple):
    """A document's row and a value of one of its fields."""

    row: int
    value: str


class ThreadMail(NamedTuple):
    """A mail of a thread: its id, its day and its sender ("": unknown), and the id of the mail
    that it answers, "" if that is not in the store."""

    doc: str
    date: str
    sender: str
    reply_to: str


_FIELD = (
    "coalesce((SELECT min(f.value) FROM live_document_fields f"
    " WHERE f.docrow = d.id AND f.name = '{name}'), '')"
)
_ANSWERED = (
    "coalesce((SELECT min(o.doc) FROM live_document_fields a JOIN live_document_fields i"
    " ON i.name = 'message-id' AND i.value = a.value JOIN live_documents o ON o.id = i.docrow"
    " WHERE a.docrow = d.id AND a.name = 'in-reply-to'), '')"
)


class DocumentFacts(Queries):
    """Queries about files, dates and fields of documents, by document row."""

    def __init__(self, db: sqlite3.Connection, store: Path) -> None:
        super().__init__(db)
        self._store = store

    def rows(self) -> Int:
        """The rows of all documents, rising."""
        return self._array("SELECT id FROM live_documents ORDER BY id")

    def ids(self) -> list[tuple[int, str]]:
        """The row and the id of each document, rows rising."""
        return self._all("SELECT id, doc FROM live_documents ORDER BY id")

    def files(self) -> list[str]:
        """The ids of all files with documents, in order."""
        return self._column("SELECT DISTINCT source FROM live_documents ORDER BY source")

    def in_files(self, files: Sequence[str]) -> Int:
        """The rows of the documents in some files, rising."""
        return self._array(
            "SELECT d.id FROM live_documents d WHERE d.source IN"
            " (SELECT value FROM json_each(?)) ORDER BY d.id",
            orjson.dumps(files).decode(),
        )

    def called(self, doc: str) -> Int:
        """The row of a document, by its id; none if there is no such document."""
        return self._array("SELECT id FROM live_documents WHERE doc = ?", doc)

    def file_of(self, doc: str) -> Path | None:
        """The file of a document on this machine, None if there is none.

        Where files are does not belong to a generation.
        """
        found = self._value(
            "SELECT f.path FROM live_documents d JOIN files f ON f.source = d.source"
            " WHERE d.doc = ?",
            (doc,),
        )
        if found is None:
            return None
        file = Path(moved(os.fsdecode(found), moved_roots(self._db, self._store)))
        return file if file.is_file() else None

    def path_here(self, doc: str) -> str:
        """The path of a document's file from the current folder, as one line.

        It is the path in the document's id if the file is not on this machine.
        """
        file = self.file_of(doc)
        if file is None:
            return path_of(doc)
        path = from_here(str(file), os.getcwd(), str(self._store.absolute().parent))  # noqa: PTH109
        return harmless_line(os.fsencode(path).decode("utf-8", "backslashreplace"))

    def roots(self) -> list[str]:
        """Absolute paths of the folders and files of the store; they need not exist."""
        return roots(self._db, self._store)

    def dates(self) -> list[DocumentDate]:
        """The dates of all documents."""
        return self._records(
            DocumentDate,
            "SELECT d.id, coalesce(f.value, ''), t.modified_ns, d.updated_at FROM live_documents d"
            " LEFT JOIN live_document_times t ON t.docrow = d.id LEFT JOIN"
            " (SELECT docrow, min(value) AS value FROM live_document_fields WHERE name = 'date'"
            " GROUP BY docrow) f ON f.docrow = d.id",
        )

    def fields(self) -> list[str]:
        """The names of all fields, the most frequent first."""
        return self._column(
            "SELECT name FROM live_document_fields GROUP BY name ORDER BY count(*) DESC, name"
        )

    def values(self, names: Iterable[str]) -> list[FieldValue]:
        """Every value of some fields."""
        return self._records(
            FieldValue,
            "SELECT docrow, value FROM live_document_fields WHERE name IN"
            " (SELECT value FROM json_each(?)) ORDER BY docrow, n",
            (orjson.dumps(list(names)).decode(),),
        )

    def titles(self) -> list[FieldValue]:
        """The title of every document that has one."""
        return self._records(FieldValue, "SELECT id, title FROM live_documents WHERE title <> ''")

    def fields_of(self, doc: str) -> list[tuple[str, str]]:
        """The fields of one document, in their order."""
        return self._all(
            "SELECT f.name, f.value FROM live_document_fields f"
            " JOIN live_documents d ON d.id = f.docrow WHERE d.doc = ? ORDER BY f.n",
            (doc,),
        )

    def reply_to(self, doc: str) -> str:
        """The mail that a document answers; "" if it is no mail, or that is not in the store."""
        query = f"SELECT {_ANSWERED} FROM live_documents d WHERE d.doc = ?"
        return str(self._value(query, (doc,)) or "")

    def thread(self, doc: str) -> list[ThreadMail]:
        """The mails of the thread of a document, oldest first; [] if it is no mail."""
        return self._records(
            ThreadMail,
            f"SELECT d.doc, {_FIELD.format(name='date')}, {_FIELD.format(name='from')}, {_ANSWERED}"
            " FROM live_documents d WHERE d.id IN"
            " (SELECT t.docrow FROM live_document_fields t JOIN live_document_fields o"
            " ON o.name = t.name AND o.value = t.value JOIN live_documents x ON x.id = o.docrow"
            " WHERE t.name = 'thread' AND x.doc = ?) ORDER BY 2, 1",
            (doc,),
        )

    def spans(self, kind: Kind, runs: Sequence[tuple[int, int]]) -> Int:
        """The first and last row, of chunks, passages or nodes, of runs of documents: (n, 2).

        A run is given by its first and last document row. A document's rows are written in one
        transaction with row numbers above all others, so they are adjacent and in the order of the
        documents, and those of a run lie between the first and the last of them. Runs without
        rows are left out.
        """
        owner, key = _OWNED[kind]
        of_run = f"FROM live_{kind} x WHERE x.{owner} BETWEEN {_LOW} AND {_HIGH}"
        found = self._db.execute(
            f"SELECT (SELECT x.{key} {of_run} ORDER BY x.{owner}, x.{key} LIMIT 1),"
            f" (SELECT x.{key} {of_run} ORDER BY x.{owner} DESC, x.{key} DESC LIMIT 1)"
            " FROM json_each(?) r",
            (orjson.dumps(runs).decode(),),
        )
        return np.array([row for row in found if row[0] is not None], np.int64).reshape(-1, 2)

    def described_relations(self, chunks: Sequence[tuple[int, int]]) -> Int:
        """Rows of the relation profiles with a statement in these spans of chunks, rising."""
        return self._array(
            "SELECT DISTINCT p.id FROM json_each(?) r JOIN statements s"
            f" ON s.chunk BETWEEN {_LOW} AND {_HIGH}"
            " JOIN relation_profiles p ON p.a = min(s.a, s.b) AND p.b = max(s.a, s.b)"
            " ORDER BY p.id",
            orjson.dumps(chunks).decode(),
        )

    def described_entities(self, chunks: Sequence[tuple[int, int]]) -> Int:
        """Rows of the entities with a description or a statement in these spans, rising."""
        return self._array(
            f"WITH spans AS (SELECT {_LOW} AS low, {_HIGH} AS high FROM json_each(?) r)"
            " SELECT x.entity FROM spans JOIN descriptions x ON x.chunk BETWEEN low AND high"
            " UNION SELECT s.a FROM spans JOIN statements s ON s.chunk BETWEEN low AND high"
            " UNION SELECT s.b FROM spans JOIN statements s ON s.chunk BETWEEN low AND high"
            " ORDER BY 1",
            orjson.dumps(chunks).decode(),
        )

    def _array(self, query: str, *values: object) -> Int:
        """The only column of a query."""
        return np.array(self._column(query, values), dtype=np.int64)
