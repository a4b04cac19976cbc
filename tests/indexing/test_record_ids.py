"""Records of JSON Lines files are cited by file and line, whatever their ids and suffixes hold."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from ragcli.asking.ask import ask_in
from ragcli.asking.opening import open_space
from ragcli.config import Settings
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.store.reading import reading
from ragcli.store.stats import tree

SETTINGS = Settings(workers=1, answer="extractive")


@pytest.mark.parametrize("name", ["r.jsonl", "R.JSONL", "Re#1.JsonL"])
def test_ids_with_hashes_make_no_folders(tmp_path: Path, name: str) -> None:
    """The tree has one folder for the file, and citations name the file and the line."""
    docs = tmp_path / "docs"
    docs.mkdir()
    records = {"x#1": "Ada Lovelace sailed to Genoa.", "b/c#d.jsonl#2": "Jon Berg lives in Rome."}
    lines = [orjson.dumps({"_id": i, "text": t}).decode() for i, t in records.items()]
    (docs / name).write_text("\n".join(lines))
    (docs / "other.txt").write_text("The harbour is closed in winter.")
    index(IndexRequest(tmp_path / "s", (docs,)), SETTINGS)
    with reading(tmp_path / "s") as db:
        folders = {n["doc"] for n in tree(db) if n["kind"] == "folder"}
    assert folders == {"", name}
    with open_space(tmp_path / "s", SETTINGS) as space:
        found = ask_in(space, "Where did Ada Lovelace sail?", SETTINGS)
    assert (found.reply.citations[0].path, found.reply.citations[0].line_start) == (name, 1)
