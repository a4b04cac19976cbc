"""Reads shards, and copies their documents into one new store, where they are pending.

A document's rows depend on nothing outside it, so they are copied as they are, with new row
numbers. Everything else (sums, summaries of folders, profiles, the lexical index) is made by the
commit, from the same rows as in a store that was built at once. Documents are copied in the order
of their files, in which such a run writes them: the rows of a folder are adjacent.
"""

from __future__ import annotations

import heapq
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import orjson

from ragcli.errors import InputError, StoreDamaged
from ragcli.store.connection import FILE, as_store_errors, open_store
from ragcli.store.meta import Meta, Patterns, generation, get_meta, set_meta
from ragcli.store.place import distrust, is_at_home
from ragcli.store.rebuild import CACHES, CarryVectors, carry
from ragcli.store.roots import moved, roots
from ragcli.store.transaction import transaction
from ragcli.store.writer import StoreWriter
from ragcli.types import Event, Report

# The tables of a document besides chunks and passages -> the column with its row.
PARTS = {
    "headings": "doc",
    "line_marks": "doc",
    "blocks": "doc",
    "scanned_lines": "doc",
    "nodes": "docrow",
    "document_fields": "docrow",
    "document_times": "docrow",
}
# Columns that get a new number here.
_NUMBERED = {"nodes": {"row": None}}
# What is known of files; several shards may say the same of one file.
OF_FILES = ("failures", "failed_files", "unread_files")
# Documents copied in one transaction.
_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class ShardFacts:
    """What a store is a shard of, and how it was made.

    ``shard`` is "I/N", "" for a store with all documents. ``raw_roots`` are the roots as recorded,
    ``roots`` as they are found from the store's folder. ``scanned`` is the fingerprint of the
    files at its last run. ``finished``: no run has been stopped midway. ``rate``: seconds per word.
    """

    folder: Path
    shard: str
    finished: bool
    prints: dict[str, str]
    raw_roots: tuple[str, ...]
    roots: tuple[str, ...]
    patterns: Patterns
    mode: str
    scanned: str
    at_home: bool
    rate: float
    llm_calls: int
    llm_tokens: int


def facts_of(folder: Path) -> ShardFacts:
    """Inspect a shard. Raises StoreMissing, StoreVersion, StoreDamaged."""
    with as_store_errors(folder / FILE), closing(_opened(folder)) as db:
        meta = Meta(db)
        return ShardFacts(
            folder,
            meta.shard,
            _is_finished(db),
            orjson.loads(get_meta(db, "fingerprint", "{}")),
            tuple(map(os.fsdecode, _raw_roots(db))),
            tuple(roots(db, folder)),
            meta.patterns,
            meta.mode,
            meta.scanned,
            is_at_home(db, folder),
            meta.seconds_per_word,
            int(get_meta(db, "llm_calls", "0")),
            int(get_meta(db, "llm_tokens", "0")),
        )


def _opened(folder: Path) -> sqlite3.Connection:
    """A shard, open for reading; its origin is unknown."""
    return open_store(folder, readonly=True, trusted=False)


def _raw_roots(db: sqlite3.Connection) -> list[bytes]:
    return [path for (path,) in db.execute("SELECT path FROM roots ORDER BY id")]


def _is_finished(db: sqlite3.Connection) -> bool:
    """Whether the store has a generation, and nothing is pending."""
    current = generation(db)
    pending = "SELECT EXISTS (SELECT 1 FROM documents WHERE born > ?1 OR died > ?1)"
    return bool(current) and not db.execute(pending, (current,)).fetchone()[0]


def copy_shards(
    store: StoreWriter,
    shards: Sequence[ShardFacts],
    roots_: Sequence[str],
    carry_vectors: CarryVectors,
    report: Report,
) -> None:
    """Copy the documents of shards into a new store, where they are pending.

    ``roots_`` take the place of the roots of every shard. Raises InputError if two shards have one
    document, StoreDamaged if a shard lacks content that its documents need.
    """
    db = store.connection
    with ExitStack() as stack:
        opened = []
        for shard in shards:
            part = stack.enter_context(closing(_opened(shard.folder)))
            part.execute("BEGIN")
            opened.append(part)
        for shard, part in zip(shards, opened, strict=True):
            carry(db, shard.folder / FILE, CACHES)
            carry_vectors(store.vectors, shard.folder)
            with transaction(db):
                _copy_files(db, part, list(zip(shard.raw_roots, roots_, strict=True)))
        _copy_documents(db, opened, report)
    _check_content(db)


def copy_values(store: StoreWriter, shards: Sequence[ShardFacts]) -> None:
    """Take over the settings that all shards share, and what they cost together."""
    db, meta = store.connection, store.meta
    with transaction(db):
        first = shards[0]
        meta.patterns, meta.mode = first.patterns, first.mode
        if not all(shard.at_home for shard in shards):
            distrust(db)
        for name in ("llm_calls", "llm_tokens"):
            set_meta(db, name, str(sum(getattr(shard, name) for shard in shards)))


def _columns(db: sqlite3.Connection, table: str) -> list[str]:
    """The columns of a table, quoted, in the order of this store."""
    return [f'"{name}"' for _, name, *_ in db.execute(f"PRAGMA table_info({table})")]


def _insertion(db: sqlite3.Connection, table: str, how: str = "INSERT") -> str:
    columns = _columns(db, table)
    marks = ", ".join("?" * len(columns))
    return f"{how} INTO main.{table} ({', '.join(columns)}) VALUES ({marks})"


