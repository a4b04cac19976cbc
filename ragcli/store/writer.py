"""The handle for writing a store: its parts by subject, each at its newest state.

New rows are *pending*: readers do not see them before a commit (``indexing.commit``) increases the
generation.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from ragcli.errors import StoreDamaged
from ragcli.store import history, relations
from ragcli.store.connection import (
    FILE,
    REMEDY,
    as_store_errors,
    close_writer,
    open_store,
    shorten_log,
)
from ragcli.store.content_cache import ContentCache
from ragcli.store.documents import DocumentWriter
from ragcli.store.entities import EntityNames
from ragcli.store.entity_sums import EntitySums
from ragcli.store.findings import FindingsWriter
from ragcli.store.fresh_vectors import FreshVectors, remove_fresh
from ragcli.store.hierarchy import HierarchyWriter
from ragcli.store.meta import Meta, begins_after, generation, set_meta
from ragcli.store.profiles import ProfileWriter
from ragcli.store.rebuild import clear_leftovers
from ragcli.store.replies import Replies
from ragcli.store.snapshot import Snapshot
from ragcli.store.sources import SourceWriter
from ragcli.store.sweep import begin_sweep, sweep, sweep_all, unused
from ragcli.store.transaction import transaction
from ragcli.store.tree_nodes import TreeNodeWriter
from ragcli.store.vector_texts import TextParts, parts_of_row

_REBUILD = "run: ragcli index --rebuild"
_MISSING = (
    "SELECT count(*) FROM chunks WHERE extraction NOT IN (SELECT hash FROM extractions)"
    " OR findings NOT IN (SELECT hash FROM extractions)"
)


@dataclass(frozen=True, slots=True)
class StoreCounts:
    """The counts of a store's content."""

    documents: int
    chunks: int
    entities: int
    relations: int


class StoreWriter:
    """An open store as its writer sees it, pending rows included.

    ``connection`` is for ``store`` and ``search`` only.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        folder: Path,
        home: Path | None = None,
        *,
        readonly: bool = False,
    ) -> None:
        """Outside any transaction.

        ``home``: of a draft, the folder of the store that it will replace.
        """
        self.connection = connection
        self.folder = folder
        self.meta = Meta(connection)
        self.sources = SourceWriter(connection, home or folder)
        self.documents = DocumentWriter(connection)
        self.extractions = ContentCache(connection)
        self.vectors = FreshVectors(connection, folder, readonly=readonly)
        self.findings = FindingsWriter(connection)
        self.nodes = TreeNodeWriter(connection)
        self.names = EntityNames(connection)
        self.profiles = ProfileWriter(connection)
        self.hierarchy = HierarchyWriter(connection)
        self.replies = Replies(connection)

    @property
    def generation(self) -> int:
        """The generation that readers see; 0 before the first commit point."""
        return generation(self.connection)

    def snapshot(self) -> Snapshot:
        """A snapshot of the current generation over this connection."""
        return Snapshot(self.folder, self.connection)

    def transaction(self) -> AbstractContextManager[None]:
        """An atomic transaction; see ``transaction.transaction``."""
        return transaction(self.connection)

    @contextmanager
    def durable_transaction(self) -> Iterator[None]:
        """A transaction that is on the disk when it has ended: files that only it made needless
        may be deleted then."""
        self.connection.execute("PRAGMA main.synchronous = FULL")
        with self.transaction():
            yield
        self.connection.execute("PRAGMA main.synchronous = NORMAL")

    def has_changes(self) -> bool:
        """Whether the next generation differs from the current one, or is the first."""
        return self.is_first() or self.documents.are_changing() or self.hierarchy.is_due()

    def is_first(self) -> bool:
        """Whether no generation has been committed yet."""
        return self.generation == begins_after(self.connection)

    def text_parts(self, name: str, row: int) -> TextParts:
        """See ``vector_texts.parts_of_row``."""
        return parts_of_row(self.connection, name, row)

    def sums(self) -> EntitySums:
        """A collector of the contributions that documents add and remove."""
        return EntitySums(self.connection)

    def record_history(self) -> None:
        """Record the changes of the pending generation, before its ended documents are deleted."""
        history.record(self.connection)

    def begin_sweep(self) -> None:
        """Start collecting candidates of the sweep, inside the caller's transaction."""
        begin_sweep(self.connection)

    def sweep(self) -> None:
        """Delete the collected candidates that are unused."""
        sweep(self.connection)

    def sweep_all(self) -> int:
        """Delete every unused extraction, and vectors on their way, unless a run is incomplete;
        their number."""
        return sweep_all(self.connection) + self.vectors.clear()

    def unused(self) -> int:
        """The number of vectors and extractions that ``sweep_all`` would delete."""
        return unused(self.connection) + self.vectors.count()

    def clear_drafts(self) -> None:
        """See ``rebuild.clear_leftovers``."""
        clear_leftovers(self.folder, self.connection)

    def publish(self, new: int) -> None:
        """Make ``new`` the generation that readers see once the transaction ends."""
        set_meta(self.connection, "generation", str(new))

    def shorten_log(self) -> None:
        """See ``connection.shorten_log``."""
        shorten_log(self.connection)

    def counts(self) -> StoreCounts:
        """The counts of the store's current content."""
        tables = ("documents", "chunks", "entities")
        query = "SELECT " + ", ".join(f"(SELECT count(*) FROM {table})" for table in tables)
        documents, chunks, entities = self.connection.execute(query).fetchone()
        return StoreCounts(documents, chunks, entities, relations.count(self.connection))

    def sound_parts(self) -> Iterator[str]:
        """Yield the name of each part of the database after its check.

        Raises StoreDamaged for the first damaged part.
        """
        path, db = self.folder / FILE, self.connection
        found = db.execute("PRAGMA integrity_check(1)").fetchone()[0]
        if found != "ok":
            raise StoreDamaged(f"{path} is damaged: {found}", REMEDY)
        yield "database"
        if broken := db.execute("PRAGMA foreign_key_check").fetchone():
            raise StoreDamaged(f"{path}: a row of {broken[0]} refers to a missing row", _REBUILD)
        yield "references"
        if missing := db.execute(_MISSING).fetchone()[0]:
            raise StoreDamaged(f"{missing} extractions are missing", _REBUILD)
        yield "extractions"


@contextmanager
def open_writer(folder: Path, home: Path | None = None) -> Iterator[StoreWriter]:
    """Open the store of a folder for its only writer, which holds ``writer_lock``.

    ``home``: the folder of the store that it is a draft of. Vectors on their way are deleted at the
    end if nothing is pending: the files have all that are needed.

    SQLite's errors become StoreError.
    """
    with as_store_errors(folder / FILE):
        db = open_store(folder, readonly=False)
        try:
            writer = StoreWriter(db, folder, home)
            yield writer
            needless = not writer.is_first() and not writer.vectors.are_pending()
        finally:
            close_writer(db, folder / FILE)
        if needless:
            remove_fresh(folder)


@contextmanager
def open_to_compare(folder: Path) -> Iterator[StoreWriter]:
    """Open the store to compare its newest state with the folders, read-only.

    Everything is read in one transaction, without a lock; an attempt to write fails.
    """
    with as_store_errors(folder / FILE), closing(open_store(folder, readonly=True)) as db:
        writer = StoreWriter(db, folder, readonly=True)
        db.execute("BEGIN")
        yield writer
