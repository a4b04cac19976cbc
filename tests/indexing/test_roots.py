"""Roots and patterns: folders that go, that move with the store, and that are to be forgotten."""

from __future__ import annotations

import io
import json
import os
import shutil
import sqlite3
import sys
from pathlib import Path

import pytest
from conftest import Run, remount

from ragcli.cli.inputs import store_to_index
from ragcli.config import Settings
from ragcli.errors import InputError
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.maintaining.check import check, stale
from ragcli.store.connection import FILE, FOLDER
from ragcli.store.digest import digest
from ragcli.store.listings import counts, documents
from ragcli.store.snapshot import open_snapshot
from ragcli.types import IndexResult

SETTINGS = Settings(workers=1)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with two folders, to be indexed into its own ``.ragcli``."""
    made = tmp_path / "project"
    for name, text in (("d1", "Mara Linde sailed to Genoa."), ("d2", "Jon Berg lives in Rome.")):
        (made / name).mkdir(parents=True)
        (made / name / f"{name}.txt").write_text(text)
    return made


def run(project: Path, *paths: Path, **more: object) -> IndexResult:
    request = IndexRequest(project / ".ragcli", paths, **more)  # type: ignore[arg-type]
    return index(request, SETTINGS)


def docs_of(store: Path) -> list[str]:
    with open_snapshot(store) as snapshot:
        return [document.doc for document in documents(snapshot)]


def test_a_missing_root_freezes_nothing(project: Path) -> None:
    """It is reported, its documents stay, the others are brought in line; it may come back."""
    run(project, project / "d1", project / "d2")
    (project / "d2").rename(project / "away")
    (project / "d1" / "new.txt").write_text("Ada Holm came from Port Vale.")
    changes, _ = stale(IndexRequest(project / ".ragcli"), SETTINGS)
    assert [(c["change"], c["doc"]) for c in changes] == [
        ("missing", str(project / "d2")),
        ("added", "new.txt"),
    ]
    for result in (run(project), run(project, project / "d1")):
        assert result.missing_roots == (str(project / "d2"),) and result.removed == 0
    assert docs_of(project / ".ragcli") == ["d1.txt", "d2/d2.txt", "new.txt"]
    only = index(IndexRequest(project / ".ragcli", only=(project / "d1",)), SETTINGS)
    assert only.missing_roots == ()
    (project / "away").rename(project / "d2")
    result = run(project)
    assert result.missing_roots == () and (result.unchanged, result.removed) == (3, 0)
    (project / "d2" / "d2.txt").unlink()
    assert run(project).removed == 1


def test_a_given_folder_that_is_missing_is_a_mistake(project: Path) -> None:
    """Only folders of the store may be missing, and none that is named."""
    run(project, project / "d1", project / "d2")
    shutil.rmtree(project / "d2")
    with pytest.raises(InputError, match="d2"):
        run(project, project / "d2")


@pytest.mark.parametrize("gone", [False, True])
def test_a_root_is_forgotten_with_its_documents(project: Path, gone: bool) -> None:
    """Whether it is still there or not; the store ends where one without it would."""
    run(project, project / "d1", project / "d2")
    if gone:
        shutil.rmtree(project / "d2")
    result = run(project, forget=(project / "d2",))
    assert (result.removed, result.unchanged, result.missing_roots) == (1, 1, ())
    index(IndexRequest(project / "fresh", (project / "d1",)), SETTINGS)
    found = []
    for store in (project / ".ragcli", project / "fresh"):
        with open_snapshot(store) as snapshot:
            found.append(digest(snapshot)["all"])
            assert counts(snapshot)["roots"] == [str(project / "d1")]
    assert found[0] == found[1]
    for wrong in (project / "d2", project / "d1"):  # no root any more; the last one
        with pytest.raises(InputError):
            run(project, forget=(wrong,))


@pytest.mark.parametrize("former", [False, True])
def test_a_project_moves_with_its_store(project: Path, tmp_path: Path, former: bool) -> None:
    """Nothing is read again or lost; a store of a former release learns it at its next run."""
    run(project, project / "d1", project / "d2")
    for path in project.rglob("*.txt"):
        os.utime(path, ns=(10**18, 10**18))
    run(project)
    if former:
        db = sqlite3.connect(project / ".ragcli" / "store.sqlite")
        for table in ("migrations", "relative_roots", "failed_files"):
            db.execute(f"DROP TABLE {table}")
        db.commit()
        db.close()
        assert stale(IndexRequest(project / ".ragcli"), SETTINGS)[0] == []
        run(project)
    place = tmp_path / "elsewhere"
    project.rename(place)
    assert stale(IndexRequest(place / ".ragcli"), SETTINGS)[0] == []
    with open_snapshot(place / ".ragcli") as snapshot:
        assert counts(snapshot)["roots"] == [str(place / "d1"), str(place / "d2")]
    (place / "d2").rename(place / "away")
    assert run(place).missing_roots == (str(place / "d2"),)
    assert docs_of(place / ".ragcli") == ["d1.txt", "d2/d2.txt"]
    (place / "away").rename(place / "d2")
    (place / "d1" / "new.txt").write_text("Ada Holm came.")
    result = run(place)
    assert (result.added, result.unchanged, result.removed) == (1, 2, 0)


def test_folders_of_a_store_from_elsewhere_are_confirmed_once(
    project: Path, tmp_path: Path
) -> None:
    """A store that came with somebody's folder reads nothing outside it that was not named."""
    run(project, project / "d1", include=("*.txt",))
    copy = tmp_path / "copy" / ".ragcli"
    shutil.copytree(project / ".ragcli", copy)
    for attempt in (
        lambda: index(IndexRequest(copy), SETTINGS),
        lambda: index(IndexRequest(copy, rebuild=True), SETTINGS),
        lambda: stale(IndexRequest(copy), SETTINGS),
    ):
        with pytest.raises(InputError, match="comes from elsewhere") as caught:
            attempt()
    assert caught.value.hint.endswith(f"ragcli index --include '*.txt' {project / 'd1'}")
    named = index(IndexRequest(copy, (project / "d1",), include=("*.txt",)), SETTINGS)
    assert (named.unchanged, named.missing_roots) == (1, ())
    assert index(IndexRequest(copy), SETTINGS).unchanged == 1


