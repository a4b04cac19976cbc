"""Workers without a store, and the engine that gives tasks to them: Ray."""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from conftest import ROOT, Run
from made_embedders import make_model
from stops import write_folder

from ragcli.config import Settings
from ragcli.errors import InputError, StoreVersion
from ragcli.indexing import document_worker, ray_engine
from ragcli.indexing import index as index_module
from ragcli.indexing.changes import ReadPlan
from ragcli.indexing.document_worker import DocumentTask, DocumentWorker, WorkedBatch, tasks_of
from ragcli.indexing.index import index
from ragcli.indexing.ray_engine import each_worked
from ragcli.indexing.request import IndexRequest
from ragcli.models.model_set import ModelSet
from ragcli.store.digest import digest
from ragcli.store.snapshot import open_snapshot
from ragcli.types import Source

SETTINGS = Settings(workers=1)
CLUSTER_RUN = Path(__file__).with_name("ray_cluster_run.py")
# Seconds; a machine that does nothing else needs 30.
LONGEST = 300
# As docs/how-to/several-machines.md advises.
NOWHERE = "http://127.0.0.1:9"


def parts_of(store: Path) -> dict[str, str]:
    with open_snapshot(store) as snapshot:
        return digest(snapshot)


def in_this_process(
    tasks: Sequence[DocumentTask], settings: Settings, prints: Mapping[str, str], _address: str
) -> Iterator[WorkedBatch]:
    """An engine: a worker here; tasks and results are pickled as on their way to another one."""
    worker = DocumentWorker(settings, prints)
    for task in tasks:
        for worked in worker.work(pickle.loads(pickle.dumps(task))):
            yield pickle.loads(pickle.dumps(worked))


def test_what_workers_return_makes_the_same_store(
    tmp_path: Path, quick: pytest.MonkeyPatch
) -> None:
    """From the first run on, after changes, and with files that cannot be read."""
    docs = tmp_path / "docs"
    write_folder(docs, 9, seed=1)
    (docs / "broken.docx").write_bytes(b"PK\x03\x04 no document")
    (docs / "r.jsonl").write_text('{"_id": "a", "text": "Jon Berg left Rome."}\nno record\n')
    quick.setattr(index_module, "each_worked", in_this_process)
    quick.setattr(document_worker, "_FILES", 4)
    quick.setattr(document_worker, "PER_RESULT", 2)
    remote = IndexRequest(tmp_path / "r", (docs,), engine="ray")
    for _ in range(2):
        done = index(remote, SETTINGS)
        local = index(IndexRequest(tmp_path / "l", (docs,)), SETTINGS)
        for name in ("added", "changed", "removed", "unchanged", "failed", "words", "documents"):
            assert getattr(done, name) == getattr(local, name), name
        assert parts_of(tmp_path / "r") == parts_of(tmp_path / "l")
        (docs / "doc1.md").unlink(missing_ok=True)
        (docs / "doc2.md").write_text("# New\n\nMara Linde left Genoa.\n")
        (docs / "r.jsonl").write_text('{"_id": "b", "text": "Jon Berg left Genoa."}\n')


def test_tasks_end_after_files_and_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_worker, "_FILES", 3)
    sizes = [1, 1, 1, 1, 2 << 20, 1]
    plan = ReadPlan([Source(f"{n}.md", f"/{n}.md", size, 0) for n, size in enumerate(sizes)])
    tasks = list(tasks_of(plan, {}, limits=None))  # type: ignore[arg-type]
    assert [[s.id[0] for s in task.sources] for task in tasks] == [list("012"), list("34"), ["5"]]


def test_a_worker_with_other_models_is_refused() -> None:
    prints = ModelSet(SETTINGS).prints() | {"extractor": "another"}
    with pytest.raises(StoreVersion, match="another"):
        DocumentWorker(SETTINGS, prints)


def test_without_ray_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is written; without a file to read nothing is started."""

    def missing(name: str) -> None:
        raise ImportError(f"No module named {name!r}")

    monkeypatch.setattr(ray_engine, "import_module", missing)
    before = dict(os.environ)
    assert list(each_worked([], SETTINGS, {})) == []
    task = DocumentTask((), {}, limits=None, shard=None)  # type: ignore[arg-type]
    with (
        closing(each_worked([task], SETTINGS, {})) as results,
        pytest.raises(InputError, match="needs the library Ray"),
    ):
        next(results)
    assert dict(os.environ) == before


@pytest.mark.parametrize(
    ("more", "told"),
    [({"engine": "dask"}, "--engine cannot be 'dask'"), ({"address": "auto"}, "--address needs")],
)
def test_wrong_engines_are_refused(tmp_path: Path, more: dict[str, str], told: str) -> None:
    (tmp_path / "a.md").write_text("Jon Berg.")
    with pytest.raises(InputError, match=told):
        index(IndexRequest(tmp_path / "s", (tmp_path,), **more), SETTINGS)  # type: ignore[arg-type]
    assert not (tmp_path / "s").exists()


def end_all(process: subprocess.Popen[str]) -> None:
    """End a process and what it has started, which may have groups of their own."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(stat.parent.name))
    todo = [process.pid]
    while todo:
        pid = todo.pop()
        todo += children.get(pid, [])
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    process.wait(timeout=30)


