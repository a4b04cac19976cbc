"""Readers see the committed generation and nothing else, whatever a writer does meanwhile.

Every retrieval mode, ``ask``, ``inspect``, the graph and the server's tools are run against a store
that nobody touched, and against copies of it in which an update was killed, is at work, or commits
while the reader is at it. All of them must say the same, to the byte.
"""

from __future__ import annotations

import contextlib
import io
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import orjson
import pytest
from conftest import SAMPLE
from searching import ask

from ragcli.api import Store
from ragcli.asking.answer_json import answer_json
from ragcli.cli.commands import app
from ragcli.config import MODES, Settings
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.search import derive
from ragcli.serve.call import Call
from ragcli.serve.served import Served
from ragcli.serve.tools import Tools
from ragcli.store import derived
from ragcli.store.connection import open_store
from ragcli.store.live_views import VIEWED
from ragcli.store.snapshot import open_snapshot, snapshot
from ragcli.store.stoppable import StoppableConnection
from ragcli.types import Scope

SETTINGS = Settings(workers=1, answer="extractive", llm="none")
OVERVIEW = "Give me an overview of all the documents."
NAMES = "What did the radar report about Kesselhorn to the cooperative?"
CHANGED = "observatory/argus-radar-trial-notes.md"
AUTHOR = "---\nauthor: Tadeusz Wierzba\ndate: 2020-10-14\n---\n"
SCOPES = (
    Scope.of("observatory", types="md"),
    Scope.of(["incidents", "!2022*"]),
    Scope.of(where=["author=Tadeusz*"], since="2020"),
)
REMOVED = "incidents/2019-01-17-ravoire-bridge.md"


def change(folder: Path) -> None:
    """Change most documents at their beginning, remove one, add some."""
    (folder / REMOVED).unlink()
    more = "The radar Argus reported to Kesselhorn that nothing here is committed.\n" * 40
    for path in sorted(folder.rglob("*.md")):
        path.write_text(f"# Uncommitted heading\n\n{more}\n{path.read_text()}\n\n{more}")
    (folder / "uncommitted").mkdir()
    for n in range(3):
        (folder / "uncommitted" / f"new{n}.md").write_text(f"# New {n}\n\n{more * 3}")


class Stop(BaseException):
    """Stands for the end of the process: no handler may catch it."""


def update(store: Path, folder: Path, patch: Callable[[pytest.MonkeyPatch], None]) -> None:
    """An update with some of its functions exchanged, to its end or until it is stopped."""
    with pytest.MonkeyPatch.context() as inside, contextlib.suppress(Stop):
        patch(inside)
        index(IndexRequest(store, (folder,)), SETTINGS)


def stopped_before_commit(patch: pytest.MonkeyPatch) -> None:
    """All documents are written, and the commit has not begun."""

    def stop(*_: object, **__: object) -> None:
        raise Stop

    patch.setattr(derive, "journal", stop)


def stopped_in_commit(patch: pytest.MonkeyPatch) -> None:
    """The derived files of the next generation stand there; its transaction never ended."""
    publish = derived.publish

    def stop(*args: Any) -> None:
        publish(*args)
        if args[-1] != derived.VECTORS:
            raise Stop

    patch.setattr(derived, "publish", stop)


class Begun(StoppableConnection):
    """A connection whose read transaction began long ago."""

    def execute(self, sql: str, *more: Any) -> Any:
        return super().execute("SELECT 1" if sql == "BEGIN" else sql, *more)


