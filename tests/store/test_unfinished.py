"""Places where a full disk, a kill or Ctrl-C has left less than a store: the remedy is named."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from conftest import remount

from ragcli.api import Store, update_request
from ragcli.cli.inputs import existing_store
from ragcli.errors import StoreError, StoreMissing
from ragcli.store.connection import (
    FILE,
    FOLDER,
    connect,
    create,
    make_folder,
    open_store,
    remove_if_empty,
)


@pytest.mark.parametrize("size", ["64k", "256k"])
def test_a_disk_that_is_too_small_for_an_empty_store(small_disk: Path, size: str) -> None:
    remount(small_disk, f"size={size}")
    store = small_disk / "s"
    make_folder(store)
    with pytest.raises(StoreError) as caught:
        create(store)
    assert "space" in caught.value.hint
    remove_if_empty(store)
    assert not store.exists()


@pytest.mark.parametrize("readonly", [True, False])
def test_a_store_whose_making_was_killed(tmp_path: Path, readonly: bool) -> None:
    connect(tmp_path / FILE, readonly=False).close()
    with pytest.raises(StoreMissing, match="is empty") as caught:
        open_store(tmp_path, readonly=readonly)
    assert caught.value.hint == "run: ragcli index FOLDER"
    create(tmp_path)
    with closing(open_store(tmp_path, readonly=readonly)) as db:
        assert db.execute("SELECT value FROM meta WHERE key = 'generation'").fetchone() == ("0",)


def updated(store: Path) -> object:
    return update_request(store, ())


@pytest.mark.parametrize(
    ("left", "command"),
    [(f"{FOLDER}.merging", "merge"), (f"{FOLDER}/{FILE}.import", "bundle import")],
)
@pytest.mark.parametrize("use", [Store.open, updated])
def test_a_store_that_is_not_finished(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    left: str,
    command: str,
    use: Callable[[Path], object],
) -> None:
    """A merge builds the store beside its place, an import unpacks it there."""
    (tmp_path / left).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    for ask in (partial(use, tmp_path / FOLDER), partial(existing_store, None)):
        with pytest.raises(StoreMissing, match=f"ragcli {command} has not finished") as caught:
            ask()
        assert "run it again" in caught.value.hint
