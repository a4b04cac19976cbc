"""Bundles: what comes out is what went in, and nothing damaged gets in."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import sqlite3
import zipfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest
from conftest import SAMPLE, Run

from ragcli.config import Settings
from ragcli.errors import BundleError, InputError, RagcliError, StoreLocked
from ragcli.indexing.request import IndexRequest
from ragcli.maintaining.bundles import export, import_
from ragcli.maintaining.check import check, stale
from ragcli.search import derive
from ragcli.store.bundle import opened, read_manifest, unpack
from ragcli.store.connection import FILE, create
from ragcli.store.digest import digest
from ragcli.store.fresh_vectors import FILE as FRESH
from ragcli.store.lock import writer_lock
from ragcli.store.snapshot import open_snapshot


def digest_of(store: Path) -> str:
    with open_snapshot(store) as snapshot:
        return digest(snapshot)["all"]


@pytest.fixture(scope="module")
def bundle(sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("bundle") / "sample.ragcli"
    export(sample_store, file)
    return file


def test_the_store_comes_back(sample_store: Path, bundle: Path, tmp_path: Path) -> None:
    """The same digest, and nothing but the bundle is left behind by the export."""
    manifest = import_(bundle, tmp_path / "store")
    assert manifest["documents"] == 39
    assert not (tmp_path / "store" / FRESH).exists()
    assert [found for _, found in check(tmp_path / "store", Settings()) if found] == []
    assert digest_of(tmp_path / "store") == digest_of(sample_store)
    assert [p.name for p in bundle.parent.iterdir()] == [bundle.name]


def test_updates_go_on_from_the_folder_here(bundle: Path, tmp_path: Path) -> None:
    """With --root the copy of the folder on this machine is what the store is compared with."""
    here = tmp_path / "here"
    shutil.copytree(SAMPLE, here)
    import_(bundle, tmp_path / "store", [here])
    assert stale(IndexRequest(tmp_path / "store"), Settings())[0] == []
    (here / "new.md").write_text("Something new.\n")
    changes, _ = stale(IndexRequest(tmp_path / "store"), Settings())
    assert changes == [{"change": "added", "doc": "new.md"}]


def test_a_place_that_cannot_be_written_is_named(sample_store: Path, tmp_path: Path) -> None:
    """Not the store is to blame; nothing is left behind."""
    with pytest.raises(BundleError, match="there is no folder") as caught:
        export(sample_store, tmp_path / "none" / "x.rag")
    assert "create it" in caught.value.hint
    with pytest.raises(BundleError, match="it is a folder"):
        export(sample_store, tmp_path)
    with pytest.raises(OSError, match="too long"):
        export(sample_store, tmp_path / ("x" * 250))
    assert list(tmp_path.iterdir()) == []


def test_as_many_roots_as_there_were(bundle: Path, tmp_path: Path) -> None:
    """Two folders for a store that was made from one are refused, and nothing is made."""
    with pytest.raises(BundleError, match="built from 1 folder, 2 given"):
        import_(bundle, tmp_path / "store", [tmp_path, SAMPLE])
    assert not (tmp_path / "store").exists()


def test_a_store_is_never_replaced(bundle: Path, own_store: Path) -> None:
    """Where a store is, none is imported."""
    before = digest_of(own_store)
    with pytest.raises(BundleError, match="already contains a store"):
        import_(bundle, own_store)
    assert digest_of(own_store) == before


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def flipped(data: bytes) -> bytes:
    at = len(data) // 2
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


@pytest.mark.parametrize("harm", [cut, flipped, lambda data: b"", lambda data: b"PK\3\4 junk"])
def test_damage_is_noticed(bundle: Path, tmp_path: Path, harm) -> None:  # type: ignore[no-untyped-def]
    """Cut short, one bit flipped, empty, or junk: refused, and no store is left."""
    bad = tmp_path / "bad.ragcli"
    bad.write_bytes(harm(bundle.read_bytes()))
    with pytest.raises(BundleError):
        import_(bad, tmp_path / "store")
    assert not (tmp_path / "store" / FILE).exists()


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit, OSError])
def test_a_stopped_import_leaves_nothing(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: type[BaseException]
) -> None:
    def stopped(*_: object) -> None:
        raise stop

    monkeypatch.setattr(derive, "derive_current", stopped)
    with pytest.raises(stop):
        import_(bundle, tmp_path / "store")
    assert not (tmp_path / "store").exists()


def test_an_import_beside_another(bundle: Path, tmp_path: Path) -> None:
    """The second one is refused, and leaves the files of the first one alone."""
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / f"{FILE}.import").write_bytes(b"begun")
    with writer_lock(tmp_path / "s"), pytest.raises(StoreLocked):
        import_(bundle, tmp_path / "s")
    assert (tmp_path / "s" / "lock").exists()
    assert (tmp_path / "s" / f"{FILE}.import").read_bytes() == b"begun"


def test_wrong_bytes_anywhere(tmp_path: Path) -> None:
    """In headers, in the packed parts: refused, or without effect; never another error."""
    create(tmp_path / "empty")
    export(tmp_path / "empty", tmp_path / "whole")
    whole = (tmp_path / "whole").read_bytes()
    bad, target = tmp_path / "bad", tmp_path / "target"
    target.mkdir()
    refused = 0
    for seed in range(100):
        chance = random.Random(seed)
        data = bytearray(whole)
        for _ in range(chance.choice((1, 3, 20))):
            data[chance.randrange(len(data))] = chance.randrange(256)
        bad.write_bytes(data)
        try:
            with opened(bad) as archive:
                unpack(archive, read_manifest(archive), target, prepare=lambda path: None)
        except BundleError:
            refused += 1
            assert not list(target.iterdir())
        for file in target.iterdir():
            file.unlink()
    assert refused > 50


def repacked(bundle: Path, target: Path, **change: object) -> Path:
    """The bundle with other facts in its manifest."""
    with zipfile.ZipFile(bundle) as old, zipfile.ZipFile(target, "w") as new:
        manifest = json.loads(old.read("bundle.json")) | change
        new.writestr("bundle.json", json.dumps(manifest))
        for name in (FILE, FRESH):
            new.writestr(name, old.read(name))
    return target


def test_a_changed_store_is_noticed(bundle: Path, tmp_path: Path) -> None:
    """Whole as an archive, but not with the checksum or the size that the manifest promises."""
    for facts in ({"size": 10, "sha256": "0" * 64}, {"size": 10**9, "sha256": "0" * 64}):
        bad = repacked(bundle, tmp_path / "bad", files={FILE: facts, FRESH: facts})
        with pytest.raises(BundleError, match=r"checksum|bytes free"):
            import_(bad, tmp_path / "store")
        assert not (tmp_path / "store").exists()


def test_another_format_is_named(bundle: Path, tmp_path: Path) -> None:
    """A bundle of a later version is not guessed at."""
    bad = repacked(bundle, tmp_path / "bad", format=99)
    with pytest.raises(BundleError, match=r"format 99\."):
        import_(bad, tmp_path / "store")


def test_on_the_command_line(called: Run, sample_store: Path, tmp_path: Path) -> None:
    """export, import, ask."""
    file, store = tmp_path / "b.ragcli", tmp_path / "store"
    assert called("bundle", "export", file, "--store", sample_store).returncode == 0
    done = called("bundle", "import", file, "--store", store)
    assert done.returncode == 0 and "39 documents" in done.stderr
    asked = called("ask", "What caused the radar's false alarms?", "--store", store)
    assert asked.returncode == 0 and "[1]" in asked.stdout


def changed_bundle(
    bundle: Path,
    tmp_path: Path,
    sql: str = "",
    manifest: Mapping[str, object] | None = None,
    member: str = FILE,
) -> Path:
    """The bundle with SQL run in one database, other entries in its manifest, new checksums."""
    with zipfile.ZipFile(bundle) as packed:
        told = json.loads(packed.read("bundle.json"))
        members = {name: packed.read(name) for name in (FILE, FRESH)}
    (tmp_path / "inner.sqlite").write_bytes(members[member])
    with closing(sqlite3.connect(tmp_path / "inner.sqlite")) as db:
        db.executescript(sql)
    raw = members[member] = (tmp_path / "inner.sqlite").read_bytes()
    told["files"][member] = {"size": len(raw), "sha256": hashlib.sha256(raw).hexdigest()}
    made = tmp_path / "changed.ragcli"
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("bundle.json", json.dumps(told | dict(manifest or {})))
        for name, data in members.items():
            packed.writestr(name, data)
    return made


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("CREATE VIEW v AS SELECT 1", "schema is not ragcli's"),
        ("CREATE TRIGGER t AFTER INSERT ON vectors BEGIN SELECT 1; END", "schema is not ragcli's"),
        ("DROP TABLE vectors", "schema is not ragcli's"),
        ("UPDATE vectors SET vector = x'00' WHERE rowid = 1", "of several lengths"),
        ("UPDATE vectors SET vector = x'000000'", "of several lengths"),
        ("UPDATE vectors SET vector = 'text'", "of several lengths"),
        ("DELETE FROM vectors WHERE rowid < 9", "vectors of passages are missing"),
    ],
)
def test_vectors_that_are_made_to_hurt(bundle: Path, tmp_path: Path, sql: str, reason: str) -> None:
    """As the store: refused, and nothing is left behind."""
    with pytest.raises(RagcliError, match=reason):
        import_(changed_bundle(bundle, tmp_path, sql, member=FRESH), tmp_path / "store")
    assert not (tmp_path / "store").exists()


def test_a_store_that_lacks_vectors_is_not_exported(sample_store: Path, tmp_path: Path) -> None:
    """What to run is told, and nothing is left behind."""
    store = shutil.copytree(sample_store, tmp_path / "store")
    next((store / "vectors" / "segments").rglob("names.levels")).unlink()
    with pytest.raises(BundleError, match=r"vectors of .* are missing") as told:
        export(store, tmp_path / "b.ragcli")
    assert "inspect check" in told.value.hint
    assert [path.name for path in tmp_path.iterdir()] == ["store"]


@pytest.mark.parametrize(
    ("sql", "manifest", "reason"),
    [
        ("CREATE VIEW v AS SELECT 1", {}, "the view 'v', which is not ragcli's"),
        (
            "CREATE TRIGGER t AFTER INSERT ON meta BEGIN DELETE FROM documents; END",
            {},
            "the trigger 't', which is not ragcli's",
        ),
        ("CREATE INDEX i ON meta (value)", {}, "the index 'i', which is not ragcli's"),
        ("DROP TABLE failed_files", {}, "lacks 'failed_files'"),
        ("UPDATE roots SET path = CAST('/home/victim' AS BLOB)", {}, "does not describe its store"),
        ("", {"roots": ["/somewhere/else"]}, "does not describe its store"),
        ("", {"documents": 7}, "does not describe its store"),
        ("UPDATE meta SET value = '99' WHERE key = 'format'", {}, "does not describe its store"),
        ("UPDATE meta SET value = 'x' WHERE key = 'generation'", {}, "damaged"),
        ("UPDATE meta SET value = '[]' WHERE key = 'fingerprint'", {}, "'fingerprint' is not"),
        ("UPDATE meta SET value = '{\"a\": 1}' WHERE key = 'fingerprint'", {}, "'fingerprint'"),
        ("UPDATE meta SET value = '[' WHERE key = 'fingerprint'", {}, "damaged"),
        (f"UPDATE meta SET value = '{9**30}' WHERE key = 'generation'", {}, "'generation' is no"),
        ("UPDATE meta SET value = '-1' WHERE key = 'generation'", {}, "'generation' is no"),
        ("INSERT INTO meta VALUES ('llm_calls', 'many')", {}, "'llm_calls' is no number"),
        ("UPDATE meta SET value = 'nan' WHERE key = 'seconds_per_word'", {}, "is no number"),
        ("UPDATE meta SET value = '{\"read\": []}' WHERE key = 'stages'", {}, "'stages' is not"),
        ("", {"roots": [1]}, "is not a bundle"),
        ("", {"format": []}, "is not a bundle"),
        ("", {"files": []}, "is not a bundle"),
        ("", {"files": {FILE: {"sha256": "", "size": 10**30}}}, "is not a bundle"),
        ("", {"files": {FILE: {"sha256": "", "size": -1}}}, "is not a bundle"),
        ("", {"files": {FILE: {"sha256": 1, "size": "9"}}}, "is not a bundle"),
        ("", {"padding": "x" * 2_000_000}, "is not a bundle"),
    ],
)
def test_a_bundle_that_is_made_to_hurt(
    bundle: Path, tmp_path: Path, sql: str, manifest: dict[str, object], reason: str
) -> None:
    """Its checksum is right, and nothing of it is used or left behind."""
    bad = changed_bundle(bundle, tmp_path, sql, manifest)
    with pytest.raises(BundleError, match=reason):
        import_(bad, tmp_path / "store")
    assert not (tmp_path / "store").exists()


def test_folders_that_a_bundle_names_are_confirmed_once(bundle: Path, tmp_path: Path) -> None:
    """No update reads them before the user has named them."""
    store = tmp_path / "store"
    import_(bundle, store)
    with pytest.raises(InputError, match="comes from elsewhere") as caught:
        stale(IndexRequest(store), Settings())
    assert caught.value.hint.endswith(str(SAMPLE))
    assert stale(IndexRequest(store, (SAMPLE,)), Settings())[0] == []
