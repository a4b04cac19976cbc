"""index --rebuild builds beside the old store; whatever goes wrong, the old one stands whole."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from conftest import Run, remount
from numpy.typing import NDArray
from reading import reading
from scripted import Scripted
from searching import searching
from stops import Countdown, Stop, stopping, write_folder

from ragcli.config import Settings
from ragcli.enriching import chunk_reading
from ragcli.errors import InputError, ModelError, RagcliError, StoreLocked, StoreVersion
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.models.model_set import ModelSet
from ragcli.search import derive
from ragcli.search.kept_vectors import carry_vectors
from ragcli.search.vector_set import VectorLayer, Vectors
from ragcli.store import derived, history
from ragcli.store.content_keys import text_hash
from ragcli.store.digest import digest
from ragcli.store.meta import generation, get_meta
from ragcli.store.rebuild import DRAFTS
from ragcli.store.snapshot import open_snapshot
from ragcli.store.writer import StoreWriter, open_writer

SETTINGS = Settings(workers=1)
OTHER = Settings(workers=1, chunk_size=300, chunk_overlap=50)


def digest_of(store: Path) -> str:
    with open_snapshot(store) as snapshot:
        return digest(snapshot)["all"]


def files_of(store: Path) -> set[str]:
    return {path.name for path in store.iterdir()}


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    write_folder(folder, 3, seed=1)
    return folder


Mistake = Callable[[Path], tuple[IndexRequest, Settings]]

MISTAKES: dict[str, Mistake] = {
    "mode": lambda p: (IndexRequest(p / "s", (p / "docs",), mode="lite"), SETTINGS),
    "language model": lambda p: (
        IndexRequest(p / "s", (p / "docs",), mode="auto"),
        Settings(workers=1, llm="typo.gguf"),
    ),
    "no model at all": lambda p: (
        IndexRequest(p / "s", (p / "docs",), mode="hybrid"),
        Settings(workers=1, llm=str(p / "docs" / "doc0.md")),
    ),
    "writer": lambda p: (IndexRequest(p / "s", (p / "docs",), hierarchy_by="human"), SETTINGS),
    "sizes": lambda p: (IndexRequest(p / "s", (p / "docs",)), Settings(chunk_overlap=900)),
    "embedder": lambda p: (IndexRequest(p / "s", (p / "docs",)), Settings(embedder=str(p))),
    "spacy": lambda p: (IndexRequest(p / "s", (p / "docs",)), Settings(spacy="typo")),
    "path": lambda p: (IndexRequest(p / "s", (p / "docs", p / "typo")), SETTINGS),
    "pattern": lambda p: (IndexRequest(p / "s", (p / "docs",), include=("!",)), SETTINGS),
    "no recorded extractions": lambda p: (
        IndexRequest(p / "s", (p / "docs",), extractions=p / "typo.jsonl"),
        SETTINGS,
    ),
    "format of recorded extractions": lambda p: (
        IndexRequest(p / "s", (p / "docs",), extractions=p / "docs" / "doc0.md"),
        SETTINGS,
    ),
    "two files of one id": lambda p: (
        IndexRequest(p / "s", (p / "docs", p / "a" / "x", p / "b" / "x")),
        SETTINGS,
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_costs_nothing(docs: Path, tmp_path: Path, mistake: str) -> None:
    """With --rebuild the old store stands as it was; without a store none is left behind."""
    for place in ("a", "b"):
        (tmp_path / place / "x").mkdir(parents=True)
        (tmp_path / place / "x" / "1.txt").write_text("The same id twice.")
    request, settings = MISTAKES[mistake](tmp_path)
    with pytest.raises(RagcliError):
        index(request, settings)
    assert not request.store.exists()
    index(IndexRequest(request.store, (docs,)), SETTINGS)
    before, files = digest_of(request.store), files_of(request.store)
    changed = IndexRequest(
        **{name: getattr(request, name) for name in request.__slots__} | {"rebuild": True}
    )
    with pytest.raises(RagcliError):
        index(changed, settings)
    assert digest_of(request.store) == before and files_of(request.store) == files


def test_wrong_sizes_are_told_with_file_and_line(docs: Path, tmp_path: Path, called: Run) -> None:
    """Before anything is made."""
    (tmp_path / "ragcli.toml").write_text("top_k = 5\nchunk_overlap = 900\n")
    done = called("index", docs, cwd=tmp_path)
    assert done.returncode == 2 and "ragcli.toml, line 2: chunk_overlap" in done.stderr
    assert not (tmp_path / ".ragcli").exists()


def test_a_failure_in_the_middle_of_a_first_run(
    docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pipeline that turns out broken when it is loaded leaves no empty store behind."""

    def broken(*_: object) -> None:
        raise ModelError("the pipeline is broken")

    monkeypatch.setattr("ragcli.extract.pool.make_extractor", broken)
    with pytest.raises(ModelError):
        index(IndexRequest(tmp_path / "s", (docs,)), SETTINGS)
    assert not (tmp_path / "s").exists()


