"""What the user says about folders, and where it is given."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from conftest import Run

import ragcli
from ragcli.asking.folder_notes import FILE, LONGEST, FolderNote, note_of, text_of
from ragcli.config import Settings
from ragcli.serve import brief
from ragcli.serve.call import Call
from ragcli.serve.served import Served
from ragcli.serve.tools import Tools


def test_the_nearest_folder_counts(tmp_path: Path) -> None:
    """Up to the root of the store and no further; a folder is named as ids name it."""
    docs = tmp_path / "docs"
    (docs / "board" / "2024").mkdir(parents=True)
    file = docs / "board" / "2024" / "may.md"
    (tmp_path / FILE).write_text("outside")
    roots = [str(docs)]
    assert note_of("board/2024/may.md", file, roots) is None
    (docs / FILE).write_text("everything")
    assert note_of("board/2024/may.md", file, roots) == FolderNote(".", "everything")
    (docs / "board" / FILE).write_text("Minutes,\n the newest  is binding\n")
    expected = FolderNote("board", "Minutes, the newest is binding")
    assert note_of("board/2024/may.md", file, roots) == expected
    # a second root has its name in front of ids; nothing above it is read
    assert note_of("board/may.md", docs / "board" / "may.md", [str(docs / "board")]) == expected
    (docs / "board" / FILE).unlink()
    assert note_of("board/may.md", docs / "board" / "may.md", [str(docs / "board")]) is None


@pytest.mark.skipif(os.name == "nt", reason="links need rights")
def test_a_note_shows_no_other_file(tmp_path: Path) -> None:
    """A link is none, and a long or odd file is cut and decoded."""
    (tmp_path / "secret").write_text("the key")
    (tmp_path / FILE).symlink_to(tmp_path / "secret")
    assert text_of(tmp_path) == ""
    (tmp_path / FILE).unlink()
    (tmp_path / FILE).write_bytes(b"\xff" * 10_000)
    assert len(text_of(tmp_path)) == LONGEST


def test_it_is_given_with_what_is_found(tmp_path: Path, quick: object) -> None:
    """To assistants with search and ask, each folder once; ranks stay as they are."""
    docs, store = tmp_path / "docs", tmp_path / "store"
    for folder in ("board", "other"):
        (docs / folder).mkdir(parents=True)
        for name in "ab":
            (docs / folder / f"{name}.md").write_text(f"The pump {name} of the {folder} leaks.")
    ragcli.index(docs, store, settings=Settings(workers=1))
    with ragcli.Store.open(store) as opened:
        before = opened.search("pump leaks")
    (docs / "board" / FILE).write_text("Minutes of the board")
    with ragcli.Store.open(store) as opened:
        assert opened.search("pump leaks") == before
        assert opened.note_on("board/a.md") == FolderNote("board", "Minutes of the board")
        assert opened.note_on("other/a.md") is None
    assert ragcli.update(store, settings=Settings(workers=1)).added == 0
    tools = {tool.name: tool for tool in Tools(Served([store]), Settings()).all()}
    wanted = [{"folder": "board", "about": "Minutes of the board"}]
    found = tools["search"].run(Call(), query="pump leaks")
    assert found["folders"] == wanted
    assert json.loads(brief.search(found))["folders"] == wanted


def test_the_command_line(tmp_path: Path, called: Run) -> None:
    """It is written, shown, given with passages, and deleted."""
    docs, store = tmp_path / "docs", tmp_path / "store"
    for folder in ("letters", "other"):
        (docs / folder).mkdir(parents=True)
        (docs / folder / "a.txt").write_text(f"The resin letter of the {folder}.")
    assert called("index", docs, "--store", store).returncode == 0
    said = "Letters to the cooperative"
    assert called("describe", docs / "letters").returncode == 1
    assert called("describe", docs / "letters", *said.split()).returncode == 0
    assert called("describe", docs / "letters").stdout == f"{said}\n"
    found = called("search", "resin letter", "--json", "--store", store).stdout.splitlines()
    about = {hit["doc"].partition("/")[0]: hit["about"] for hit in map(json.loads, found)}
    assert about.pop("letters") == said and set(about.values()) == {""}
    assert called("describe", docs / "letters", "--remove").returncode == 0
    assert not (docs / "letters" / FILE).exists()
    assert called("describe", docs / "nowhere", "x").returncode == 2
