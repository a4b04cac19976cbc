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
from ragcli.maintaining.check import stale
from ragcli.store.snapshot import open_snapshot
from ragcli.text.asked_question import AskedQuestion

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
            search.index, AskedQuestion("Where did Ada Lovelace sail?"), SETTINGS, search.helpers
        ).answer
    assert (found.reply.citations[0].path, found.reply.citations[0].line_start) == (
        str(docs / name),
        1,
    )


def test_a_record_and_a_file_with_one_name_are_both_kept(tmp_path: Path) -> None:
    """Neither replaces the other, and an update finds nothing to do."""
    docs, store = tmp_path / "docs", tmp_path / "s"
    docs.mkdir()
    (docs / "a.jsonl").write_text('{"_id": "x.txt", "text": "Ada Lovelace sailed to Genoa."}')
    (docs / "a.jsonl#x.txt").write_text("Jon Berg lives in Rome.")
    assert index(IndexRequest(store, (docs,)), SETTINGS).added == 2
    assert stale(IndexRequest(store), SETTINGS)[0] == []
    with open_snapshot(store) as snapshot:
        documents = snapshot.documents
        texts = {documents.text(doc, 0, 99) for doc in documents.beginning_with("", 9)}
    assert texts == {"Ada Lovelace sailed to Genoa.", "Jon Berg lives in Rome."}
