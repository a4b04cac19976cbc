"""The embedder begins to load before the steps of a run are imported, where it will be needed."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from ragcli.config import Settings
from ragcli.indexing.early_start import begun_models
from ragcli.indexing.request import IndexRequest
from ragcli.models import model_set
from ragcli.models.model_set import LIGHT_CHARS, ModelSet


class Noted:
    """In place of the process that embeds."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def end(self) -> None:
        """Nothing runs."""


def begins(request: IndexRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether the process is started."""
    monkeypatch.setattr(model_set, "EmbedProcess", Noted)
    monkeypatch.setattr(ModelSet, "embed_beside", lambda self: setattr(self, "_beside", True))
    with closing(begun_models(request, Settings())) as models:
        return models._process is not None


def test_a_new_store_of_much_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it is one file, or several below a folder; a second path may not exist."""
    (tmp_path / "docs" / "deep").mkdir(parents=True)
    for name in ("one.txt", "deep/two.txt"):
        (tmp_path / "docs" / name).write_text("x" * (LIGHT_CHARS * 2 // 3))
    docs, store = tmp_path / "docs", tmp_path / "s"
    assert begins(IndexRequest(store, (tmp_path / "none", docs)), monkeypatch)
    assert not begins(IndexRequest(store, (docs / "deep",)), monkeypatch)
    (docs / "three.txt").write_text("x" * (LIGHT_CHARS + 1))
    assert begins(IndexRequest(store, (docs / "three.txt",)), monkeypatch)


def test_where_it_would_be_for_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that is there, workers of a cluster, a folder that is hidden."""
    docs, store = tmp_path / "docs", tmp_path / "s"
    (docs / ".git").mkdir(parents=True)
    store.mkdir()
    (docs / ".git" / "pack").write_text("x" * (LIGHT_CHARS + 1))
    assert not begins(IndexRequest(store, (docs,)), monkeypatch)
    (docs / "one.txt").write_text("x" * (LIGHT_CHARS + 1))
    assert not begins(IndexRequest(store, (docs,), engine="ray"), monkeypatch)
    assert begins(IndexRequest(store, (docs,)), monkeypatch)
    (store / "store.sqlite").write_bytes(b"")
    assert not begins(IndexRequest(store, (docs,)), monkeypatch)