def run(*command: object) -> str:
    """The output of a process, which is ended after a time with all that it has started."""
    paths = [str(ROOT), *sys.path]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "RAY_USAGE_STATS_ENABLED": "0"}
    env |= {"RAY_worker_niceness": "0", "RAY_USAGE_STATS_REPORT_URL": NOWHERE}
    env |= {"http_proxy": NOWHERE, "https_proxy": NOWHERE}
    process = subprocess.Popen(
        [*map(str, command)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=env,
    )
    try:
        out, _ = process.communicate(timeout=LONGEST)
    except subprocess.TimeoutExpired:
        end_all(process)
        raise
    assert process.returncode == 0, out[-3000:]
    return out


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory, ragcli: Run) -> Path:
    """A folder, a small embedder beside it, and a store of the local engine."""
    pytest.importorskip("ray", reason="needs the extra ray")
    base = tmp_path_factory.mktemp("ray")
    write_folder(base / "docs", 60, seed=1)
    make_model(base / "model")
    settings = Settings(workers=1, embedder=str(base / "model"))
    index(IndexRequest(base / "local", (base / "docs",)), settings)
    return base


def test_a_killed_worker_and_a_killed_node_cost_their_tasks_only(documents: Path) -> None:
    """On a cluster of two nodes on this machine; the store is that of the local engine."""
    store, model = documents / "cluster", documents / "model"
    out = run(sys.executable, CLUSTER_RUN, documents / "docs", store, model)
    assert "killed a worker" in out and "killed a node" in out and "added 60" in out
    assert parts_of(store) == parts_of(documents / "local")


# Runs a command in a network without a way out, which counts what would leave.
NETWORK = """
ip link set lo up
count() { awk '/^Ip: [0-9]/ { n += $13 } /^Ip6OutNoRoutes/ { n += $2 } END { print n }' \\
    /proc/net/snmp /proc/net/snmp6; }
before=$(count)
"$@" || exit 1
echo "tried: $(($(count) - before))"
"""


def test_nothing_is_sent_to_other_machines(documents: Path) -> None:
    """Ray alone on this machine: not even an attempt."""

    def tried(*command: object) -> int:
        out = run("unshare", "-n", "bash", "-c", NETWORK, "bash", *command)
        return int(out.rpartition("tried: ")[2])

    probe = subprocess.run(["unshare", "-n", "true"], capture_output=True, timeout=30)
    if probe.returncode or not all(map(shutil.which, ("ip", "bash", "awk"))):
        pytest.skip("a network namespace needs root on Linux")
    if not tried("bash", "-c", "(echo > /dev/udp/8.8.8.8/53) 2> /dev/null; true"):
        pytest.skip("the system does not count what cannot leave")
    store, model = documents / "alone", documents / "model"
    command = [sys.executable, "-m", "ragcli", "index", documents / "docs", "--store", store]
    options = ["--embedder", model, "--engine", "ray", "--workers", "1", "--quiet"]
    assert tried(*command, *options) == 0
    assert parts_of(store) == parts_of(documents / "local")


def test_the_error_of_a_worker_is_told_as_it_was_raised() -> None:
    """Ray wraps it, once in an error that is of both classes."""

    class Wrapped(RuntimeError):
        def __init__(self, cause: Exception) -> None:
            super().__init__("many lines\nof a traceback")
            self.cause = cause

    class Both(StoreVersion, Wrapped):
        def __init__(self, cause: Exception) -> None:
            Wrapped.__init__(self, cause)

    raised = StoreVersion("other models", "install the same")
    assert ray_engine._told(Both(raised)) is raised
    assert ray_engine._told(Wrapped(raised)) is raised
    lost = ray_engine._told(RuntimeError("first\nlast line"))
    assert isinstance(lost, InputError) and lost.message == "the cluster failed: last line"


def test_a_cluster_that_is_not_there_is_told_at_once() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(InputError, match=f"cannot connect to the Ray cluster {address}"):
            ray_engine._connect(None, address, {})
