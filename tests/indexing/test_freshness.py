"""A store that is brought up to date before it is asked."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from conftest import Run

import ragcli
from ragcli.config import Settings, changed, load, seconds_of
from ragcli.errors import ConfigError
from ragcli.indexing import freshness
from ragcli.indexing.freshness import MOST_FILES, freshen
from ragcli.serve.call import Call
from ragcli.serve.served import Served
from ragcli.serve.tools import Tools
from ragcli.store.lock import writer_lock

FRESH = Settings(fresh="true", workers=1)
LONG_AGO = 1_700_000_000


@pytest.fixture
def indexed(tmp_path: Path, quick: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Documents that have not just changed, and their store."""
    docs, store = tmp_path / "docs", tmp_path / "store"
    docs.mkdir()
    for number in range(3):
        write(docs / f"{number}.txt", f"Pump {number} stands in hall {number + 10}.")
    ragcli.index(docs, store, settings=Settings(workers=1))
    return docs, store


def write(file: Path, text: str, moment: int = LONG_AGO) -> None:
    file.write_text(text)
    os.utime(file, (moment, moment))


def names(store: Path) -> list[str]:
    with ragcli.Store.open(store) as opened:
        return [document.doc for document in opened.documents()]


def test_small_changes_are_indexed(indexed: tuple[Path, Path]) -> None:
    """New, changed and deleted files; without a change nothing is written."""
    docs, store = indexed
    assert freshen(store, FRESH) == ""
    with ragcli.Store.open(store) as opened:
        first = opened.generation
    write(docs / "new.txt", "The valve is in hall 7.")
    write(docs / "0.txt", "Pump 0 stands in hall 99.", LONG_AGO + 1)
    (docs / "1.txt").unlink()
    assert freshen(store, FRESH) == "brought up to date: 3 documents changed"
    assert names(store) == ["0.txt", "2.txt", "new.txt"]
    with ragcli.Store.open(store) as opened:
        assert opened.generation == first + 1 and "hall 99" in opened.text("0.txt")
    assert freshen(store, FRESH) == ""


def test_more_is_said_and_left(indexed: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Many files, and large ones."""
    docs, store = indexed
    for number in range(MOST_FILES + 1):
        write(docs / f"more{number}.txt", "More.")
    assert freshen(store, FRESH) == (
        f"not brought up to date: {MOST_FILES + 1} files (0.0 MB) changed; run: ragcli update"
    )
    assert len(names(store)) == 3
    for number in range(1, MOST_FILES + 1):
        (docs / f"more{number}.txt").unlink()
    monkeypatch.setattr(freshness, "MOST_BYTES", 4)
    assert "1 file (0.0 MB)" in freshen(store, FRESH)
    assert len(names(store)) == 3


def test_a_reader_waits_for_no_writer(indexed: tuple[Path, Path]) -> None:
    """It reads the last state, and says so."""
    docs, store = indexed
    write(docs / "new.txt", "The valve is in hall 7.")
    with writer_lock(store):
        began = time.monotonic()
        assert "not brought up to date" in freshen(store, FRESH)
        assert time.monotonic() - began < 20
        assert len(names(store)) == 3


def test_an_age_spares_checks(indexed: tuple[Path, Path]) -> None:
    """A check within the age is enough; an older one is not."""
    docs, store = indexed
    hourly = changed(FRESH, fresh="1h")
    assert freshen(store, hourly) == ""
    write(docs / "new.txt", "The valve is in hall 7.")
    assert freshen(store, hourly) == "" and len(names(store)) == 3
    os.utime(store / "checked", (time.time() - 3601,) * 2)
    assert "1 document changed" in freshen(store, hourly)


def test_nothing_happens_unasked(indexed: tuple[Path, Path]) -> None:
    docs, store = indexed
    write(docs / "new.txt", "The valve is in hall 7.")
    assert freshen(store, Settings()) == "" and len(names(store)) == 3


def test_a_store_from_elsewhere_reads_nothing(indexed: tuple[Path, Path], tmp_path: Path) -> None:
    """Its folders must be confirmed first; until then it is asked as it is."""
    _, store = indexed
    copy = tmp_path / "copy" / ".ragcli"
    copy.parent.mkdir()
    store.rename(copy)
    assert "comes from elsewhere" in freshen(copy, FRESH)


def test_serve_is_fresh_too(indexed: tuple[Path, Path]) -> None:
    """A call finds what was written before it; what was done stands in its note."""
    docs, store = indexed
    write(docs / "new.txt", "The valve Zebulon is in hall 7.")
    (search,) = [t for t in Tools(Served([store]), FRESH).all() if t.name == "search"]
    found = search.run(Call(), query="valve Zebulon")
    assert "new.txt" in [hit["doc"] for hit in found["hits"]]
    assert "1 document changed" in found["note"]


@pytest.mark.parametrize(
    ("text", "value", "seconds"),
    [("true", "true", 0), ("false", "false", 0), ('"1h"', "1h", 3600), ('"30s"', "30s", 30)],
)
def test_the_setting(tmp_path: Path, text: str, value: str, seconds: float) -> None:
    (tmp_path / "ragcli.toml").write_text(f"fresh = {text}\n")
    assert load({}, {}, tmp_path).settings.fresh == value
    assert seconds_of(value) == seconds
    assert load({"fresh": False}, {}, tmp_path).settings.fresh == "false"


@pytest.mark.parametrize("text", ["1", '"soon"', '"1y"', '"-1h"', "[true]"])
def test_other_values_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "ragcli.toml").write_text(f"fresh = {text}\n")
    with pytest.raises(ConfigError, match="fresh cannot be") as caught:
        load({}, {}, tmp_path)
    assert "an age" in caught.value.hint


def test_the_command_line(tmp_path: Path, called: Run) -> None:
    """ask and search say on standard error what they did; JSON stays JSON."""
    docs, store = tmp_path / "docs", tmp_path / "store"
    docs.mkdir()
    write(docs / "a.txt", "The pump stands in hall 3.")
    assert called("index", docs, "--store", store).returncode == 0
    write(docs / "zebulon.txt", "The valve Zebulon is in hall 7.")
    found = called("search", "valve Zebulon", "--fresh", "-l", "--store", store)
    assert "zebulon.txt" in found.stdout and "1 document changed" in found.stderr
    again = called("ask", "Where is the valve Zebulon?", "--fresh", "--json", "--store", store)
    assert "zebulon.txt" in again.stdout and "brought" not in again.stderr
