"""Opening a store for reading: one generation from start to end."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ragcli.store.connection import FILE, damaged, open_store
from ragcli.store.meta import generation


@contextmanager
def reading(store: Path) -> Iterator[sqlite3.Connection]:
    """A connection inside one read transaction; SQLite's errors come out as ours."""
    db = open_store(store, readonly=True)
    try:
        db.execute("BEGIN")
        generation(db)
        yield db
    except sqlite3.DatabaseError as error:
        raise damaged(store / FILE, error) from error
    finally:
        db.close()
