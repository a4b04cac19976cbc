"""index on real folders: what comes in, what stays, what it says when something is wrong."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest
from reading import reading
from searching import searching

from ragcli.config import Settings
from ragcli.enriching.chunk_reading import WaitingWork
from ragcli.errors import (
    InputError,
    StoreDamaged,
    StoreError,
    StoreLocked,
    StoreMissing,
    StoreVersion,
)
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.maintaining.check import check, stale
from ragcli.models import model_set
from ragcli.models.model_set import ModelSet
from ragcli.store.digest import digest
from ragcli.store.lock import writer_lock
from ragcli.store.snapshot import open_snapshot
from ragcli.types import IndexResult

SETTINGS = Settings(workers=1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three small documents in two folders."""
    made = tmp_path / "docs"
    (made / "sub").mkdir(parents=True)
    (made / "one.md").write_text("# Aurora\n\nThe ferry Aurora sails from Port Vale.\n")
    (made / "two.txt").write_text("Mara Linde is the captain of the Aurora. Linde lives in Rome.")
    (made / "sub" / "three.md").write_text("# Port Vale\n\nPort Vale has a harbour.\n")
    return made


def run(folder: Path, store: Path, **more: object) -> IndexResult:
    return index(IndexRequest(store, (folder,), **more), SETTINGS)  # type: ignore[arg-type]


def digest_of(store: Path) -> str:
    with open_snapshot(store) as snapshot:
        return digest(snapshot)["all"]


def fresh(folder: Path, tmp_path: Path) -> str:
    """The digest of a fresh index of the folder."""
    number = len(list(tmp_path.glob("fresh*")))
    store = tmp_path / f"fresh{number}"
    run(folder, store)
    return digest_of(store)


def test_a_folder_becomes_a_store(folder: Path, tmp_path: Path) -> None:
    """Every document is there with its text to the character."""
    result = run(folder, tmp_path / "s")
    assert (result.added, result.failed, result.documents) == (3, (), 3)
    with searching(tmp_path / "s", SETTINGS) as search:
        for path in folder.rglob("*.*"):
            doc = path.relative_to(folder).as_posix()
            text = path.read_text()
            assert search.snapshot.documents.text(doc, 0, len(text)) == text
            assert search.snapshot.documents.text(doc, 4, 9) == text[4:9]


def test_the_same_folder_again_changes_nothing(folder: Path, tmp_path: Path) -> None:
    """A second run finds all unchanged and makes no new generation."""
    first = run(folder, tmp_path / "s")
    again = run(folder, tmp_path / "s")
    assert again.unchanged == 3 and again.added == again.changed == 0
    assert again.generation == first.generation == 1


def test_changes_end_where_a_fresh_index_would(folder: Path, tmp_path: Path) -> None:
    """Edit, add, rename and delete, each followed by a comparison with a fresh store."""
    store = tmp_path / "s"
    run(folder, store)
    (folder / "one.md").write_text("# Aurora\n\nThe ferry Aurora now sails from Genoa.\n")
    (folder / "four.txt").write_text("Mara Linde met Jon Berg in Port Vale.")
    assert run(folder, store).changed == 1
    assert digest_of(store) == fresh(folder, tmp_path)
    (folder / "four.txt").rename(folder / "sub" / "5.txt")
    result = run(folder, store)
    assert (result.renamed, result.added, result.removed) == (1, 0, 0)
    assert digest_of(store) == fresh(folder, tmp_path)
    (folder / "two.txt").unlink()
    assert run(folder, store).removed == 1
    assert digest_of(store) == fresh(folder, tmp_path)
    for path in folder.rglob("*.*"):
        path.unlink()
    run(folder, store)
    assert digest_of(store) == fresh(folder, tmp_path)
    with reading(store) as db:
        assert not db.execute("SELECT count(*) FROM entities").fetchone()[0]
        assert not db.execute("SELECT count(*) FROM extractions").fetchone()[0]


