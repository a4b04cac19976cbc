"""Shards and their merge: one store, equal to one that was indexed at once."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from conftest import Run, remount
from numpy.typing import NDArray
from stops import Countdown, Stop, stopping, write_folder

from ragcli.config import Settings
from ragcli.errors import (
    InputError,
    RagcliError,
    StoreDamaged,
    StoreError,
    StoreLocked,
    StoreVersion,
)
from ragcli.indexing.index import index
from ragcli.indexing.merge import MergeRequest, merge
from ragcli.indexing.request import IndexRequest
from ragcli.maintaining.check import check, stale
from ragcli.models import model_set
from ragcli.models.model_set import ModelSet
from ragcli.search.vector_set import Vectors
from ragcli.store import derived
from ragcli.store.connection import create
from ragcli.store.digest import digest
from ragcli.store.listings import counts
from ragcli.store.lock import writer_lock
from ragcli.store.merging import OF_FILES, PARTS
from ragcli.store.rebuild import CACHES
from ragcli.store.snapshot import open_snapshot
from ragcli.types import IndexResult

SETTINGS = Settings(workers=1)
N = 3


def parts_of(store: Path) -> dict[str, str]:
    with open_snapshot(store) as snapshot:
        return digest(snapshot)


class Embedding:
    """Vectors by hash of the text, and the texts that were embedded."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def __call__(self, texts: Sequence[str], *_more: object) -> NDArray[np.float16]:
        self.texts += texts
        seeds = [int.from_bytes(sha256(t.encode()).digest()[:8]) for t in texts]
        rows = [np.random.default_rng(seed).standard_normal(384) for seed in seeds]
        return np.array([row / np.linalg.norm(row) for row in rows], np.float16).reshape(-1, 384)


@pytest.fixture(scope="module")
def embedding() -> Iterator[Embedding]:
    """In place of the model; nothing waits for the disk."""
    made = Embedding()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ModelSet, "embed", lambda _, texts, *more: made(texts, *more))
        patch.setattr(os, "fsync", lambda _: None)
        yield made


def write_documents(folder: Path) -> None:
    """Files in folders, a file of records with a bad one, a file that cannot be read."""
    write_folder(folder, 7, seed=1)
    write_folder(folder / "letters", 6, seed=2)
    (folder / "letters" / "front.md").write_text(
        "---\nauthor: Mara Linde\n---\n# One\n\nJon Berg of Port Vale.\n\n## Two\n\nIn Rome.\n"
    )
    records = [{"_id": f"r{n}", "text": f"Jon Berg posted letter {n} in Rome."} for n in range(9)]
    lines = [*map(json.dumps, records), "no record"]
    (folder / "records.jsonl").write_text("\n".join(lines))
    (folder / "broken.docx").write_bytes(b"PK\x03\x04 no document")
    (folder / "picture.bin").write_bytes(bytes(range(256)) * 9)
    for path in folder.rglob("*.*"):
        os.utime(path, ns=(10**18, 10**18))  # settled: an update need not read it again


def shard(store: Path, folder: Path, number: int, of: int = N, **more: object) -> IndexResult:
    request = IndexRequest(store, (folder,), shard=f"{number}/{of}", **more)  # type: ignore[arg-type]
    return index(request, SETTINGS)


class Made:
    """A folder, its shards, and a store of it that was indexed at once."""

    def __init__(self, base: Path, embedding: Embedding) -> None:
        self.docs, self.whole = base / "docs", base / "whole"
        self.shards = tuple(base / f"s{n}" for n in range(1, N + 1))
        write_documents(self.docs)
        self.whole_result = index(IndexRequest(self.whole, (self.docs,)), SETTINGS)
        before = len(embedding.texts)
        self.results = [shard(s, self.docs, n + 1) for n, s in enumerate(self.shards)]
        self.embedded = set(embedding.texts[before:])

    def merged(self, store: Path, **more: object) -> IndexResult:
        request = MergeRequest(self.shards, store, **more)  # type: ignore[arg-type]
        return merge(request, SETTINGS)


@pytest.fixture(scope="module")
def made(embedding: Embedding, tmp_path_factory: pytest.TempPathFactory) -> Made:
    return Made(tmp_path_factory.mktemp("merge"), embedding)


