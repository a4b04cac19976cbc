"""Fields and times of documents: in a store of an earlier release there are none, and no error."""

from __future__ import annotations

import datetime
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ragcli.config import Settings
from ragcli.errors import InputError
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.search.scope import select
from ragcli.store.digest import digest
from ragcli.store.live_views import VIEWED
from ragcli.store.snapshot import open_snapshot
from ragcli.types import Scope

SETTINGS = Settings(workers=1, answer="extractive", llm="none")


@pytest.fixture
def store(tmp_path: Path, quick: pytest.MonkeyPatch) -> Path:
    """A store of two documents, one of them with front matter."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("---\nauthor: Ada Holm\n---\n# A\n\nThe ferry sails.\n")
    (docs / "b.md").write_text("# B\n\nThe ferry sails.\n")
    index(IndexRequest(tmp_path / "s", (docs,)), SETTINGS)
    return tmp_path / "s"


def test_a_store_of_an_earlier_release(store: Path) -> None:
    """Read as it is; the next run that writes migrates it, and old documents have no fields."""
    with closing(sqlite3.connect(store / "store.sqlite")) as db:
        db.executescript(
            "DROP TABLE document_fields; DROP TABLE document_times;"
            "DELETE FROM migrations WHERE name = 'fields';"
        )
    with open_snapshot(store) as snapshot:
        assert select(snapshot, Scope.of("a.md")).tolist() == [1]
        assert len(select(snapshot, Scope.of(since="1d"))) == 2  # when they were indexed
        with pytest.raises(InputError) as error:
            select(snapshot, Scope.of(where=["author=Ada"]))
        assert "index --rebuild" in error.value.hint
        for table in VIEWED:
            snapshot.db.execute(f"SELECT count(*) FROM live_{table}").fetchone()
    folder = store.parent / "docs"
    (folder / "c.md").write_text("---\nauthor: Jon Berg\n---\nThe ferry sank.\n")
    index(IndexRequest(store), SETTINGS)
    with open_snapshot(store) as snapshot:
        assert len(select(snapshot, Scope.of(where=["author=Jon Berg"]))) == 1


def test_fields_belong_to_a_version(store: Path) -> None:
    """A change of the front matter is a change of the document, in one generation and not before;
    an update ends where a fresh index would."""
    with open_snapshot(store) as before:
        docs = store.parent / "docs"
        (docs / "a.md").write_text("---\nauthor: Jon Berg\n---\n# A\n\nThe ferry sails.\n")
        index(IndexRequest(store), SETTINGS)
        assert before.facts.fields_of("a.md") == [("author", "Ada Holm")]
        with open_snapshot(store) as after:
            assert after.facts.fields_of("a.md") == [("author", "Jon Berg")]
            assert after.facts.file_of("a.md") == docs / "a.md"
            updated = digest(after)
    index(IndexRequest(store.parent / "fresh", (docs,)), SETTINGS)
    with open_snapshot(store.parent / "fresh") as fresh:
        assert digest(fresh) == updated and "fields" in updated
        today = datetime.date.today()
        assert len(select(fresh, Scope.of(since="1d"), today)) == 2
    (docs / "a.md").unlink()
    with open_snapshot(store) as gone:
        assert gone.facts.file_of("a.md") is None and gone.facts.file_of("nowhere") is None