def test_check_lists_changes_and_changes_nothing(folder: Path, tmp_path: Path) -> None:
    """stale() says what an update would do; the store stays as it is."""
    store = tmp_path / "s"
    run(folder, store)
    before = digest_of(store)
    assert stale(IndexRequest(store), SETTINGS) == ([], WaitingWork({}))
    (folder / "two.txt").unlink()
    (folder / "one.md").write_text("# New\n\nAll is new.\n")
    (folder / "six.txt").write_text("Six.")
    changes = [(c["change"], c["doc"]) for c in stale(IndexRequest(store), SETTINGS)[0]]
    assert changes == [("changed", "one.md"), ("added", "six.txt"), ("removed", "two.txt")]
    assert digest_of(store) == before


def test_bad_files_are_reported_and_the_rest_is_indexed(folder: Path, tmp_path: Path) -> None:
    """Empty files, binary junk, unknown formats and bad records beside good ones."""
    (folder / "empty.txt").write_text("")
    (folder / "junk.txt").write_bytes(bytes(range(256)) * 20)
    (folder / "scan.pdf").write_bytes(b"%PDF-1.4 nothing")
    (folder / "latin.txt").write_bytes(
        "Caf\xe9 M\xfcller liegt in K\xf6ln am Rhein.".encode("latin-1")
    )
    (folder / "r.jsonl").write_text('{"_id": "1", "title": "T", "text": "Good record."}\nbroken\n')
    result = run(folder, tmp_path / "s")
    assert result.added == 5
    assert [doc for doc, _ in result.failed] == ["r.jsonl:2", "scan.pdf"]
    reasons = {s.id: s.reason for s in result.skipped}
    assert reasons.keys() == {"empty.txt", "junk.txt"}
    assert "empty" in reasons["empty.txt"] and "binary" in reasons["junk.txt"]
    with searching(tmp_path / "s", SETTINGS) as search:
        assert search.snapshot.documents.text("latin.txt", 0, 11) == "Café Müller"


