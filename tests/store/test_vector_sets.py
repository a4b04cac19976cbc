"""The queries of the sets of vectors."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from ragcli.store import scratch
from ragcli.store.connection import create
from ragcli.store.live_views import show_generation
from ragcli.store.vector_sets import VECTOR_SETS, VectorSet
from ragcli.store.writer import open_writer


@pytest.mark.parametrize("of", VECTOR_SETS, ids=lambda of: of.name)
def test_changed_rows_are_looked_up(tmp_path: Path, of: VectorSet) -> None:
    """Only the notes are read from end to end: an update must not cost what the store holds."""
    create(tmp_path)
    with open_writer(tmp_path) as store:
        show_generation(store.connection, 0)
        scratch.make_notes(store.connection, of.table, (of.key,))
        query = of.query(f"temp.{scratch.notes_of(of.table)}")
        assert scanned(store.connection, query) == ["c"]


def scanned(db: sqlite3.Connection, query: str) -> list[str]:
    """The tables that SQLite reads from end to end."""
    plan = [row[3].split() for row in db.execute(f"EXPLAIN QUERY PLAN {query}")]
    return [words[1] for words in plan if words[0] == "SCAN"]