def test_readers_go_on_during_a_rebuild_and_after(
    docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it runs the old state is read; a reader from before keeps it after the swap."""
    store = tmp_path / "s"
    index(IndexRequest(store, (docs,)), SETTINGS)
    before = digest_of(store)
    write_folder(docs, 4, seed=2)
    paused, go_on = threading.Event(), threading.Event()
    real = ModelSet.embed

    def pause(self: ModelSet, texts: Sequence[str], *more: object) -> object:
        paused.set()
        assert go_on.wait(60)
        return real(self, texts, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(ModelSet, "embed", pause)
    done: list[object] = []
    request = IndexRequest(store, (docs,), rebuild=True)
    run = threading.Thread(target=lambda: done.append(index(request, SETTINGS)))
    run.start()
    assert paused.wait(60)
    with searching(store, SETTINGS) as search:
        search.index.hold()
        text = search.snapshot.documents.text("doc0.md", 0, 400)
        assert digest_of(store) == before
        with pytest.raises(StoreLocked):
            index(IndexRequest(store), SETTINGS)
        with pytest.raises(StoreLocked):
            index(IndexRequest(store, rebuild=True), SETTINGS)
        go_on.set()
        run.join()
        assert done and digest_of(store) != before
        assert search.snapshot.documents.text("doc0.md", 0, 400) == text
        assert digest(search.snapshot)["all"] == before
        assert search.index.passages.search(search.helpers.encode(["Rome"])[0], 3)
    index(IndexRequest(tmp_path / "fresh", (docs,)), SETTINGS)
    assert digest_of(store) == digest_of(tmp_path / "fresh")
    assert not (store / DRAFTS).exists()


def rebuilt(
    folder: Path, store: Path, at: int, patch: pytest.MonkeyPatch, files: bool = False
) -> bool:
    """Rebuild the store, to be stopped at step ``at``; whether it came so far."""
    with stopping(Countdown(at, files), patch):
        try:
            index(IndexRequest(store, (folder,), rebuild=True), OTHER)
        except Stop:
            return True
    return False


@pytest.mark.parametrize("files", [False, True])
def test_a_stop_before_any_write_leaves_the_old_store_whole(
    docs: Path, tmp_path: Path, quick: pytest.MonkeyPatch, files: bool
) -> None:
    """The old store or the new one, never a mix; the next run clears what was left."""
    store = tmp_path / "s"
    index(IndexRequest(store, (docs,)), SETTINGS)
    before = digest_of(store)
    (docs / "doc0.md").write_text("# Changed\n\nMara Linde met Jon Berg in Genoa.\n")
    (docs / "doc1.md").unlink()
    index(IndexRequest(tmp_path / "fresh", (docs,)), OTHER)
    after = digest_of(tmp_path / "fresh")
    index(IndexRequest(tmp_path / "updated", (docs,)), SETTINGS)
    updated = digest_of(tmp_path / "updated")
    at, stopped, swapped = 0, True, 0
    while stopped:
        at += 1
        copy = tmp_path / f"copy{at}"
        shutil.copytree(store, copy)
        stopped = rebuilt(docs, copy, at, quick, files)
        with searching(copy, SETTINGS) as search:
            assert not derive.problem(copy, search.snapshot.generation, thorough=True)
        found = digest_of(copy)
        assert found in (before, after), f"a mix after a stop at step {at}"
        if found == before and at % 5 == 1:
            # Two ways on: an update of the old store, or the rebuild again.
            other = tmp_path / f"other{at}"
            shutil.copytree(copy, other)
            index(IndexRequest(other, (docs,)), SETTINGS)
            assert digest_of(other) == updated and not (other / DRAFTS).exists()
            shutil.rmtree(other)
        swapped += found == after
        index(IndexRequest(copy, rebuild=True), OTHER)
        assert digest_of(copy) == after and not (copy / DRAFTS).exists()
        with reading(copy) as db:
            assert not derive.problem(copy, generation(db), thorough=True)
        shutil.rmtree(copy)
    assert at > (12 if files else 60) and swapped, "the harness no longer sees the writes"


def test_kill_9_during_rebuilds(tmp_path: Path) -> None:
    """A whole process killed at random moments: the old store answers, and the end is right."""
    folder, store = tmp_path / "docs", tmp_path / "store"
    write_folder(folder, 60, seed=2)
    ragcli = [sys.executable, "-m", "ragcli"]
    command = [*ragcli, "index", str(folder), "--workers", "1", "-q", "--store"]
    subprocess.run([*command, str(store)], check=True, capture_output=True)
    old = digest_of(store)
    env = {**os.environ, "RAGCLI_CHUNK_SIZE": "300", "RAGCLI_CHUNK_OVERLAP": "50"}
    subprocess.run([*command, str(tmp_path / "new")], check=True, capture_output=True, env=env)
    new = digest_of(tmp_path / "new")
    rng = random.Random(5)
    began, ended = time.monotonic(), 0
    while ended < 2 and time.monotonic() - began < 40:
        process = subprocess.Popen(
            [*command, str(store), "--rebuild"],
            env=env,
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        )
        try:
            process.wait(timeout=rng.uniform(0.5, 6.0))
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL)
        _, errors = process.communicate()
        # A process that was being started when its parent was killed says so.
        assert process.returncode < 0 or b"Traceback" not in errors, errors
        assert digest_of(store) in (old, new)
        ended += process.returncode == 0
    subprocess.run([*command, str(store), "--rebuild"], check=True, env=env, capture_output=True)
    assert digest_of(store) == new and not (store / DRAFTS).exists()


def test_ctrl_c_during_a_rebuild(tmp_path: Path) -> None:
    """It says so, with the exit code of shells, and the old store is as it was."""
    folder, store = tmp_path / "docs", tmp_path / "s"
    write_folder(folder, 300, seed=4)
    index(IndexRequest(store, (folder,)), SETTINGS)
    before = digest_of(store)
    command = [sys.executable, "-m", "ragcli", "index", "--rebuild", "--store", str(store)]
    env = {**os.environ, "RAGCLI_CHUNK_SIZE": "300", "RAGCLI_CHUNK_OVERLAP": "50"}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, start_new_session=True
    )
    while process.poll() is None and not (store / DRAFTS / "1" / "store.sqlite").exists():
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode in (130, -signal.SIGINT) and b"Traceback" not in errors, errors
    assert digest_of(store) == before
    assert index(IndexRequest(store), SETTINGS).unchanged == 300
    assert not (store / DRAFTS).exists()


def test_a_full_disk_during_a_rebuild(tmp_path: Path, small_disk: Path) -> None:
    """It is told, the old store stands, and with room again the rebuild comes to its end."""
    folder, store = tmp_path / "docs", small_disk / "store"
    write_folder(folder, 60, seed=5)
    remount(small_disk, "size=60m")
    index(IndexRequest(store, (folder,)), SETTINGS)
    before = digest_of(store)
    used = shutil.disk_usage(small_disk).used
    for room in (200_000, 1_000_000, 2_000_000):
        remount(small_disk, f"size={used + room}")
        command = [sys.executable, "-m", "ragcli", "index", "--rebuild", "--store", str(store)]
        full = subprocess.run(command, capture_output=True, text=True)
        assert full.returncode == 2 and "Traceback" not in full.stderr, full.stderr
        assert "space" in full.stderr
        assert digest_of(store) == before
        remount(small_disk, "size=60m")
    index(IndexRequest(store, rebuild=True), SETTINGS)
    assert digest_of(store) == before and not (store / DRAFTS).exists()


def test_a_store_that_is_no_database_can_be_built_anew(docs: Path, tmp_path: Path) -> None:
    """Its folders are not known any more: they must be named."""
    store = tmp_path / "s"
    index(IndexRequest(store, (docs,)), SETTINGS)
    before = digest_of(store)
    (store / "store.sqlite").write_bytes(b"junk" * 5000)
    with pytest.raises(InputError, match="the folders that it was built from"):
        index(IndexRequest(store, rebuild=True), SETTINGS)
    assert index(IndexRequest(store, (docs,), rebuild=True), SETTINGS).added == 3
    assert digest_of(store) == before


def test_a_rebuild_keeps_folders_patterns_mode_and_hierarchy(docs: Path, tmp_path: Path) -> None:
    """Without a path it builds what the store was; with one, only that."""
    store = tmp_path / "s"
    (docs / "more.txt").write_text("Not to be indexed.")
    request = IndexRequest(store, (docs,), include=("*.md",), hierarchy=True, mode="auto")
    index(request, Settings(workers=1, llm="none"))
    result = index(IndexRequest(store, rebuild=True), Settings(workers=1, llm="none"))
    assert (result.added, result.documents) == (3, 3)
    with reading(store) as db:
        assert get_meta(db, "mode") == "fast" and get_meta(db, "hierarchy")
    with open_snapshot(store) as snapshot:
        assert "hierarchy" in digest(snapshot)
    assert index(IndexRequest(store, (docs,), rebuild=True), SETTINGS).documents == 4


def test_history_goes_on_over_a_rebuild(docs: Path, tmp_path: Path) -> None:
    """inspect diff tells what a rebuild has changed, and knows the generations before."""
    store = tmp_path / "s"
    index(IndexRequest(store, (docs,)), SETTINGS)
    (docs / "doc0.md").write_text("# Changed\n\nZoe Quist met Jon Berg in Genoa.\n")
    (docs / "doc1.md").unlink()
    assert index(IndexRequest(store, rebuild=True), SETTINGS).generation == 2
    with open_snapshot(store) as snapshot:
        found = list(history.diff(snapshot, *history.interval(snapshot, None, None)))
        assert [(c["change"], c["doc"]) for c in found if "doc" in c] == [
            ("changed", "doc0.md"),
            ("removed", "doc1.md"),
        ]
        assert {"change": "gained", "entity": "Zoe Quist"} in found
        first = [c["doc"] for c in history.diff(snapshot, 0, 1) if "doc" in c]
        assert first == ["doc0.md", "doc1.md", "doc2.md"]


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    """A model in place of the file, whose reply stands in the documents."""
    made = Scripted("wrote letter to Jon Berg")
    monkeypatch.setattr(chunk_reading, "llm_file", lambda _setting: Path("fake.gguf"))
    monkeypatch.setattr(chunk_reading, "open_llm", lambda _file, _settings: made)
    return made


def embeds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(_self: ModelSet, texts: Sequence[str], *_more: object) -> np.ndarray:
        assert not texts, "embedded again"
        return np.empty((0, 384), np.float16)

    monkeypatch.setattr(ModelSet, "embed", never)
    monkeypatch.setattr(
        "ragcli.extract.pool.make_extractor", lambda _: pytest.fail("extracted again")
    )


def whole_names(writer: StoreWriter) -> list[tuple[int, bytes, bytes]]:
    """Row, hash and vector of each name, as stores up to format 6 had them."""
    models = ModelSet(SETTINGS)
    query = "SELECT id, name FROM entities WHERE vector IS NOT NULL ORDER BY id"
    rows = writer.connection.execute(query).fetchall()
    vectors = models.embed([name for _, name in rows])
    return [
        (row, text_hash(models.embedder_print, name), vector.tobytes())
        for (row, name), vector in zip(rows, vectors, strict=True)
    ]


def to_format_6(store: Path) -> None:
    """Make a store with the vectors of names in its files, as one of format 6 has them."""
    with open_writer(store) as writer:
        names = whole_names(writer)
        current = writer.generation
        (folder,) = derived.folders(store, current, derived.VECTORS)
        kept = derive.read(folder).vectors
        rows, hashes, vectors = zip(*names, strict=True)
        layer = np.frombuffer(b"".join(vectors), np.float16).reshape(len(rows), -1)
        kept["names"] = VectorLayer(np.array(rows), layer, np.empty(0, np.int64))
        write = derive.Parts(kept, {}).write
        derived.publish(store, current, "1", [], write, derived.VECTORS)
        writer.connection.executemany(
            "UPDATE entities SET vector = ? WHERE id = ?", zip(hashes, rows, strict=True)
        )
        writer.connection.execute("UPDATE meta SET value = '6' WHERE key = 'format'")


def to_format_3(store: Path) -> None:
    """Make a store that looks like one of a former format, which has its vectors in a table."""
    with open_writer(store) as writer:
        carry_vectors(writer.vectors, store)
        query = "SELECT hash, vector FROM fresh.vectors WHERE length(vector) = 768"
        vectors = writer.connection.execute(query).fetchall()
        vectors += [(key, vector) for _, key, vector in whole_names(writer)]
    db = sqlite3.connect(store / "store.sqlite")
    db.execute("CREATE TABLE vectors (hash BLOB PRIMARY KEY, vector BLOB NOT NULL)")
    db.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", vectors)
    for table in ("migrations", "relative_roots", "hierarchy_members", "name_history", "history"):
        db.execute(f"DROP TABLE {table}")
    db.execute("ALTER TABLE documents RENAME COLUMN title TO heading")
    db.execute("UPDATE meta SET value = '3' WHERE key = 'format'")
    db.commit()
    db.close()
    for place in ("derived", "vectors"):
        shutil.rmtree(store / place)


@pytest.mark.parametrize("former_format", [None, to_format_3, to_format_6])
def test_a_rebuild_pays_for_nothing_twice(
    docs: Path,
    tmp_path: Path,
    model: Scripted,
    monkeypatch: pytest.MonkeyPatch,
    former_format: Callable[[Path], None] | None,
) -> None:
    """Replies, extractions and vectors are carried over, from a store of a former format, too."""
    store = tmp_path / "s"
    first = index(IndexRequest(store, (docs,), mode="hybrid"), SETTINGS)
    before, asked = digest_of(store), len(model.asked)
    assert asked and first.described
    if former_format:
        former_format(store)
        with pytest.raises(StoreVersion) as told, reading(store):
            pass
        assert told.value.hint.endswith("ragcli index --rebuild")
    embeds_nothing(monkeypatch)
    result = index(IndexRequest(store, rebuild=True), SETTINGS)
    assert result.described == first.described and len(model.asked) == asked
    assert result.generation > first.generation and digest_of(store) == before
    with reading(store) as db:
        assert get_meta(db, "llm_calls") == str(asked) and get_meta(db, "mode") == "hybrid"
    if former_format is to_format_3:
        with open_snapshot(store) as snapshot:
            interval = history.interval(snapshot, 0, None)
            found = [c["change"] for c in history.diff(snapshot, *interval)]
            assert found.count("added") == 3
            with pytest.raises(InputError, match="no generation 1"):
                history.interval(snapshot, 1, None)


def test_a_vector_that_is_not_a_number_is_made_again(docs: Path, tmp_path: Path) -> None:
    """All others are carried over."""
    store = tmp_path / "s"
    index(IndexRequest(store, (docs,)), SETTINGS)
    before = passage_vectors(store)
    with open_writer(store) as writer:
        current = writer.generation
        (folder,) = derived.folders(store, current, derived.VECTORS)
        kept = derive.read(folder).vectors
        layer = kept["passages"]
        spoiled = np.array(layer.vectors, np.float16)
        spoiled[1] = np.nan
        kept["passages"] = VectorLayer(layer.rows, spoiled, layer.gone)
        write = derive.Parts(kept, {}).write
        derived.publish(store, current, derive.VECTOR_FORMAT, [], write, derived.VECTORS)
    assert np.isnan(passage_vectors(store)).any()
    index(IndexRequest(store, rebuild=True), SETTINGS)
    np.testing.assert_allclose(passage_vectors(store), before, atol=2e-3)


def passage_vectors(store: Path) -> NDArray[np.float32]:
    """The vectors of all passages, by row."""
    with open_snapshot(store) as snapshot:
        folders = derived.folders(store, snapshot.generation, derived.VECTORS)
        found = Vectors(folders, "passages")
        return found.of(found.ids)


def test_what_a_stopped_rebuild_paid_for_is_kept(
    docs: Path, tmp_path: Path, model: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The replies of a draft go to the next draft, or to the store when it is only updated."""
    store = tmp_path / "s"
    index(IndexRequest(store, (docs,)), SETTINGS)
    request = IndexRequest(store, (docs,), mode="hybrid", rebuild=True)
    monkeypatch.setattr("ragcli.indexing.index.finish", lambda *_: (_ for _ in ()).throw(Stop()))
    with pytest.raises(Stop):
        index(request, SETTINGS)
    asked = len(model.asked)
    assert asked and (store / DRAFTS / "1").exists()
    with pytest.raises(Stop):
        index(request, SETTINGS)
    assert len(model.asked) == asked and [p.name for p in (store / DRAFTS).iterdir()] == ["2"]
    monkeypatch.undo()
    monkeypatch.setattr(chunk_reading, "llm_file", lambda _setting: Path("fake.gguf"))
    monkeypatch.setattr(chunk_reading, "open_llm", lambda _file, _settings: model)
    assert index(IndexRequest(store), SETTINGS).llm_calls == 0
    assert not (store / DRAFTS).exists()
    assert index(IndexRequest(store, mode="hybrid"), SETTINGS).described
    assert len(model.asked) == asked


def test_derived_files_of_the_old_store_stay_for_its_readers(docs: Path, tmp_path: Path) -> None:
    """Until the next generation, as after any update; then they go."""
    store = tmp_path / "s"
    index(IndexRequest(store, (docs,)), SETTINGS)
    index(IndexRequest(store, rebuild=True), SETTINGS)
    assert derived.folders(store, 1) and all(p.exists() for p in derived.folders(store, 1))
    (docs / "doc0.md").unlink()
    assert index(IndexRequest(store), SETTINGS).generation == 3
    assert not (store / "derived" / "1.json").exists()
    assert not (store / "vectors" / "1.json").exists()
