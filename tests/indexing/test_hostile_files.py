"""A folder with files that are made to hurt: each is named, and the others are indexed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from ragcli.asking.unread import unread_note
from ragcli.config import Settings
from ragcli.corpus import read_pool
from ragcli.corpus.read_limits import ReadLimits
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.maintaining.check import stale
from ragcli.store.snapshot import open_snapshot
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import IndexResult

SETTINGS = Settings(workers=1, read_seconds=1)


def run(folder: Path, store: Path, settings: Settings = SETTINGS) -> IndexResult:
    return index(IndexRequest(store, (folder,)), settings)


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits on processes")
def test_a_file_that_takes_too_long_is_stopped_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is a failure by name; the next run does not spend the time again unless limits change."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "slow.html").write_text("<p>x" * 6_000_000)
    (folder / "a.txt").write_text("The ferry Aurora sails from Port Vale.")
    (folder / "z.html").write_text("<p>Mara Linde is the captain.")
    first = run(folder, tmp_path / "s")
    slow = ("slow.html", ReadLimits(seconds=1).too_slow)
    assert (first.added, first.failed) == (2, (slow,))
    monkeypatch.setattr(read_pool, "_process", lambda: pytest.fail("a process was started"))
    again = run(folder, tmp_path / "s")
    assert (again.unchanged, again.failed, again.failed_before) == (2, (), (slow,))
    changes, _ = stale(IndexRequest(tmp_path / "s"), SETTINGS)
    assert changes == [{"change": "failed before", "doc": "slow.html"}]
    monkeypatch.undo()
    (folder / "slow.html").write_text("<p>quick")
    mended = run(folder, tmp_path / "s")
    assert (mended.added, mended.failed, mended.failed_before) == (1, (), ())


def test_each_hostile_file_fails_alone(tmp_path: Path) -> None:
    """Damage, traps and giants beside a good document."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "good.md").write_text("# Aurora\n\nThe ferry sails.\n")
    (folder / "charset.html").write_bytes(b"<meta charset=undefined><p>caf\xe9")
    (folder / "number.html").write_text("<p>&#" + "9" * 5000)
    (folder / "damaged.docx").write_bytes(b"PK\x03\x04" + b"\xff" * 100)
    (folder / "damaged.pdf").write_bytes(b"%PDF-1.7\n" + b"\xff" * 100)
    for name in ("giant.txt", "giant.jsonl", "giant.html"):
        with (folder / name).open("wb") as file:
            file.write(b'{"text": "')
            file.truncate(1 << 40)
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / "pipe.txt")
    result = run(folder, tmp_path / "s", Settings(workers=1))
    assert result.added == 3
    failed = {doc for doc, _ in result.failed}
    skipped = {skip.id for skip in result.skipped}
    assert failed >= {"damaged.docx", "damaged.pdf", "giant.html", "giant.txt"}
    assert failed | skipped >= {"giant.jsonl"}
    assert run(folder, tmp_path / "s", Settings(workers=1)).unchanged == 3


def test_what_is_not_read_is_known(tmp_path: Path) -> None:
    """Files left out by the scan and by the reader, until they change; a question may name them."""
    folder, store = tmp_path / "docs", tmp_path / "s"
    folder.mkdir()
    (folder / "a.txt").write_text("The ferry Aurora sails from Port Vale.")
    (folder / "TariffReport.bin").write_bytes(bytes(range(256)))
    (folder / "broken.docx").write_bytes(b"PK\3\4")
    (folder / "gone").symlink_to("nowhere")
    run(folder, store)
    run(folder, store)  # what is not read again is still known
    with open_snapshot(store) as snapshot:
        unread = snapshot.documents.unread()
        note = unread_note(AskedQuestion("What does the report on tariffs say?"), snapshot)
        assert unread_note(AskedQuestion("Where does the ferry sail?"), snapshot) == ""
        assert (
            unread_note(AskedQuestion("Who signed a report for the ferry in May?"), snapshot) == ""
        )
    assert [path for path, _ in unread] == ["TariffReport.bin", "broken.docx", "gone"]
    assert note == "not read, though the name fits: TariffReport.bin (binary file)"
    (folder / "TariffReport.bin").write_text("A tariff is a price.")
    (folder / "gone").unlink()
    run(folder, store)
    with open_snapshot(store) as snapshot:
        assert [path for path, _ in snapshot.documents.unread()] == ["broken.docx"]
