"""The snapshot itself: an open store at one generation, with access to its content."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import orjson

from ragcli.store.connection import FILE, as_store_errors, open_store
from ragcli.store.live_views import live_rows_only, show_generation
from ragcli.store.meta import generation, get_meta
from ragcli.store.snapshot.chunks import Chunks
from ragcli.store.snapshot.document_facts import DocumentFacts
from ragcli.store.snapshot.documents import Documents
from ragcli.store.snapshot.entities import Entities
from ragcli.store.snapshot.hierarchy import Hierarchy
from ragcli.store.snapshot.nodes import Nodes
from ragcli.store.snapshot.profiles import Profiles
from ragcli.store.snapshot.shelf import Shelf
from ragcli.store.snapshot.tables import Tables


class Snapshot:
    """The content of a store in one generation. It never changes, even while others write.

    Queries are grouped by subject: ``documents``, ``facts`` (dates and fields of documents),
    ``chunks`` (and passages), ``nodes`` of the summary tree, ``entities`` (and relations),
    ``profiles``, ``hierarchy``, ``shelf`` (what a map is made from), ``tables``. Failures of the
    last scan do not belong to a generation; the snapshot reads their current state.
    """

    def __init__(self, store: Path, db: sqlite3.Connection) -> None:
        """Over a connection inside a read transaction."""
        self.store = store
        self.generation = generation(db)
        self.db = db
        """The connection, for queries in ``store`` and ``search`` only."""
        show_generation(db, self.generation)
        self.documents = Documents(db)
        self.facts = DocumentFacts(db, store)
        self.chunks = Chunks(db)
        self.nodes = Nodes(db)
        self.entities = Entities(db)
        self.profiles = Profiles(db)
        self.hierarchy = Hierarchy(db)
        self.shelf = Shelf(db)
        self.tables = Tables(db)

    @property
    def models(self) -> dict[str, str]:
        """The models and settings of the store, by name."""
        found: dict[str, str] = orjson.loads(self.fingerprint or "{}")
        return found

    @property
    def fingerprint(self) -> str:
        """The same as JSON; "" before the first run."""
        return get_meta(self.db, "fingerprint")


@contextmanager
def open_snapshot(store: Path) -> Iterator[Snapshot]:
    """The committed generation of a store, 0 before the first commit.

    Raises StoreMissing, StoreVersion, StoreDamaged; SQLite's errors come out as these.
    """
    db = open_store(store, readonly=True)
    with closing(db), as_store_errors(store / FILE):
        db.execute("BEGIN")
        snapshot = Snapshot(store, db)
        db.set_authorizer(live_rows_only)
        yield snapshot
