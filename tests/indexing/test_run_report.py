"""What a run counts."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.config import Settings
from ragcli.indexing.estimate import estimate, slowness
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.indexing.run_report import count_words
from ragcli.types import silent


@given(text=st.text(alphabet="ab \n\u3000", max_size=40), block=st.integers(1, 9))
def test_words_in_blocks_are_words(text: str, block: int) -> None:
    """Wherever a border falls, in a word, beside one or in a gap."""
    assert count_words(text, block) == len(text.split())


def test_a_dry_run_counts_as_a_run_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same chunks as are indexed, without the summaries that took most of its time."""
    text = "\n\n".join(f"The ferry {n} sails from Port Vale to Genoa at {n}." for n in range(300))
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text(text)
    request = IndexRequest(tmp_path / "s", (tmp_path / "docs",))
    settings = Settings(workers=1, chunk_size=200)
    result = index(request, settings)
    monkeypatch.setattr("ragcli.indexing.prepare.document_tree", None)
    found = estimate(replace(request, store=tmp_path / "none"), settings, silent)
    assert (found.files, found.documents, found.chunks) == (1, 1, result.chunks)
    assert result.chunks > 20 and result.words == len(text.split())


def test_a_dry_run_on_a_busy_machine_promises_more_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where chunking takes eight times as long, the estimate is eight times as long."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("The ferry sails from Port Vale to Genoa. " * 400)
    request = IndexRequest(tmp_path / "none", (tmp_path / "docs",))
    monkeypatch.setattr("ragcli.indexing.estimate.slowness", lambda _seconds: 1.0)
    usual = estimate(request, Settings(), silent)
    given: list[float] = []

    def slow(seconds: float) -> float:
        given.append(seconds)
        return 8.0

    monkeypatch.setattr("ragcli.indexing.estimate.slowness", slow)
    assert estimate(request, Settings(), silent).seconds == pytest.approx(8 * usual.seconds)
    assert len(given) == 1 and 0 < given[0] < 1
    assert slowness(6e-6) == 1 and slowness(1.0) == 20 and slowness(1e-9) == 0.5
