"""The doctor: sound where all is well, and each trouble found with what mends it."""

from __future__ import annotations

import doctest
import json
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import replace
from importlib.metadata import requires
from pathlib import Path

import pytest
from conftest import ROOT, Run

from ragcli.config import Settings
from ragcli.maintaining import doctor, libraries
from ragcli.maintaining.doctor import examine
from ragcli.maintaining.libraries import CheckResult
from ragcli.store.connection import FILE


@pytest.fixture
def no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """The proof takes seconds and is tried by a test of its own."""
    monkeypatch.setattr(doctor, "_network", lambda: CheckResult("network", "ok", "not tried"))


def states(store: Path | None, settings: Settings | None = None) -> dict[str, CheckResult]:
    return {check.name: check for check in examine(settings or Settings(), store)}


@pytest.mark.usefixtures("no_proof")
def test_a_sound_place(sample_store: Path) -> None:
    """Nothing bad, and every check says what it found."""
    found = states(sample_store)
    assert all(check.state != "bad" and check.finding for check in found.values())
    assert found["store"].state == "ok" and "39 documents" in found["store"].finding


@pytest.mark.usefixtures("no_proof")
def test_troubles_are_bad_and_have_a_hint(own_store: Path, tmp_path: Path) -> None:
    """A missing embedder, lost derived files, and a store that is none."""
    missing = replace(Settings(), embedder=str(tmp_path / "none"))
    assert states(None, missing)["embedder"].state == "bad"
    for path in (own_store / "derived").glob("*.json"):
        path.unlink()
    derived = states(own_store)["derived files"]
    assert derived.state == "bad" and derived.hint == "ragcli inspect check"
    (own_store / FILE).write_bytes(b"not a database, but long enough to be looked at" * 100)
    broken = states(own_store)["store"]
    assert broken.state == "bad" and broken.hint


@pytest.mark.usefixtures("no_proof")
def test_every_library_of_the_metadata_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is missing or too old is bad, one of an extra is a note; nothing is left out."""
    versions = {"msgpack": "", "igraph": "0.10.0", "llama-cpp-python": ""}
    real = libraries._version
    monkeypatch.setattr(libraries, "_version", lambda name: versions.get(name, real(name)))
    found = states(None)
    wanted = [libraries.parse(line) for line in requires("ragcli") or ()]
    assert {r.name for r in wanted if not r.extra} <= found.keys()
    assert not {"pytest", "ruff"} & found.keys()
    assert found["msgpack"].state == "bad" and found["msgpack"].finding == "not installed"
    assert found["msgpack"].hint.startswith('pip install "msgpack>=')
    assert found["igraph"].state == "bad" and "0.10.0 is installed" in found["igraph"].finding
    assert found["llama-cpp-python"].state == "note"
    assert found["llama-cpp-python"].hint == 'pip install "ragcli[llm]"'
    monkeypatch.setattr(libraries, "_required", list)
    assert states(None)["libraries"].state == "note"


def test_versions_with_known_faults_are_excluded() -> None:
    """By the lower bounds in pyproject.toml; pypdf is only measured against."""
    least = {
        "torch": (2, 10),
        "sentence-transformers": (6, 0),
        "pypdf": (6, 16, 2),
        "lxml": (6, 1),
        "jinja2": (3, 1, 6),
        "orjson": (3, 11, 6),
        "filelock": (3, 20, 3),
        "llama-cpp-python": (0, 3, 36),
    }
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    lines = [*project["dependencies"], *(line for extra in extras for line in extra)]
    bounds = dict(re.findall(r"^([\w-]+)>=([\d.]+)", "\n".join(lines), re.M))
    for name, version in least.items():
        assert tuple(map(int, bounds[name].split("."))) >= version, name


def test_the_doctor_needs_none_of_the_libraries(tmp_path: Path) -> None:
    """Without NumPy nothing else could be looked at; what is missing is still told."""
    (tmp_path / "sitecustomize.py").write_text(
        "import importlib.metadata as metadata, sys\n"
        "sys.modules['numpy'] = sys.modules['faiss'] = None\n"
        "real = metadata.version\n"
        "def version(name):\n"
        "    if name in ('numpy', 'faiss-cpu'):\n"
        "        raise metadata.PackageNotFoundError(name)\n"
        "    return real(name)\n"
        "metadata.version = version\n"
    )
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-m", "ragcli", "doctor"],
        capture_output=True, text=True, timeout=120, env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    bad = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("BAD")]
    assert bad == ["faiss-cpu", "numpy"] and 'pip install "numpy>=' in done.stdout


def test_examples_of_versions() -> None:
    """Bounds are compared number by number."""
    assert doctest.testmod(libraries).failed == 0


def test_the_proof_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that asks for an address is caught."""
    spy = (
        doctor._WATCH + "\nif 'ragcli' in ''.join(sys.orig_argv):\n    socket.getaddrinfo('a', 1)\n"
    )
    monkeypatch.setattr(doctor, "_WATCH", spy)
    check = doctor._network()
    assert check.state == "bad" and "socket.getaddrinfo" in check.finding


def test_on_the_command_line(ragcli: Run, sample_store: Path) -> None:
    """All of it, the proof included."""
    done = ragcli("doctor", "--json", "--store", sample_store)
    found = json.loads(done.stdout)
    assert done.returncode == 0 and found["ok"] is True
    by_name = {check["name"]: check for check in found["checks"]}
    assert by_name["network"]["state"] == "ok" and by_name["store"]["state"] == "ok"


def test_fix_repairs_the_store_and_says_so(own_store: Path) -> None:
    """Derived files are made again; a sound store gets no repair; a broken one a command."""
    for path in (own_store / "derived").glob("*.json"):
        path.unlink()
    (fixed,) = doctor.mend(Settings(), own_store)
    assert fixed.name == "derived files" and fixed.finding.startswith("fixed: rebuilt")
    assert list(doctor.mend(Settings(), own_store)) == []
    (own_store / FILE).write_bytes(b"not a database, but long enough to be looked at" * 100)
    (broken,) = doctor.mend(Settings(), own_store)
    assert broken.state == "bad" and broken.finding.startswith("not fixed") and broken.hint
