"""Records of JSON Lines files are cited by file and line, whatever their ids and suffixes hold."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest
from searching import searching

from ragcli.asking.ask import ask_in
from ragcli.config import Settings
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.store.snapshot import open_snapshot

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
    with open_snapshot(tmp_path / "s") as snapshot:
        folders = {node.doc for node in snapshot.nodes.listing() if node.kind == "folder"}
    assert folders == {"", name}
    with searching(tmp_path / "s", SETTINGS) as search:
        found = ask_in(
            search.index, "Where did Ada Lovelace sail?", SETTINGS, search.helpers
        ).answer
    assert (found.reply.citations[0].path, found.reply.citations[0].line_start) == (
        str(docs / name),
        1,
    )
