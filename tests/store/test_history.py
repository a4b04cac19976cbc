"""inspect diff: any two generations compared, against the folders themselves as the oracle."""

from __future__ import annotations

import json
import shutil
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from reading import reading
from typer.testing import CliRunner

from ragcli.cli.commands import app
from ragcli.config import Settings
from ragcli.errors import InputError
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.store import history
from ragcli.store.snapshot import open_snapshot

SETTINGS = Settings(workers=1)
TEXTS = {
    "aurora": "The ferry Aurora sails from Port Vale to Genoa.",
    "linde": "Mara Linde is the captain of the Aurora. Linde lives in Rome.",
    "berg": "Jon Berg wrote to Mara Linde about the harbour of Lisbon.",
    "vale": "Port Vale has a harbour and a lighthouse. Ines Voss paints it.",
}
# Folders one after another: document -> text.
STATES: list[dict[str, str]] = [
    {},
    {"a.txt": "aurora", "b.txt": "linde", "c/d.txt": "vale"},
    {"a.txt": "aurora", "b.txt": "berg", "c/d.txt": "vale"},  # edited
    {"a.txt": "aurora", "moved.txt": "berg", "c/d.txt": "vale", "new.txt": "linde"},  # renamed
    {"moved.txt": "berg", "c/d.txt": "vale", "new.txt": "linde", "copy.txt": "linde"},  # removed
    {"a.txt": "aurora", "b.txt": "linde", "c/d.txt": "vale"},  # as at first
]


def write(folder: Path, state: dict[str, str]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, text in state.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(TEXTS[text])


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[set[str]]]:
    """A store that went through all states, and the names it held in each."""
    base = tmp_path_factory.mktemp("history")
    names: list[set[str]] = [set()]
    for state in STATES[1:]:
        write(base / "docs", state)
        index(IndexRequest(base / "s", (base / "docs",)), SETTINGS)
        with reading(base / "s") as db:
            rows = db.execute("SELECT name FROM entities WHERE kind = 'name'")
            names.append({row[0] for row in rows})
    return base / "s", names


def expected(old: dict[str, str], new: dict[str, str]) -> set[tuple[str, str]]:
    """(change, doc) by comparing two folders; a rename is a removal and an addition here."""
    docs = old.keys() | new.keys()
    kinds = {
        doc: "removed" if doc not in new else "added" if doc not in old else "changed"
        for doc in docs
        if old.get(doc) != new.get(doc)
    }
    return {(kind, doc) for doc, kind in kinds.items()}


def plain(found: list[dict[str, Any]]) -> set[tuple[str, str]]:
    """The documents of a diff with each rename as a removal and an addition."""
    out = set()
    for c in found:
        if c["change"] == "renamed":
            out |= {("removed", c["former"]), ("added", c["doc"])}
        elif "doc" in c:
            out.add((c["change"], c["doc"]))
    return out


def test_any_two_generations_are_compared(lived: tuple[Path, list[set[str]]]) -> None:
    """Forwards, backwards, over several, and from nothing: documents and names."""
    store, names = lived
    with open_snapshot(store) as snapshot:
        for a, b in product(range(len(STATES)), repeat=2):
            found = list(history.diff(snapshot, a, b))
            assert plain(found) == expected(STATES[a], STATES[b]), (a, b)
            gained = {c["entity"] for c in found if c["change"] == "gained"}
            lost = {c["entity"] for c in found if c["change"] == "lost"}
            assert (gained, lost) == (names[b] - names[a], names[a] - names[b]), (a, b)


def test_renames_and_chunks_by_hand(lived: tuple[Path, list[set[str]]]) -> None:
    """b.txt became moved.txt with the same content; new.txt came."""
    with open_snapshot(lived[0]) as snapshot:
        found = [c for c in history.diff(snapshot, 2, 3) if "doc" in c]
    short = [(c["change"], c["doc"], c["former"], c["former_chunks"], c["chunks"]) for c in found]
    assert short == [("renamed", "moved.txt", "b.txt", 1, 1), ("added", "new.txt", "", 0, 1)]


def test_what_is_not_there_is_refused(lived: tuple[Path, list[set[str]]]) -> None:
    """Generations beyond the current one, and below nothing."""
    with open_snapshot(lived[0]) as snapshot:
        assert history.interval(snapshot, None, None) == (4, 5)
        assert history.interval(snapshot, 2, None) == (2, 5)
        for old, new in ((0, 6), (-1, 2), (9, None)):
            with pytest.raises(InputError, match="no generation"):
                history.interval(snapshot, old, new)


def test_the_command_prints_it(lived: tuple[Path, list[set[str]]]) -> None:
    """A table for people, JSON Lines for programs."""
    run = CliRunner().invoke
    store = ["--store", str(lived[0])]
    lines = run(app, ["inspect", "diff", "1", "2", "--json", *store]).stdout.splitlines()
    assert json.loads(lines[0])["change"] == "changed" and json.loads(lines[0])["doc"] == "b.txt"
    text = run(app, ["inspect", "diff", "1", "2", *store]).stdout
    assert "generation 1 to 2" in text and "b.txt" in text and "Jon Berg" in text