def test_a_link_beside_a_store_from_elsewhere_is_a_folder_outside(
    project: Path, tmp_path: Path
) -> None:
    """What lies in the project may be a link to anywhere."""
    private = project.rename(tmp_path / "private") / "d1"
    project.mkdir()
    (project / "docs").symlink_to(private)
    run(project, project / "docs")
    run(project)
    moved = project.rename(tmp_path / "moved")
    with pytest.raises(InputError, match="comes from elsewhere"):
        run(moved)


def test_patterns_are_shown_kept_and_replaced(project: Path, called: Run) -> None:
    """update keeps them, index PATH takes those it is given, and says which go."""
    (project / "d1" / "a.md").write_text("# A\n\nAda Holm.\n")
    assert called("index", "d1", "--include", "*.md", cwd=project).returncode == 0
    shown = json.loads(called("inspect", "stats", "--json", cwd=project).stdout)
    assert (shown["roots"], shown["include"]) == ([str(project / "d1")], ["*.md"])
    assert "*.md" in called("inspect", "stats", cwd=project).stdout
    assert json.loads(called("update", "--json", cwd=project).stdout)["documents"] == 1
    done = called("index", "d1", cwd=project)
    assert "no longer used: --include *.md" in done.stderr and "2 documents" in done.stdout
    shown = json.loads(called("inspect", "stats", "--json", cwd=project).stdout)
    assert shown["include"] == []


def test_the_command_line_tells_of_missing_roots(project: Path, called: Run) -> None:
    """update and update --check agree: exit code 1, the folder, and what to do."""
    assert called("index", "d1", "d2", cwd=project).returncode == 0
    assert (project / ".ragcli" / ".gitignore").read_text() == "*\n"
    shutil.rmtree(project / "d2")
    done, checked = called("update", cwd=project), called("update", "--check", cwd=project)
    assert (done.returncode, checked.returncode) == (1, 1)
    assert f"ragcli update --forget {project / 'd2'}" in done.stderr
    assert f"missing {project / 'd2'}" in checked.stdout
    done = called("update", "--forget", "d2", cwd=project)
    assert done.returncode == 0 and "1 removed" in done.stdout
    assert called("update", "--check", cwd=project).returncode == 0