def _copy_files(
    db: sqlite3.Connection, part: sqlite3.Connection, moved_to: list[tuple[str, str]]
) -> None:
    """Copy what a shard knows of files, and its failures."""
    for source, path, size, changed in part.execute(
        "SELECT source, path, size, mtime_ns FROM files"
    ).fetchall():
        here = os.fsencode(moved(os.fsdecode(path), moved_to))
        # A file that two shards saw differently is read again by the next update.
        db.execute(
            "INSERT INTO files (source, path, size, mtime_ns) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (source) DO UPDATE SET mtime_ns = -1"
            " WHERE size <> excluded.size OR mtime_ns <> excluded.mtime_ns",
            (source, here, size, changed),
        )
    for table in OF_FILES:
        rows = part.execute(f"SELECT {', '.join(_columns(db, table))} FROM {table}")
        db.executemany(_insertion(db, table, "INSERT OR IGNORE"), rows)


def _copy_documents(
    db: sqlite3.Connection, parts: Sequence[sqlite3.Connection], report: Report
) -> None:
    total = sum(part.execute("SELECT count(*) FROM documents").fetchone()[0] for part in parts)
    copier = _Copier(db)
    order = heapq.merge(*(_in_order(n, part) for n, part in enumerate(parts)))
    done = 0
    while batch := list(islice(order, _AT_ONCE)):
        with transaction(db):
            for _, _, row, number in batch:
                copier.copy(parts[number], row)
        done += len(batch)
        report(Event("merge", done, total))


def _in_order(number: int, part: sqlite3.Connection) -> Iterator[tuple[str, int, int, int]]:
    """(file, line, row, number of the shard) of each document, as a run writes them."""
    rows = part.execute(
        "SELECT d.source, CASE WHEN d.doc = d.source THEN 0 ELSE coalesce((SELECT c.line_start"
        " FROM chunks c WHERE c.doc = d.id AND c.ordinal = 0), 0) END AS line, d.id"
        " FROM documents d ORDER BY d.source, line, d.id"
    )
    return ((source, line, row, number) for source, line, row in rows)


@dataclass(slots=True)
class _Copier:
    """Copies documents into a store; counts the rows that it has written."""

    db: sqlite3.Connection
    documents: int = 0
    chunks: int = 0
    passages: int = 0
    insert: dict[str, str] = field(default_factory=dict)
    select: dict[str, str] = field(default_factory=dict)
    place: dict[str, dict[str, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        owners = {"documents": "id", "chunks": "doc", "passages": "doc", **PARTS}
        orders = {"chunks": " ORDER BY ordinal", "passages": " ORDER BY id"}
        for table, owner in owners.items():
            columns = _columns(self.db, table)
            self.place[table] = {name.strip('"'): i for i, name in enumerate(columns)}
            self.insert[table] = _insertion(self.db, table)
            self.select[table] = (
                f"SELECT {', '.join(columns)} FROM {table} WHERE {owner} = ?{orders.get(table, '')}"
            )

    def copy(self, part: sqlite3.Connection, row: int) -> None:
        """Copy one document with all its rows; it is pending here."""
        self.documents += 1
        (document,) = self._rows(part, "documents", row)
        doc = document[self.place["documents"]["doc"]]
        if self.db.execute("SELECT 1 FROM documents WHERE doc = ?", (doc,)).fetchone():
            raise InputError(f"two of the shards have the document {doc}")
        born = {"id": self.documents, "born": generation(self.db) + 1, "died": None}
        self._write("documents", [document], born)
        chunks: dict[object, int] = {}
        for chunk in self._rows(part, "chunks", row):
            self.chunks += 1
            chunks[chunk[self.place["chunks"]["id"]]] = self.chunks
            self._write("chunks", [chunk], {"id": self.chunks, "doc": self.documents})
        for passage in self._rows(part, "passages", row):
            self.passages += 1
            chunk_row = chunks[passage[self.place["passages"]["chunk"]]]
            here = {"id": self.passages, "doc": self.documents, "chunk": chunk_row}
            self._write("passages", [passage], here)
        for table, owner in PARTS.items():
            new = {owner: self.documents, **_NUMBERED.get(table, {})}
            self._write(table, self._rows(part, table, row), new)

    def _rows(self, part: sqlite3.Connection, table: str, row: int) -> list[list[object]]:
        return [list(found) for found in part.execute(self.select[table], (row,))]

    def _write(self, table: str, rows: list[list[object]], new: Mapping[str, object]) -> None:
        place = self.place[table]
        for row in rows:
            for name, value in new.items():
                row[place[name]] = value
        self.db.executemany(self.insert[table], rows)


def _check_content(db: sqlite3.Connection) -> None:
    """Raise StoreDamaged if a row needs an extraction or a vector that no shard has."""
    for table, column, content in (
        ("chunks", "extraction", "extractions"),
        ("chunks", "findings", "extractions"),
        ("passages", "vector", "vectors"),
        ("nodes", "vector", "vectors"),
    ):
        row = db.execute(
            f"SELECT d.doc FROM {table} t JOIN documents d ON"
            f" d.id = t.{'docrow' if table == 'nodes' else 'doc'} WHERE t.{column} IS NOT NULL"
            f" AND NOT EXISTS (SELECT 1 FROM {content} x WHERE x.hash = t.{column}) LIMIT 1"
        ).fetchone()
        if row:
            raise StoreDamaged(
                f"a shard lacks {content} of the document {row[0]}",
                "run ragcli inspect check on each shard",
            )
