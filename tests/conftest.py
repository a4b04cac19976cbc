"""What many tests share: the sample corpus, a store made from it, and the command line."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from numpy.typing import NDArray

from ragcli.models.model_set import ModelSet
from ragcli.store.place import confirm
from release import in_process

# How long an example takes to make or to run says how busy the machine is, and nothing else.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

# A job in the background of a shell ignores Ctrl-C, and so do the processes that it starts. Tests
# that press Ctrl-C must not depend on where they run.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "sample_corpus"

Run = Callable[..., subprocess.CompletedProcess[str]]

# What a slow test needs: a store of the sample corpus, whole processes, or real models.
SLOW = {
    "ragcli",
    "called",
    "sample_store",
    "data",
    "exact",
    "light",
    "offsets",
    "model",
    "reader",
    "quick",
    "long_documents",
}


# Rooms and files whose tests index documents, start processes or load models by themselves.
SLOW_PLACES = {"indexing", "enriching", "maintaining", "models"} | {
    *("test_api.py", "test_every_state.py", "test_offline.py", "test_readme.py"),
    "test_several_stores.py",
}


@pytest.fixture(scope="session", autouse=True)
def models_of_these_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder of added models for all tests: what fakes do is not kept beside the user's own."""
    folder, former = tmp_path_factory.mktemp("models"), os.environ.get("RAGCLI_MODELS")
    os.environ["RAGCLI_MODELS"] = str(folder)
    yield folder
    if former is None:
        del os.environ["RAGCLI_MODELS"]
    else:
        os.environ["RAGCLI_MODELS"] = former


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests as slow by what they need; ``make test-fast`` leaves them out."""
    for item in items:
        needs = SLOW.intersection(item.fixturenames) if isinstance(item, pytest.Function) else ()
        if needs or SLOW_PLACES & {item.path.parent.name, item.path.name}:
            item.add_marker("slow")


@pytest.fixture(scope="session")
def ragcli() -> Run:
    """Runs ``ragcli ARGS...`` as a whole process; keywords go to subprocess.run."""

    def run(*args: object, **more: Any) -> subprocess.CompletedProcess[str]:
        env = {**os.environ, **more.pop("env", {})}
        return subprocess.run(
            [sys.executable, "-m", "ragcli", *map(str, args)],
            capture_output=True,
            text=True,
            timeout=300,
            env=env,
            **more,
        )

    return run


@pytest.fixture
def called() -> Run:
    """The same in this process, which saves the imports; not with --debug, which would stay on."""

    def run(*args: object, **more: Any) -> subprocess.CompletedProcess[str]:
        return in_process.run([str(arg) for arg in args], **more)

    return run


@pytest.fixture(scope="session")
def sample_store(tmp_path_factory: pytest.TempPathFactory, ragcli: Run) -> Path:
    """A store of the sample corpus with a hierarchy, to be read only."""
    store = tmp_path_factory.mktemp("sample") / ".ragcli"
    done = ragcli("index", SAMPLE, "--hierarchy", "--store", store, "--quiet")
    assert done.returncode == 0, done.stderr
    return store


def settle(store: Path) -> None:
    """Let a copy of a store be at home where it lies, as if it had been made there."""
    with closing(sqlite3.connect(store / "store.sqlite", isolation_level=None)) as db:
        confirm(db, store)


@pytest.fixture
def own_store(sample_store: Path, tmp_path: Path) -> Path:
    """A copy of the sample store that a test may change."""
    copy = tmp_path / "own" / ".ragcli"
    shutil.copytree(sample_store, copy)
    settle(copy)
    return copy


@pytest.fixture
def own(sample_store: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A copy of documents and store that a test may change."""
    docs, store = tmp_path / "docs", tmp_path / "s"
    shutil.copytree(SAMPLE, docs)
    shutil.copytree(sample_store, store)
    db = sqlite3.connect(store / "store.sqlite")
    db.execute("UPDATE roots SET path = ?", (os.fsencode(docs),))
    db.commit()
    db.close()
    settle(store)
    return docs, store


@pytest.fixture(scope="session")
def data() -> Path:
    """The evaluation data, named by RAGCLI_DATA; tests that need it skip without."""
    folder = os.environ.get("RAGCLI_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("RAGCLI_DATA names no folder with evaluation data")
    return Path(folder)


@pytest.fixture(scope="session", autouse=True)
def _embedding_here() -> Iterator[None]:
    """Runs in the tests' process load the embedder once, and not in a process for each run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ModelSet, "embed_beside", lambda _: None)
        yield


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Vectors by hash of the text; nothing waits for the disk."""

    def embed(_: ModelSet, texts: Sequence[str], *_more: object) -> NDArray[np.float16]:
        seeds = [int.from_bytes(sha256(t.encode()).digest()[:8]) for t in texts]
        rows = [np.random.default_rng(seed).standard_normal(384) for seed in seeds]
        return np.array([row / np.linalg.norm(row) for row in rows], np.float16).reshape(-1, 384)

    monkeypatch.setattr(ModelSet, "embed", embed)
    monkeypatch.setattr(os, "fsync", lambda _: None)
    return monkeypatch


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 2 MB in memory; its mount options can be changed by ``remount``."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("mounting a small disk needs root on Linux")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def remount(disk: Path, options: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{options}", str(disk)], check=True)