@pytest.fixture
def copied(made: Made, tmp_path: Path) -> tuple[Path, ...]:
    """Shards that a test may change."""
    out = []
    for number, store in enumerate(made.shards, start=1):
        shutil.copytree(store, tmp_path / f"c{number}")
        out.append(tmp_path / f"c{number}")
    return tuple(out)


def change(store: Path, sql: str, *values: object) -> None:
    with closing(sqlite3.connect(store / "store.sqlite")) as db:
        db.execute(sql, values)
        db.commit()


def rows_of(store: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(store / "store.sqlite")) as db:
        return db.execute(query).fetchall()


def test_the_merged_store_equals_one_indexed_at_once(
    made: Made, embedding: Embedding, tmp_path: Path
) -> None:
    """Every part of the digest, the vectors, the row numbers, the files; with a hierarchy, too."""
    assert sum(result.documents for result in made.results) == made.whole_result.documents == 23
    assert all(result.documents > 3 for result in made.results)
    before = len(embedding.texts)
    result = made.merged(tmp_path / "m", hierarchy=True)
    again = set(embedding.texts[before:])
    index(IndexRequest(made.whole, hierarchy=True), SETTINGS)
    expected = parts_of(made.whole)
    assert "hierarchy" in expected and parts_of(tmp_path / "m") == expected
    for query in (
        "SELECT id, doc, source, sha256 FROM documents ORDER BY id",
        "SELECT id, doc, chunk, start, vector FROM passages ORDER BY id",
        "SELECT * FROM files ORDER BY source",
        "SELECT doc, source, error FROM failures ORDER BY doc",
        "SELECT * FROM unread_files ORDER BY source",
        "SELECT * FROM failed_files ORDER BY source",
        "SELECT * FROM document_times ORDER BY docrow",
    ):
        assert rows_of(tmp_path / "m", query) == rows_of(made.whole, query), query
    one, other = (
        Vectors(derived.folders(store, generation, derived.VECTORS), "passages")
        for store, generation in ((tmp_path / "m", 1), (made.whole, 2))
    )
    assert np.array_equal(one.ids, other.ids)
    assert np.array_equal(one.of(one.ids), other.of(other.ids))
    # Only what the shards cannot know is embedded: summaries of folders, texts of the hierarchy,
    # and names without a description for it, of which shards have only codes.
    names = {name for (name,) in rows_of(tmp_path / "m", "SELECT name FROM entities")}
    assert again and again & made.embedded <= names
    with open_snapshot(tmp_path / "m") as snapshot:
        assert counts(snapshot)["shard"] == ""
    assert [part for part, found in check(tmp_path / "m", SETTINGS) if found] == []
    assert (result.added, result.generation, result.failed) == (23, 1, ())
    assert not (tmp_path / "m.merging").exists()


def test_a_merged_store_is_updated_like_any_other(made: Made, tmp_path: Path) -> None:
    """At once there is nothing to do; after changes it equals a fresh store."""
    docs, store = tmp_path / "docs", tmp_path / "m"
    shutil.copytree(made.docs, docs)
    made.merged(store, roots=(docs,))
    changes, _ = stale(IndexRequest(store), SETTINGS)
    assert {c["change"] for c in changes} == {"failed before"}
    result = index(IndexRequest(store), SETTINGS)
    assert (result.added, result.changed, result.removed, result.generation) == (0, 0, 0, 1)
    (docs / "doc1.md").unlink()
    (docs / "doc2.md").write_text("# New\n\nMara Linde left Genoa.\n")
    (docs / "records.jsonl").write_text('{"_id": "r3", "text": "Jon Berg keeps one letter."}\n')
    index(IndexRequest(store), SETTINGS)
    index(IndexRequest(tmp_path / "fresh", (docs,)), SETTINGS)
    assert parts_of(store) == parts_of(tmp_path / "fresh")


def test_shards_are_stores_that_keep_to_their_part(
    made: Made, copied: tuple[Path, ...], tmp_path: Path
) -> None:
    """Updated one by one after changes, also rebuilt; they tell what they are."""
    docs = tmp_path / "docs"
    shutil.copytree(made.docs, docs)
    (docs / "doc1.md").unlink()
    (docs / "more.md").write_text("# More\n\nAurora lies in Genoa.\n")
    (docs / "records.jsonl").write_text('{"_id": "r3", "text": "Jon Berg keeps one letter."}\n')
    parts = []
    for number, store in enumerate(copied, start=1):
        index(IndexRequest(store), SETTINGS)  # the folder has moved with its store
        rebuilt = index(IndexRequest(store, rebuild=True), SETTINGS)
        with open_snapshot(store) as snapshot:
            assert counts(snapshot)["shard"] == f"{number}/{N}"
        parts.append(rebuilt.documents)
    index(IndexRequest(tmp_path / "fresh", (docs,)), SETTINGS)
    merge(MergeRequest(copied, tmp_path / "m"), SETTINGS)
    assert parts_of(tmp_path / "m") == parts_of(tmp_path / "fresh")
    assert sum(parts) == 16 - 1


