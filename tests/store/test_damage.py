"""Wrong bytes in a store: told as damage, never as a bug, and mended by a rebuild."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import settle
from stops import write_folder

from ragcli.config import Settings
from ragcli.errors import RagcliError
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.maintaining.check import check
from ragcli.store.connection import FILE
from ragcli.store.digest import digest
from ragcli.store.snapshot import open_snapshot

SETTINGS = Settings(workers=1)


def digest_of(store: Path) -> str:
    with open_snapshot(store) as snapshot:
        return digest(snapshot)["all"]


def told(task: Callable[[], object]) -> bool:
    """Whether a task raises one of ragcli's errors; any other one fails the test."""
    try:
        task()
    except RagcliError as error:
        assert error.hint
        return True
    return False


@pytest.mark.usefixtures("quick")
def test_wrong_bytes_are_told_and_mended(tmp_path: Path) -> None:
    """What a reader trips over, the check has told; a rebuild ends where a fresh index would."""
    docs, sound = tmp_path / "docs", tmp_path / "sound"
    write_folder(docs, 6, seed=1)
    index(IndexRequest(sound, (docs,)), SETTINGS)
    before = digest_of(sound)
    chance = random.Random(3)
    for case in range(24):
        store, other = (tmp_path / f"{name}{case}" for name in ("store", "other"))
        shutil.copytree(sound, store)
        settle(store)
        raw = bytearray((store / FILE).read_bytes())
        # The first page has the schema; empty parts of pages harm nobody.
        at = chance.choice([i for i, byte in enumerate(raw[100:], 100) if byte])
        for place in range(at, min(at + chance.choice([1, 60]), len(raw))):
            raw[place] ^= chance.choice([1, 7, 128])
        (store / FILE).write_bytes(raw)
        shutil.copytree(store, other)
        settled = told(lambda: digest_of(store))  # noqa: B023
        told(lambda: index(IndexRequest(store, (docs,)), SETTINGS))  # noqa: B023
        assert told(lambda: list(check(other, SETTINGS))) >= settled, at  # noqa: B023
        index(IndexRequest(store, (docs,), rebuild=True), SETTINGS)
        assert digest_of(store) == before, at
