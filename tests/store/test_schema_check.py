"""A store whose schema is not ragcli's is refused before it runs anything."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from conftest import settle

from ragcli.errors import RagcliError
from ragcli.store.connection import FILE, create, open_store
from ragcli.store.merging import facts_of

ENDLESS = "WITH RECURSIVE t(key, value) AS (SELECT 'format', 1 UNION ALL SELECT * FROM t)"
REFUSED = r"schema|format none"
MADE_TO_HURT = [
    "CREATE TRIGGER t AFTER INSERT ON chunks BEGIN DELETE FROM documents; END",
    "CREATE VIEW v AS SELECT 1",
    "CREATE INDEX i ON documents (hex(title))",
    "ALTER TABLE chunks ADD COLUMN more AS (hex(id))",
    "DROP TABLE line_marks",
    f"DROP TABLE meta; CREATE VIEW meta AS {ENDLESS} SELECT * FROM t",
    "DROP TABLE migrations;"
    f" CREATE VIEW migrations AS {ENDLESS} SELECT key AS name, value AS applied_at FROM t",
]


@pytest.mark.parametrize("sql", MADE_TO_HURT)
def test_a_schema_of_somebody_else_is_refused(tmp_path: Path, sql: str) -> None:
    """By every writer, by a merge, and by readers of a store that was not made here."""
    here, there = tmp_path / "here", tmp_path / "there"
    create(here)
    settle(here)
    open_store(here, readonly=True).close()
    with closing(sqlite3.connect(here / FILE)) as db:
        db.executescript(sql)
    shutil.copytree(here, there)
    with pytest.raises(RagcliError, match=REFUSED):
        open_store(here, readonly=False)
    with pytest.raises(RagcliError, match=REFUSED):
        open_store(there, readonly=True)
    with pytest.raises(RagcliError, match=REFUSED):
        facts_of(here)