def test_recorded_findings_and_several_folders(
    embedding: Embedding, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Profiles come from findings in all shards; ids of a further folder begin with its name."""
    one, two = tmp_path / "one", tmp_path / "two"
    write_folder(one, 4, seed=3)
    write_folder(two, 4, seed=4)
    lines = [
        {
            "doc": doc,
            "entities": [
                {"name": "Mara Linde", "type": "person", "description": f"Writes letters in {doc}."}
            ],
            "relations": [],
        }
        for doc in ("doc0.md", "doc1.md", "doc2.md", "two/doc3.md")
    ]
    file = tmp_path / "found.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    whole = index(IndexRequest(tmp_path / "w", (one, two), extractions=file), SETTINGS)
    assert not whole.unmatched
    for n in (1, 2):
        request = IndexRequest(tmp_path / f"s{n}", (one, two), extractions=file, shard=f"{n}/2")
        index(request, SETTINGS)
    merge(MergeRequest((tmp_path / "s2", tmp_path / "s1"), tmp_path / "m"), SETTINGS)
    assert parts_of(tmp_path / "m") == parts_of(tmp_path / "w")
    assert rows_of(tmp_path / "m", "SELECT text FROM entity_profiles") != []


def test_copies_of_the_folder_on_other_machines(
    made: Made, copied: tuple[Path, ...], tmp_path: Path
) -> None:
    """With other places the folder must be named; a file of another time is read again."""
    here, there = tmp_path / "here" / "docs", tmp_path / "there" / "docs"
    shutil.copytree(made.docs, here)
    there.parent.mkdir()
    shutil.copytree(made.docs, there)
    os.utime(there / "records.jsonl", ns=(10**17, 10**17))
    for number, store in enumerate(copied, start=1):
        shutil.rmtree(store)
        shard(store, there if number == 2 else here, number)
    request = MergeRequest(copied, tmp_path / "m")
    with pytest.raises(InputError, match="different places"):
        merge(request, SETTINGS)
    merge(replace(request, roots=(here,)), SETTINGS)
    assert parts_of(tmp_path / "m")["all"] == parts_of(made.whole)["all"]
    again = rows_of(tmp_path / "m", "SELECT source FROM files WHERE mtime_ns = -1")
    assert again == [("records.jsonl",)]
    result = index(IndexRequest(tmp_path / "m"), SETTINGS)
    assert (result.changed, result.added, result.unchanged) == (0, 0, 23)


Spoil = Callable[[tuple[Path, ...], Path], tuple[Path, ...]]


def _unfinished(shards: tuple[Path, ...], docs: Path) -> tuple[Path, ...]:
    change(shards[0], "UPDATE documents SET died = 2 WHERE id = 1")
    return shards


def _other_mode(shards: tuple[Path, ...], docs: Path) -> tuple[Path, ...]:
    change(shards[1], "INSERT OR REPLACE INTO meta VALUES ('mode', 'light')")
    return shards


def _other_patterns(shards: tuple[Path, ...], docs: Path) -> tuple[Path, ...]:
    index(IndexRequest(shards[1], (docs,), exclude=("doc1.md",)), SETTINGS)
    return shards


def _other_number(shards: tuple[Path, ...], docs: Path) -> tuple[Path, ...]:
    shard(shards[0].with_name("of2"), docs, 1, of=2)
    return (shards[0].with_name("of2"), *shards[1:])


def _other_folders(shards: tuple[Path, ...], docs: Path) -> tuple[Path, ...]:
    index(IndexRequest(shards[1], (docs, docs / "letters")), SETTINGS)
    return shards


def _no_shard(shards: tuple[Path, ...], docs: Path) -> tuple[Path, ...]:
    change(shards[1], "DELETE FROM meta WHERE key = 'shard'")
    return shards


def _same_document(shards: tuple[Path, ...], docs: Path) -> tuple[Path, ...]:
    (doc,) = rows_of(shards[0], "SELECT doc, source FROM documents LIMIT 1")
    change(shards[1], "UPDATE documents SET doc = ?, source = ? WHERE id = 1", *doc)
    return shards


def _lost_vectors(shards: tuple[Path, ...], docs: Path) -> tuple[Path, ...]:
    for name in ("passages", "nodes"):  # the summary of a short document is its passage
        for file in (shards[2] / "vectors" / "segments").rglob(f"{name}.faiss"):
            file.unlink()
    return shards


WRONG: dict[str, tuple[Spoil, type[RagcliError], str]] = {
    "a shard is missing": (lambda s, _: s[:-1], InputError, "1 of 3 shards missing: 3"),
    "none": (lambda s, _: (), InputError, "no shard given"),
    "a shard twice": (lambda s, _: (*s, s[1]), InputError, "shard 2/3 is given 2 times"),
    "no store": (lambda s, _: (*s[:-1], s[0].with_name("x")), StoreError, "no store in"),
    "unfinished": (_unfinished, StoreError, "is not finished"),
    "another mode": (_other_mode, InputError, "different --mode"),
    "other patterns": (_other_patterns, InputError, "different --include and --exclude"),
    "another division": (_other_number, InputError, "is shard 1/2, .* is shard 2/3"),
    "other folders": (_other_folders, InputError, "have different folders"),
    "no shard": (_no_shard, InputError, "is not a shard"),
    "one document in two": (_same_document, InputError, "two of the shards have the document"),
    "lost vectors": (_lost_vectors, StoreDamaged, "lacks vectors"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_does_not_belong_together_is_refused(
    made: Made, copied: tuple[Path, ...], tmp_path: Path, wrong: str
) -> None:
    """With a reason, and without leaving anything behind."""
    spoil, kind, message = WRONG[wrong]
    request = MergeRequest(spoil(copied, made.docs), tmp_path / "m")
    with pytest.raises(kind, match=message):
        merge(request, SETTINGS)
    assert not (tmp_path / "m").exists() and not (tmp_path / "m.merging").exists()


def test_other_models_rules_and_settings_are_refused(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = MergeRequest(made.shards, tmp_path / "m")
    with pytest.raises(StoreVersion, match="chunking"):
        merge(request, replace(SETTINGS, chunk_size=300, chunk_overlap=50))
    monkeypatch.setattr(model_set, "RULES", "next")
    with pytest.raises(StoreVersion, match="extractor"):
        merge(request, SETTINGS)
    monkeypatch.undo()
    with pytest.raises(InputError, match="2 given"):
        merge(replace(request, roots=(made.docs, made.docs)), SETTINGS)
    assert not (tmp_path / "m").exists()


def test_a_place_that_is_taken_is_refused(made: Made, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="already contains a store"):
        merge(MergeRequest(made.shards, made.whole), SETTINGS)
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "note.txt").write_text("mine")
    with pytest.raises(InputError, match="not an empty folder"):
        made.merged(tmp_path / "m")
    (tmp_path / "m" / "note.txt").unlink()
    assert made.merged(tmp_path / "m").documents == 23


def test_two_merges_at_once(made: Made, tmp_path: Path) -> None:
    """The second is refused, and leaves alone what the first has made so far."""
    draft = tmp_path / "out.merging"
    draft.mkdir()
    with writer_lock(draft):
        (draft / "work").touch()
        with pytest.raises(StoreLocked):
            made.merged(tmp_path / "out")
        assert (draft / "work").exists()


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_a_merge_that_is_told_to_stop(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: type[BaseException]
) -> None:
    """Ctrl-C and SIGTERM leave no draft."""

    def stopped(*_: object) -> None:
        raise stop

    with monkeypatch.context() as patch:
        patch.setattr("ragcli.indexing.merge.copy_shards", stopped)
        with pytest.raises(stop):
            made.merged(tmp_path / "out")
    assert not [*tmp_path.iterdir()]
    made.merged(tmp_path / "out")
    with open_snapshot(tmp_path / "out") as snapshot, open_snapshot(made.whole) as whole:
        assert counts(snapshot)["documents"] == counts(whole)["documents"]


def test_a_shard_is_asked_for_what_it_can_be(made: Made, copied: tuple[Path, ...]) -> None:
    """It stays the part that it is, and has no hierarchy of its own."""
    with pytest.raises(InputError, match="is the shard 1/3, not 2/3"):
        shard(copied[0], made.docs, 2)
    with pytest.raises(InputError, match="documents of all shards"):
        shard(made.whole, made.docs, 2)
    with pytest.raises(InputError, match="has no hierarchy"):
        index(IndexRequest(copied[0], (made.docs,), hierarchy=True), SETTINGS)


def test_a_part_of_the_shards_can_be_merged_and_completed(made: Made, tmp_path: Path) -> None:
    """An update reads the documents of the missing shard from the folder."""
    store = tmp_path / "m"
    result = merge(MergeRequest(made.shards[:2], store, partial=True), SETTINGS)
    assert result.notes[0].startswith("1 of 3 shards missing: 3") and result.documents < 23
    result = index(IndexRequest(store), SETTINGS)
    assert result.added + result.unchanged == 23
    assert parts_of(store)["all"] == parts_of(made.whole)["all"]


def test_shards_of_a_changed_folder_are_merged_with_a_note(
    made: Made, copied: tuple[Path, ...], tmp_path: Path
) -> None:
    docs = tmp_path / "docs"
    shutil.copytree(made.docs, docs)
    for number, store in enumerate(copied, start=1):
        shutil.rmtree(store)
        (docs / "late.md").write_text("# Late\n\n" + number * "Mara Linde went to Rome. ")
        shard(store, docs, number)
    result = merge(MergeRequest(copied, tmp_path / "m"), SETTINGS)
    assert any("saw different files" in note for note in result.notes)
    assert not any("saw different files" in note for note in made.merged(tmp_path / "o").notes)


def test_a_stop_at_any_step_leaves_a_whole_store_or_none(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shards are never changed; the next merge clears away what was left."""
    before = [sha256((s / "store.sqlite").read_bytes()).digest() for s in made.shards]
    expected = parts_of(made.whole)["all"]
    at, stopped, stops = 1, True, 0
    while stopped:
        store = tmp_path / "m"
        stopped = False
        with stopping(Countdown(at), monkeypatch):
            try:
                made.merged(store)
            except Stop:
                stopped = True
        assert not stopped or not store.exists() or parts_of(store)["all"] == expected
        stops += stopped
        at += 29
    assert parts_of(store)["all"] == expected and stops > 5
    assert [sha256((s / "store.sqlite").read_bytes()).digest() for s in made.shards] == before


def test_a_full_disk_is_told_and_leaves_nothing(
    made: Made, tmp_path: Path, small_disk: Path
) -> None:
    """With room, the same merge succeeds."""
    store = small_disk / "m"
    remount(small_disk, "size=600k")
    with pytest.raises((StoreError, OSError), match="space"):
        made.merged(store)
    assert list(small_disk.iterdir()) == []
    remount(small_disk, "size=60m")
    made.merged(store)
    assert parts_of(store)["all"] == parts_of(made.whole)["all"]


def test_every_table_is_copied_or_made_by_the_commit(tmp_path: Path) -> None:
    """A new table must be named in ``store.merging``, or here if a commit makes it."""
    create(tmp_path / "s")
    names = {
        str(name)
        for (name,) in rows_of(
            tmp_path / "s", "SELECT name FROM sqlite_master WHERE type = 'table'"
        )
    }
    copied = {"documents", "chunks", "passages", "files", *PARTS, *OF_FILES, *CACHES}
    by_commit = {
        *("entities", "surfaces", "aliases", "relation_blocks"),
        *("chunk_entities", "passage_entities"),
        *("descriptions", "statements", "entity_profiles", "relation_profiles", "themes"),
        *("relation_themes", "history", "name_history"),
    }
    own = {"meta", "roots", "relative_roots", "migrations", "moves"}
    rest = names - copied - by_commit - own
    assert {n for n in rest if not n.startswith(("lexical", "hierarchy"))} == set()
    assert copied <= names


def test_the_commands(made: Made, tmp_path: Path, called: Run) -> None:
    """A missing shard is told with exit code 2; with all of them the counts are printed."""
    done = called("merge", made.shards[0], "--store", tmp_path / "m")
    assert done.returncode == 2 and "2 of 3 shards missing: 2, 3" in done.stderr
    assert "--partial" in done.stderr and not (tmp_path / "m").exists()
    done = called("index", made.docs, "--shard", "4/3", "--store", tmp_path / "x")
    assert done.returncode == 2 and "write I/N" in done.stderr
