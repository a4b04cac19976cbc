"""index --extractions: recorded lines reach the chunks they speak of, and stay with their text."""

from __future__ import annotations

import json
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from reading import reading

from ragcli.config import Settings
from ragcli.enriching.findings import carry_over
from ragcli.enriching.recorded_extractions import Matcher
from ragcli.errors import InputError
from ragcli.extract.codec import pack_findings, unpack_findings
from ragcli.extract.recorded import parse
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.store.connection import create, open_store
from ragcli.store.digest import digest
from ragcli.store.meta import set_meta
from ragcli.store.snapshot import open_snapshot
from ragcli.store.writer import StoreWriter
from ragcli.types import Findings, IndexResult

SETTINGS = Settings(workers=1, chunk_size=60, chunk_overlap=10, passage_size=40, passage_overlap=0)
ONE = "Mara Linde is the captain of the Aurora."
TWO = (
    "Jon Berg keeps the lighthouse of Port Vale. He has never left it. The lamp burns oil that the"
    " ferry brings on Mondays, and the stairs have ninety steps. In winter nobody comes for weeks."
    "\n\nMara Linde sails past on Tuesdays. She sounds the horn three times, and Jon Berg answers"
    " with the bell. They have never spoken. The chart of the bay hangs on the wall of his kitchen."
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One short document and one of several chunks."""
    made = tmp_path / "docs"
    made.mkdir()
    (made / "one.txt").write_text(ONE)
    (made / "two.txt").write_text(TWO)
    return made


def lines(path: Path, *records: dict[str, object]) -> Path:
    path.write_text("".join(json.dumps(r) + "\n" for r in records))
    return path


def run(folder: Path, store: Path, file: Path | None = None) -> IndexResult:
    return index(IndexRequest(store, (folder,), extractions=file), SETTINGS)


def found(store: Path) -> dict[str, list[tuple[str, ...] | None]]:
    """Document -> names of the entities found in each chunk, None where nobody was asked."""
    with reading(store) as db:
        rows = db.execute(
            "SELECT d.doc, plain_data(x.data) FROM chunks c JOIN documents d ON d.id = c.doc"
            " LEFT JOIN extractions x ON x.hash = c.findings WHERE d.died IS NULL"
            " ORDER BY d.doc, c.ordinal"
        ).fetchall()
    out: dict[str, list[tuple[str, ...] | None]] = {}
    for doc, data in rows:
        names = None if data is None else tuple(e.name for e in unpack_findings(data).entities)
        out.setdefault(doc, []).append(names)
    return out


def test_matched_by_text_and_shared_out(folder: Path, tmp_path: Path) -> None:
    """A line on a whole document, known by its text alone, goes to the chunks that bear it out."""
    people = [{"name": "Mara Linde"}, {"name": "Jon Berg"}]
    file = lines(
        tmp_path / "x.jsonl",
        {"text": f"  {ONE}\n", "entities": people[:1]},
        {"text": TWO.replace("\n\n", " "), "entities": [*people, {"name": "lighthouse"}]},
    )
    result = run(folder, tmp_path / "s", file)
    assert result.unmatched == ()
    names = found(tmp_path / "s")
    assert names["one.txt"] == [("Mara Linde",)]
    assert len(names["two.txt"]) > 1
    assert names["two.txt"][0] == ("Jon Berg", "lighthouse")
    last = names["two.txt"][-1] or ()
    assert "Mara Linde" in last and "lighthouse" not in last


def test_matched_by_document_and_offsets(folder: Path, tmp_path: Path) -> None:
    """Other tools cut otherwise: their stretch may be any, by offsets or by its text."""
    at = TWO.index("Mara")
    run(folder, tmp_path / "s")
    file = lines(
        tmp_path / "x.jsonl",
        {"doc": "two.txt", "start": at, "end": at + 30, "entities": [{"name": "Mara Linde"}]},
        {"doc": "two.txt", "text": TWO[5:30], "entities": [{"name": "Berg"}]},
    )
    result = run(folder, tmp_path / "s", file)
    assert result.unmatched == () and result.unchanged == 2 and result.generation == 2
    names = found(tmp_path / "s")["two.txt"]
    assert names[0] == ("Berg",) and names[-1] == ("Mara Linde",)


def test_lines_that_belong_nowhere_are_reported(folder: Path, tmp_path: Path) -> None:
    """Each with its number and the reason; the others still count."""
    file = lines(
        tmp_path / "x.jsonl",
        {"text": "Of another book.", "entities": [{"name": "book"}]},
        {"doc": "three.txt", "entities": [{"name": "Three"}]},
        {"doc": "one.txt", "text_sha256": "0" * 64, "entities": [{"name": "Old"}]},
        {"doc": "one.txt", "start": 5, "end": 5000, "entities": [{"name": "Far"}]},
        {"doc": "one.txt", "text": "Not there.", "entities": [{"name": "Not"}]},
        {"doc": "one.txt", "entities": [{"name": "Aurora"}]},
    )
    result = run(folder, tmp_path / "s", file)
    assert [line for line, _ in result.unmatched] == [1, 2, 3, 4, 5]
    assert "three.txt" in result.unmatched[1][1]
    assert found(tmp_path / "s")["one.txt"] == [("Aurora",)]


def test_findings_stay_with_their_text(folder: Path, tmp_path: Path) -> None:
    """A rename and an edit elsewhere keep them; text that changed has none."""
    file = lines(
        tmp_path / "x.jsonl",
        {"text": ONE, "entities": [{"name": "Aurora"}]},
        {"text": TWO, "entities": [{"name": "Jon Berg"}]},
    )
    store = tmp_path / "s"
    run(folder, store, file)
    before = found(store)
    (folder / "one.txt").rename(folder / "three.txt")
    (folder / "two.txt").write_text(TWO.replace("on Tuesdays", "every other Tuesday"))
    run(folder, store)
    after = found(store)
    assert after["three.txt"] == before["one.txt"]
    assert after["two.txt"][0] == before["two.txt"][0] and after["two.txt"][-1] is None
    for path in folder.iterdir():
        path.unlink()
    run(folder, store)
    with reading(store) as db:
        assert db.execute("SELECT count(*) FROM chunks").fetchone()[0] == 0


def test_what_is_bound_to_a_document_stays_there(folder: Path, tmp_path: Path) -> None:
    """Equal text elsewhere gets what is said of the text, not what is said of the document.

    After each change the store has what a fresh one with the same file would have.
    """
    file = lines(
        tmp_path / "x.jsonl",
        {"doc": "two.txt", "start": 0, "end": 10, "entities": [{"name": "Jon Berg"}]},
        {"text": ONE, "entities": [{"name": "Mara Linde"}]},
    )
    store = tmp_path / "s"
    run(folder, store, file)
    (folder / "copy1.txt").write_text(ONE)
    (folder / "copy2.txt").write_text(TWO)
    run(folder, store)
    for change in ("on Tuesdays", "the horn three times", "the bell"):
        after = found(store)
        assert after["copy1.txt"] == after["one.txt"] == [("Mara Linde",)]
        assert after["two.txt"][0] == ("Jon Berg",) and set(after["copy2.txt"]) == {None}
        fresh = tmp_path / change
        run(folder, fresh, file)
        assert found(fresh) == after
        (folder / "two.txt").write_text((folder / "two.txt").read_text().replace(change, "now"))
        run(folder, store)


def test_a_rebuild_keeps_what_still_has_its_text(folder: Path, tmp_path: Path) -> None:
    """In its place, and not elsewhere if it was bound to a place; what is lost is counted."""
    (folder / "copy.txt").write_text(TWO)
    file = lines(
        tmp_path / "x.jsonl",
        {"doc": "two.txt", "start": 0, "end": 10, "entities": [{"name": "Jon Berg"}]},
        {"text": ONE, "entities": [{"name": "Mara Linde"}]},
    )
    store = tmp_path / "s"
    run(folder, store, file)
    before = found(store)
    assert before["one.txt"] == [("Mara Linde",)] and before["two.txt"][0] == ("Jon Berg",)
    with open_snapshot(store) as snapshot:
        whole = digest(snapshot)
    (folder / "one.txt").rename(folder / "new.txt")
    again = index(IndexRequest(store, rebuild=True), SETTINGS)
    assert found(store) == {
        "copy.txt": before["copy.txt"],
        "new.txt": before["one.txt"],
        "two.txt": before["two.txt"],
    }
    assert not again.notes and set(before["copy.txt"]) == {None}
    (folder / "new.txt").rename(folder / "one.txt")
    index(IndexRequest(store, rebuild=True), SETTINGS)
    with open_snapshot(store) as snapshot:
        assert digest(snapshot) == whole
    larger = replace(SETTINGS, chunk_size=200)
    again = index(IndexRequest(store, rebuild=True), larger)
    assert found(store) == {
        "copy.txt": [None], "one.txt": [("Mara Linde",)], "two.txt": [None]
    }  # fmt: skip
    assert len(again.notes) == 1 and again.notes[0].startswith("1 chunks with recorded")


def test_a_rebuild_tells_that_the_former_store_cannot_be_read(folder: Path, tmp_path: Path) -> None:
    """Its recorded extractions are lost, and nobody could know otherwise."""
    store = tmp_path / "s"
    file = lines(tmp_path / "x.jsonl", {"text": ONE, "entities": [{"name": "Mara Linde"}]})
    run(folder, store, file)
    with closing(open_store(store, readonly=False)) as db:
        db.execute("ALTER TABLE chunks RENAME COLUMN findings TO lost")
    again = index(IndexRequest(store, rebuild=True), SETTINGS)
    assert found(store)["one.txt"] == [None]
    assert len(again.notes) == 1 and "former store cannot be read" in again.notes[0]


def test_many_equal_chunks_are_carried_over_at_once(tmp_path: Path) -> None:
    """Four thousand notes of the same words: their findings come in a moment, not in minutes."""
    create(tmp_path)
    with closing(open_store(tmp_path, readonly=False)) as db:
        rows = [(n, f"{n:05}.md", 1 if n < 4000 else 2) for n in range(8000)]
        db.executemany(
            "INSERT INTO documents (id, doc, source, sha256, title, size, born, created_at,"
            " updated_at) VALUES (?, ?, '', '', '', 1, ?, '', '')",
            rows,
        )
        db.execute("INSERT INTO extractions VALUES (x'00', ?)", (pack_findings(Findings()),))
        db.executemany(
            'INSERT INTO chunks (doc, ordinal, start, "end", owned, line_start, line_end, heading,'
            " text, tokens, extraction, findings) VALUES (?, 0, 0, 1, 0, 1, 1, '', 'x', 1, x'00',"
            " ?)",
            [(n, b"\0" if born == 1 else None) for n, _, born in rows],
        )
        set_meta(db, "generation", "1")
        began = time.process_time()
        carry_over(StoreWriter(db, tmp_path))
        assert time.process_time() - began < 1
        assert not db.execute("SELECT 1 FROM chunks WHERE findings IS NULL").fetchone()


def test_a_missing_or_broken_file_changes_nothing(folder: Path, tmp_path: Path) -> None:
    """It is refused before anything reaches the readers."""
    with pytest.raises(InputError, match="No such file"):
        run(folder, tmp_path / "s", tmp_path / "none.jsonl")
    assert not (tmp_path / "s").exists()
    (tmp_path / "bad.jsonl").write_text('{"doc": "one.txt"}\nbroken\n')
    with pytest.raises(InputError, match="line 2"):
        run(folder, tmp_path / "s", tmp_path / "bad.jsonl")


def test_a_long_document_is_not_read_again_for_every_line(folder: Path, tmp_path: Path) -> None:
    """Lines of one document, one after another, by offsets or by hash: its chunks are read once."""
    run(folder, tmp_path / "s")
    with reading(tmp_path / "s") as db:
        matcher = Matcher(StoreWriter(db, tmp_path / "s"))
        records = list(parse(json.dumps({"doc": "two.txt", "start": n, "end": n + 5}).encode()
                             for n in range(50)))  # fmt: skip
        asked: list[str] = []
        db.set_trace_callback(asked.append)
        places = [matcher.find(record) for record in records]
    assert all(parts for found_ in places for parts in found_)
    assert len(asked) <= 1