def test_index_makes_a_store_here_and_not_above(project: Path, called: Run) -> None:
    """Named folders never land in the store of a parent folder; without one it is updated."""
    assert called("index", "d1", cwd=project).stderr.count("store here") == 0
    before = listed(called, project)
    updated = called("index", cwd=project / "d2")
    assert updated.stderr.startswith(f"using the store in {project / '.ragcli'}")
    planned = called("index", ".", "--dry-run", cwd=project / "d2")
    assert f"--store {project / '.ragcli'}" in planned.stderr
    assert not (project / "d2" / ".ragcli").exists()
    made = called("index", ".", "-q", cwd=project / "d2")
    assert made.returncode == 0 and str(project / "d2" / ".ragcli") in made.stdout
    assert listed(called, project) == before != listed(called, project / "d2")
    assert "store here" not in called("index", ".", cwd=project / "d2").stderr


@pytest.mark.parametrize(("reply", "above"), [("\n", False), ("", False), ("n\n", True)])
def test_a_person_on_a_terminal_is_asked_which_store(
    project: Path, monkeypatch: pytest.MonkeyPatch, reply: str, above: bool
) -> None:
    """By default, and at the end of the input, the store is made here."""
    (project / ".ragcli").mkdir()
    (project / ".ragcli" / FILE).touch()
    monkeypatch.chdir(project / "d2")
    terminal = io.StringIO(reply)
    for stream, file in (("stdin", terminal), ("stderr", io.StringIO())):
        monkeypatch.setattr(file, "isatty", lambda: True)
        monkeypatch.setattr(sys, stream, file)
    where = project if above else project / "d2"
    assert store_to_index(None, is_new=True) == where / FOLDER


def listed(called: Run, folder: Path) -> list[str]:
    """The documents of the store of a folder."""
    lines = called("inspect", "docs", "--json", cwd=folder).stdout.splitlines()
    return [str(json.loads(line)["doc"]) for line in lines]


def test_failures_that_are_known_do_not_fail_for_ever(project: Path, called: Run) -> None:
    """New: exit code 1 for update and its check; known and unchanged: a note, unless --strict."""
    broken = project / "d1" / "broken.docx"
    broken.write_bytes(b"PK\3\4 no document")
    os.utime(broken, ns=(10**18, 10**18))
    (project / "d1" / "~$report.docx").write_bytes(b"\x05Mara")
    (project / "d1" / ".~lock.report.odt#").write_text("Mara")
    done = called("index", "d1", cwd=project)
    assert done.returncode == 1 and "failed broken.docx" in done.stderr
    assert "~" not in done.stderr.replace("~1", "")
    for command in (("update",), ("update", "--check")):
        done = called(*command, cwd=project)
        assert done.returncode == 0 and "broken.docx" in done.stderr + done.stdout
        assert called(*command, "--strict", cwd=project).returncode == 1
    broken.write_bytes(b"PK\3\4 still no document")
    for command in (("update", "--check"), ("update",)):
        done = called(*command, cwd=project)
        assert done.returncode == 1 and "failed broken.docx" in done.stderr + done.stdout
    broken.unlink()
    assert called("update", cwd=project).returncode == 0
    shown = json.loads(called("inspect", "stats", "--json", cwd=project).stdout)
    assert shown["failed_documents"] == 0


def test_a_dry_run_of_a_rebuild_counts_all(project: Path, called: Run) -> None:
    """With the folders of the store, or with those that are named."""
    called("index", "d1", "d2", cwd=project)
    for paths, number in (((), 2), (("d1",), 1)):
        done = called("index", *paths, "--rebuild", "--dry-run", "--json", cwd=project)
        assert json.loads(done.stdout)["documents"] == number, done.stderr


def test_check_without_write_access(project: Path, small_disk: Path) -> None:
    """It verifies and says what it would mend."""
    remount(small_disk, "size=60m")
    store = small_disk / "s"
    index(IndexRequest(store, (project / "d1",)), SETTINGS)
    db = sqlite3.connect(store / "store.sqlite")
    db.execute("INSERT INTO extractions VALUES (x'00', x'00')")
    db.commit()
    db.close()
    (store / "derived" / "segments" / "1" / "arrays").write_bytes(b"junk")
    remount(small_disk, "ro")
    found = dict(check(store, SETTINGS))
    remount(small_disk, "rw")
    assert (
        found["database"] == "" and "1 would be deleted" in found["unused vectors and extractions"]
    )
    assert "would be rebuilt" in found["derived files"]
    assert "1 deleted" in dict(check(store, SETTINGS))["unused vectors and extractions"]
