"""The one handle of those who write a store: its parts by subject, at the newest state of each.

What is written is *pending*: readers do not see it before a commit (``indexing.commit``)
raises the generation.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from ragcli.store import history
from ragcli.store.connection import FILE, damaged, open_store, shorten_log
from ragcli.store.content_cache import ContentCache
from ragcli.store.documents import DocumentWriter
from ragcli.store.entities import EntityNames
from ragcli.store.entity_sums import EntitySums
from ragcli.store.findings import FindingsWriter
from ragcli.store.hierarchy import HierarchyWriter
from ragcli.store.integrity import sound_parts
from ragcli.store.meta import Meta, begins_after, generation, set_meta
from ragcli.store.profiles import ProfileWriter
from ragcli.store.rebuild import clear_leftovers
from ragcli.store.replies import Replies
from ragcli.store.snapshot import Snapshot
from ragcli.store.sources import SourceWriter
from ragcli.store.sweep import begin_sweep, sweep, sweep_all, unused
from ragcli.store.transaction import transaction
from ragcli.store.tree_nodes import TreeNodeWriter


@dataclass(frozen=True, slots=True)
class StoreCounts:
    """How much a store holds."""

    documents: int
    chunks: int
    entities: int
    relations: int


class StoreWriter:
    """An open store as its writer sees it, pending rows included.

    ``connection`` is for ``store`` and ``search`` alone.
    """

    def __init__(
        self, connection: sqlite3.Connection, folder: Path, home: Path | None = None
    ) -> None:
        """``home``: the folder of the store that this one is a draft of, if it is one."""
        self.connection = connection
        self.folder = folder
        self.meta = Meta(connection)
        self.sources = SourceWriter(connection, home or folder)
        self.documents = DocumentWriter(connection)
        self.extractions = ContentCache(connection, "extractions")
        self.vectors = ContentCache(connection, "vectors")
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
        """What readers see now, read over this connection."""
        return Snapshot(self.folder, self.connection)

    def transaction(self) -> AbstractContextManager[None]:
        """All of what happens inside, or nothing; see ``transaction.transaction``."""
        return transaction(self.connection)

    def has_changes(self) -> bool:
        """Whether the next generation differs from the current one, or is the first."""
        first = self.generation == begins_after(self.connection)
        return first or self.documents.are_changing() or self.hierarchy.is_due()

    def sums(self) -> EntitySums:
        """A collector of what documents add to the entities and take from them."""
        return EntitySums(self.connection)

    def record_history(self) -> None:
        """Keep what the pending generation changes; before its dead documents are buried."""
        history.record(self.connection)

    def begin_sweep(self) -> None:
        """Gather what may be unused from now on, inside the caller's transaction."""
        begin_sweep(self.connection)

    def sweep(self) -> None:
        """Delete what was gathered and is unused."""
        sweep(self.connection)

    def sweep_all(self) -> int:
        """Delete every unused vector and extraction, unless a run is half way; how many."""
        return sweep_all(self.connection)

    def unused(self) -> int:
        """How many vectors and extractions ``sweep_all`` would delete."""
        return unused(self.connection)

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
        """What the store holds now."""
        tables = ("documents", "chunks", "entities", "relations")
        query = "SELECT " + ", ".join(f"(SELECT count(*) FROM {table})" for table in tables)
        return StoreCounts(*self.connection.execute(query).fetchone())

    def sound_parts(self) -> Iterator[str]:
        """See ``integrity.sound_parts``."""
        return sound_parts(self.connection, self.folder / FILE)


@contextmanager
def open_writer(folder: Path, home: Path | None = None) -> Iterator[StoreWriter]:
    """The store of a folder for its one writer, who holds ``writer_lock``.

    ``home``: the folder of the store that it is a draft of. SQLite's errors come out as ours.
    """
    try:
        with closing(open_store(folder, readonly=False)) as db:
            yield StoreWriter(db, folder, home)
    except sqlite3.Error as error:
        raise damaged(folder / FILE, error) from error


@contextmanager
def open_to_compare(folder: Path) -> Iterator[StoreWriter]:
    """The same for one who compares the newest state with the folders and writes nothing.

    All is read in one transaction, without a lock; an attempt to write fails.
    """
    try:
        with closing(open_store(folder, readonly=True)) as db:
            db.execute("BEGIN")
            yield StoreWriter(db, folder)
    except sqlite3.Error as error:
        raise damaged(folder / FILE, error) from error