@pytest.fixture(scope="module")
def base(sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A store of documents that may be changed, and these documents."""
    made = tmp_path_factory.mktemp("snapshot")
    shutil.copytree(SAMPLE, made / "docs")
    with_author = made / "docs" / CHANGED
    with_author.write_text(AUTHOR + with_author.read_text())
    (made / "docs" / "lamps.html").write_text("<p>The lamps of the quay\nare lit at dusk.</p>")
    index(IndexRequest(made / "store", (made / "docs",), hierarchy=True), SETTINGS)
    return made / "store", made / "docs"


@pytest.fixture(scope="module")
def untouched(base: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The committed store that nobody writes to, and whose documents change after."""
    store, folder = base
    copy = tmp_path_factory.mktemp("untouched") / "s"
    shutil.copytree(store, copy)
    change(folder)
    return copy


@pytest.fixture(
    scope="module", params=["killed", "killed in commit", "committing", "committed meanwhile"]
)
def written(
    request: pytest.FixtureRequest,
    base: tuple[Path, Path],
    untouched: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Path]:
    """A copy of the store that is or was written to, in each state a reader may find."""
    store, folder = tmp_path_factory.mktemp("written") / "s", base[1]
    shutil.copytree(untouched, store)
    state = {
        "killed": killed,
        "killed in commit": killed_in_commit,
        "committing": committing,
        "committed meanwhile": committed_meanwhile,
    }[request.param]
    with state(store, folder):
        yield store


@contextlib.contextmanager
def killed(store: Path, folder: Path) -> Iterator[None]:
    update(store, folder, stopped_before_commit)
    assert pending(store) > 10
    yield


@contextlib.contextmanager
def killed_in_commit(store: Path, folder: Path) -> Iterator[None]:
    update(store, folder, stopped_in_commit)
    assert pending(store) > 10 and (store / "derived" / "2.json").exists()
    yield


@contextlib.contextmanager
def committing(store: Path, folder: Path) -> Iterator[None]:
    """Another thread stands right before the end of its commit's transaction."""
    there, go_on = threading.Event(), threading.Event()
    publish = derived.publish

    def wait(*args: Any) -> None:
        publish(*args)
        there.set()
        assert go_on.wait(600)
        raise Stop

    thread = threading.Thread(
        target=update, args=(store, folder, lambda p: p.setattr(derived, "publish", wait))
    )
    thread.start()
    try:
        assert there.wait(300)
        yield
    finally:
        go_on.set()
        thread.join()


@contextlib.contextmanager
def committed_meanwhile(store: Path, folder: Path) -> Iterator[None]:
    """Every reader began before the commit, and reads on after it."""
    begun = []
    with pytest.MonkeyPatch.context() as patch:
        connect: Any = sqlite3.connect
        begins = {"factory": Begun, "check_same_thread": False}
        patch.setattr(
            sqlite3, "connect", lambda *args, **more: connect(*args, **{**more, **begins})
        )
        for _ in range(200):
            db = open_store(store, readonly=True)
            sqlite3.Connection.execute(db, "BEGIN")
            db.execute("SELECT value FROM meta").fetchall()
            begun.append(db)
    update(store, folder, lambda _: None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(snapshot, "open_store", lambda *_, **__: begun.pop())
        yield
    for db in begun:
        db.close()


def pending(store: Path) -> int:
    with contextlib.closing(sqlite3.connect(store / "store.sqlite")) as db:
        return int(db.execute("SELECT count(*) FROM documents WHERE born > 1").fetchone()[0])


def asked(store: Path, question: str, mode: str, answer: str) -> dict[str, Any]:
    """All that ``ask --json`` says, but how long it took."""
    found = answer_json(ask(store, question, replace(SETTINGS, mode=mode, answer=answer)))
    del found["timings_ms"]
    return found


@pytest.fixture(scope="module")
def expected(untouched: Path) -> Callable[[str, str, str], dict[str, Any]]:
    """What is said of the untouched store; asked once."""

    @cache
    def said(question: str, mode: str, answer: str) -> dict[str, Any]:
        return asked(untouched, question, mode, answer)

    return said


@pytest.mark.parametrize("mode", MODES)
def test_questions(
    expected: Callable[[str, str, str], dict[str, Any]], written: Path, mode: str
) -> None:
    """Hits, answer, citations and facts in every mode, for a name and for the whole."""
    for question in (OVERVIEW, NAMES):
        for answer in ("extractive", "none"):
            said = expected(question, mode, answer)
            assert asked(written, question, mode, answer) == said
            assert said["hits"] or said["maps"]
            assert "ncommitted" not in str(said)


def asked_within(store: Path, mode: str) -> list[dict[str, Any]]:
    """What is said within each of SCOPES; only ``auto`` answers, which takes long."""
    how = "extractive" if mode == "auto" else "none"
    out = []
    with Store.open(store, replace(SETTINGS, mode=mode, answer=how)) as opened:
        for scope, question in zip(SCOPES, (NAMES, OVERVIEW, NAMES), strict=True):
            found = answer_json(opened.ask(question, scope=scope))
            del found["timings_ms"]
            out.append(found)
    return out


@pytest.fixture(scope="module")
def expected_within(untouched: Path) -> Callable[[str], list[dict[str, Any]]]:
    """What is said of the untouched store within each of SCOPES; asked once."""
    return cache(partial(asked_within, untouched))


@pytest.mark.parametrize("mode", MODES)
def test_questions_within_a_scope(
    expected_within: Callable[[str], list[dict[str, Any]]], written: Path, mode: str
) -> None:
    """A scope selects committed documents by committed fields; all is said of them."""
    said = expected_within(mode)
    assert asked_within(written, mode) == said and "ncommitted" not in str(said)
    for found, docs in zip(said, ("observatory/", "incidents/", CHANGED), strict=True):
        assert all(place["doc"].startswith(docs) for place in found["hits"] + found["citations"])
        no_word = (mode, docs) == ("bm25", CHANGED)
        assert found["hits"] or found["maps"] or no_word
    assert not any("2022-02" in hit["doc"] for hit in said[1]["hits"])


def printed(*args: str) -> str:
    """What a command prints, run in this process."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        app(list(args), standalone_mode=False)
    return out.getvalue()


@pytest.mark.parametrize(
    "command",
    [
        ("docs",),
        ("doc", CHANGED),
        ("doc", REMOVED),
        ("chunks",),
        ("chunks", "--doc", CHANGED),
        ("entities",),
        ("entity", "Kesselhorn"),
        ("relations",),
        ("relations", "Kesselhorn"),
        ("path", "Kesselhorn", "Ravoire"),
        ("tree",),
        ("hierarchy",),
        ("digest",),
        ("diff",),
    ],
    ids=" ".join,
)
def test_inspect(untouched: Path, written: Path, command: tuple[str, ...]) -> None:
    """Every command that shows what the store holds."""
    expected = printed("inspect", *command, "--json", "--store", str(untouched))
    assert printed("inspect", *command, "--json", "--store", str(written)) == expected
    assert expected and "ncommitted" not in expected


def test_inspect_stats(untouched: Path, written: Path) -> None:
    """All counts; the files' size and what is pending may differ."""
    expected, found = (
        orjson.loads(printed("inspect", "stats", "--json", "--store", str(store)))
        for store in (untouched, written)
    )
    for counts in (expected, found):
        del counts["bytes"], counts["pending_documents"]
    assert found == expected


def graph_files(store: Path) -> tuple[str, str]:
    """The page and GraphML."""
    page, graphml = store / "a.html", store / "a.graphml"
    files = ("--html", str(page), "--graphml", str(graphml))
    printed("inspect", "graph", *files, "--store", str(store))
    return page.read_text(), graphml.read_text()


def test_the_graph_as_files(expected_files: tuple[str, str], written: Path) -> None:
    """The page and GraphML."""
    assert graph_files(written) == expected_files
    assert "ncommitted" not in str(expected_files)


@pytest.fixture(scope="module")
def expected_files(untouched: Path) -> tuple[str, str]:
    """The files of the untouched store; made once."""
    return graph_files(untouched)


def pictured(store: Path, mode: str) -> str:
    """What ``ask --html`` writes."""
    page = store / "answer.html"
    printed(
        *("ask", NAMES, "--html", str(page), "--mode", mode, "--answer", "extractive"),
        *("--json", "--store", str(store)),
    )
    return page.read_text()


@pytest.fixture(scope="module")
def expected_picture(untouched: Path) -> Callable[[str], str]:
    """The page of an answer from the untouched store; made once."""
    return cache(partial(pictured, untouched))


@pytest.mark.parametrize("mode", ["walk", "auto", "lean", "e2", "mix"])
def test_the_picture_of_an_answer(
    expected_picture: Callable[[str], str], written: Path, mode: str
) -> None:
    """``ask --html``."""
    assert pictured(written, mode) == expected_picture(mode)
    assert "ncommitted" not in expected_picture(mode)


def test_no_query_of_a_reader_names_a_table_with_pending_rows(written: Path) -> None:
    """SQLite refuses it, whoever writes such a query."""
    with open_snapshot(written) as opened:
        for table in VIEWED:
            with pytest.raises(sqlite3.DatabaseError, match="prohibited"):
                opened.db.execute(f"SELECT * FROM {table}")
            rows = opened.db.execute(f"SELECT count(*) FROM live_{table}").fetchone()[0]
            assert rows or table == "scanned_lines"  # nothing is scanned here


def test_the_server(untouched: Path, written: Path) -> None:
    """Each of its tools."""

    def told(store: Path) -> list[Any]:
        tools, call = Tools(Served([store]), SETTINGS), Call()
        answer, status = tools.ask(call, OVERVIEW), tools.status(call)
        del answer["timings_ms"], status["bytes"], status["pending_documents"]
        return [
            *(answer, status, tools.search(call, OVERVIEW), tools.search(call, NAMES)),
            *(tools.get_document(call, CHANGED), tools.get_document(call, REMOVED)),
            *(tools.list_documents(call), tools.neighbours(call, "Kesselhorn")),
        ]

    assert told(written) == told(untouched)
