"""The doctor: sound where all is well, and each trouble found with what mends it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Run

from ragcli.config import Settings
from ragcli.maintaining import doctor
from ragcli.maintaining.doctor import CheckResult, examine
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