def test_an_unreadable_file_keeps_its_last_good_state(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that cannot be read any more is failed, its document still answers."""
    store = tmp_path / "s"
    run(folder, store)
    before = digest_of(store)
    (folder / "one.md").write_text("changed, but out of reach")
    opened = os.open

    def refuse(path: str, *args: int, **more: int) -> int:
        if str(path).endswith("one.md"):
            raise PermissionError(13, "Permission denied", path)
        return opened(path, *args, **more)

    monkeypatch.setattr(os, "open", refuse)
    result = run(folder, store)
    assert [doc for doc, _ in result.failed] == ["one.md"]
    assert "Permission denied" in result.failed[0][1]
    assert digest_of(store) == before
    monkeypatch.undo()
    assert run(folder, store).changed == 1
    assert digest_of(store) == fresh(folder, tmp_path)


def test_nothing_to_index_is_an_error(tmp_path: Path) -> None:
    """Neither a path nor a store: an error with no store left behind."""
    with pytest.raises(InputError):
        index(IndexRequest(tmp_path / "s"), SETTINGS)
    assert not (tmp_path / "s").exists()


def test_other_settings_are_refused_until_rebuilt(folder: Path, tmp_path: Path) -> None:
    """A store cut into other chunks is not mixed with; --rebuild starts anew."""
    store = tmp_path / "s"
    run(folder, store)
    other = Settings(workers=1, chunk_size=400, chunk_overlap=50)
    with pytest.raises(StoreVersion, match="chunking"):
        index(IndexRequest(store, (folder,)), other)
    assert index(IndexRequest(store, (folder,), rebuild=True), other).added == 3


def test_a_store_of_other_rules_says_what_to_do(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After an upgrade that reads documents in another way; not a riddle of digits."""
    store = tmp_path / "s"
    run(folder, store)
    monkeypatch.setattr(model_set, "RULES", "next")
    with pytest.raises(StoreVersion, match=r"reads documents in another way \(rules .*now next\)"):
        index(IndexRequest(store), SETTINGS)
    assert index(IndexRequest(store, rebuild=True), SETTINGS).added == 3


def test_a_second_writer_is_told_who_holds_the_lock(folder: Path, tmp_path: Path) -> None:
    """StoreLocked names the process; the store is as before."""
    store = tmp_path / "s"
    run(folder, store)
    with writer_lock(store), pytest.raises(StoreLocked, match="pid"):
        run(folder, store)


def test_a_damaged_derived_file_is_made_again(folder: Path, tmp_path: Path) -> None:
    """A question finds the damage, mends it and is answered."""
    store = tmp_path / "s"
    run(folder, store)
    (store / "derived" / "segments" / "1" / "arrays").write_bytes(b"junk")
    with searching(store, SETTINGS) as search:
        assert search.index.passage_graph.by_passage.of(search.index.passages.ids)[0].size
    found = dict(check(store, SETTINGS))
    assert not any(found.values())


def test_check_mends_silent_damage(folder: Path, tmp_path: Path) -> None:
    """A flipped byte that leaves the size as it was is found by checksum."""
    store = tmp_path / "s"
    run(folder, store)
    file = store / "derived" / "segments" / "1" / "arrays"
    raw = bytearray(file.read_bytes())
    raw[-64] ^= 255
    file.write_bytes(raw)
    assert "checksum" in dict(check(store, SETTINGS))["derived files"]
    assert not any(dict(check(store, SETTINGS)).values())


def test_text_that_stays_is_not_extracted_or_embedded_again(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rename embeds nothing but the summaries of the folders it leaves and enters."""
    store = tmp_path / "s"
    run(folder, store)
    (folder / "two.txt").rename(folder / "renamed.txt")

    embedded: list[str] = []
    real = ModelSet.embed

    def never(*_: object) -> None:
        raise AssertionError("the extractor was loaded")

    def watch(self: ModelSet, texts: list[str], *more: object) -> object:
        embedded.extend(texts)
        return real(self, texts, *more)  # type: ignore[arg-type]

    monkeypatch.setattr("ragcli.extract.pool.make_extractor", never)
    monkeypatch.setattr(ModelSet, "embed", watch)
    assert run(folder, store).renamed == 1
    with reading(store) as db:
        rows = db.execute("SELECT plain_text(text) FROM nodes WHERE kind = 'folder'")
        folders = {text for (text,) in rows}
    assert set(embedded) <= folders


def test_the_database_is_sound_after_all_that(folder: Path, tmp_path: Path) -> None:
    """No dangling rows after documents came and went."""
    store = tmp_path / "s"
    run(folder, store)
    (folder / "one.md").unlink()
    run(folder, store)
    db = sqlite3.connect(store / "store.sqlite")
    assert db.execute("PRAGMA foreign_key_check").fetchall() == []
    assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    db.close()


@pytest.mark.parametrize("rebuild", [False, True])
def test_a_mistyped_path_changes_nothing(folder: Path, tmp_path: Path, rebuild: bool) -> None:
    """It is neither remembered nor does it empty the store; without a store none is left behind."""
    store = tmp_path / "s"
    run(folder, store)
    before = digest_of(store)
    with pytest.raises(InputError, match="typo"):
        run(folder / "typo", store, rebuild=rebuild)
    assert digest_of(store) == before
    assert index(IndexRequest(store), SETTINGS).unchanged == 3
    with pytest.raises(InputError):
        run(folder / "typo", tmp_path / "none", rebuild=rebuild)
    assert not (tmp_path / "none").exists()


def test_a_record_that_moves_is_cited_on_its_new_line(folder: Path, tmp_path: Path) -> None:
    """Records exchanged in their file: unchanged but for the line, in a generation of its own."""
    store, file = tmp_path / "s", folder / "r.jsonl"
    lines = [f'{{"_id": "{i}", "text": "Record {i} of the ferry."}}\n' for i in range(3)]
    file.write_text("".join(lines))
    run(folder, store)
    file.write_text("".join(reversed(lines)))
    assert [c["change"] for c in stale(IndexRequest(store), SETTINGS)[0]] == ["moved", "moved"]
    result = run(folder, store)
    assert (result.changed, result.added, result.generation) == (0, 0, 2)
    with reading(store) as db:
        found = dict(
            db.execute(
                "SELECT d.doc, c.line_start FROM chunks c JOIN documents d ON d.id = c.doc"
                " WHERE d.source = 'r.jsonl'"
            )
        )
    assert found == {"r.jsonl#0": 3, "r.jsonl#1": 2, "r.jsonl#2": 1}
    assert digest_of(store) == fresh(folder, tmp_path)


def test_what_is_left_of_a_store_is_not_made_an_empty_one(folder: Path, tmp_path: Path) -> None:
    """An update of an emptied file would report success with everything lost."""
    store = tmp_path / "s"
    run(folder, store)
    (store / "store.sqlite").write_bytes(b"")
    with pytest.raises(StoreMissing, match="is empty"):
        index(IndexRequest(store), SETTINGS)
    assert run(folder, store).added == 3
    assert digest_of(store) == fresh(folder, tmp_path)
    with searching(store, SETTINGS) as search:
        assert search.index.passages.search(search.helpers.encode(["ferry"])[0], 3)


@pytest.mark.parametrize(
    ("key", "value", "error", "match"),
    [
        ("generation", "CAST(x'6162ff' AS TEXT)", StoreDamaged, "decode"),
        ("format", "'4x'", StoreVersion, "4x"),
    ],
)
def test_a_value_that_is_no_number_is_refused(
    folder: Path, tmp_path: Path, key: str, value: str, error: type[StoreError], match: str
) -> None:
    """The message says what to do and not the whole text."""
    store = tmp_path / "s"
    run(folder, store)
    db = sqlite3.connect(store / "store.sqlite")
    db.execute(f"UPDATE meta SET value = {value} WHERE key = ?", (key,))
    db.commit()
    db.close()
    with pytest.raises(error, match=match) as refused, reading(store):
        pass
    assert "--rebuild" in refused.value.hint and "ab" not in refused.value.message[-20:]


def test_an_update_of_a_path_looks_only_there(folder: Path, tmp_path: Path) -> None:
    """Changes elsewhere wait; after a whole update all is as in a fresh index."""
    store = tmp_path / "s"
    run(folder, store)
    (folder / "sub" / "three.md").write_text("# Port Vale\n\nPort Vale has two harbours.\n")
    (folder / "sub" / "four.md").write_text("Jon Berg sold the Aurora in Genoa.\n")
    (folder / "one.md").unlink()
    (folder / "five.md").write_text("Mara Linde bought a ferry.\n")
    request = IndexRequest(store, only=(folder / "sub",))
    assert [c["doc"] for c in stale(request, SETTINGS)[0]] == ["sub/four.md", "sub/three.md"]
    result = index(request, SETTINGS)
    assert (result.added, result.changed, result.removed) == (1, 1, 0)
    gone = index(IndexRequest(store, only=(folder / "one.md",)), SETTINGS)
    assert (gone.added, gone.changed, gone.removed) == (0, 0, 1)
    assert index(IndexRequest(store), SETTINGS).added == 1
    assert digest_of(store) == fresh(folder, tmp_path)
    with pytest.raises(InputError, match="not part of this store"):
        index(IndexRequest(store, only=(tmp_path / "elsewhere",)), SETTINGS)


def test_an_id_that_two_files_claim(tmp_path: Path) -> None:
    """A limited update sees that another file has the id, too, though that lies elsewhere."""
    first, second = tmp_path / "a" / "x", tmp_path / "b" / "x"
    for place in (first, second):
        place.mkdir(parents=True)
    (first / "one.md").write_text("Ann met Bob in Rome.")
    store = tmp_path / "s"
    index(IndexRequest(store, (tmp_path / "b", first / "one.md")), SETTINGS)
    (tmp_path / "b" / "one.md").write_text("Ann met Carl in Rome.")
    with pytest.raises(InputError, match=r"two files would have the id one\.md"):
        index(IndexRequest(store, only=(tmp_path / "b",)), SETTINGS)
