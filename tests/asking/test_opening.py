"""Opening a store for questions while another process commits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragcli.asking.opening import open_index
from ragcli.config import Settings
from ragcli.errors import StoreLocked
from ragcli.search.search_index import SearchIndex


def test_files_that_a_commit_has_removed(
    monkeypatch: pytest.MonkeyPatch, sample_store: Path
) -> None:
    """The newer generation is opened; what never opens is told."""
    opened, failures = SearchIndex.open, 2

    def opens(*args: Any) -> SearchIndex:
        nonlocal failures
        if failures:
            failures -= 1
            raise StoreLocked("updated while it was opened", "run it again")
        return opened(*args)

    monkeypatch.setattr(SearchIndex, "open", opens)
    with open_index(sample_store, Settings()) as (index, _):
        assert len(index.passages.ids) > 40
    failures = 100
    with (
        pytest.raises(StoreLocked, match="updated while"),
        open_index(sample_store, Settings()),
    ):
        raise AssertionError("it opened")
