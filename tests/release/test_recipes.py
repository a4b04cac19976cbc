"""The recipes of the documentation as they stand: CI steps, and a machine without a network."""

from __future__ import annotations

import json
import os
import site
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from release.tutorial import environment

ROOT = Path(__file__).resolve().parent.parent.parent

pytestmark = pytest.mark.slow

# Every Python process refuses to use the network and writes down that it was tried.
REFUSED = """
import os, socket, sys

def watch(event, args):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        if getattr(args[0], "family", None) != socket.AF_UNIX:
            with open(os.environ["TRIED"], "a") as log:
                log.write(f"{event} {args}\\n")
            raise OSError("no network here")

sys.addaudithook(watch)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder of documents and two questions, one of which the documents answer."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "pump.md").write_text("# Pump\n\nThe pump in hall 3 was made by Wilhelm Bauer.\n")
    (docs / "valve.md").write_text("# Valve\n\nThe valve opens at 40 bar.\n")
    questions = [
        {"id": "q1", "question": "Who made the pump in hall 3?", "evidence": ["pump.md"]},
        {"id": "q2", "question": "At what pressure does the valve open?", "evidence": ["valve.md"]},
    ]
    lines = "".join(json.dumps(q) + "\n" for q in questions)
    (tmp_path / "questions.jsonl").write_text(lines)
    return tmp_path


def steps(project: Path, threshold: str, **env: str) -> subprocess.CompletedProcess[str]:
    script = ROOT / "release" / "ci_steps.sh"
    return subprocess.run(
        ["bash", str(script), "docs", "questions.jsonl", threshold, "report"],
        cwd=project,
        env={**environment(), **env},
        capture_output=True,
        text=True,
        timeout=600,
    )


def test_the_steps_of_ci(project: Path) -> None:
    """They pass, fail below the threshold, and fail for a store that is out of date."""
    good = steps(project, "recall@5=1.0")
    assert good.returncode == 0, good.stderr
    suites = ET.parse(project / "report" / "junit.xml").getroot()
    assert len(list(suites.iter("testcase"))) >= 2 and not list(suites.iter("failure"))
    assert (project / "report" / "report.html").stat().st_size > 1000

    wrong = [{"id": "q3", "question": "Who painted the ceiling?", "evidence": ["ceiling.md"]}]
    with (project / "questions.jsonl").open("a") as file:
        file.writelines(json.dumps(q) + "\n" for q in wrong)
    below = steps(project, "recall@5=1.0", KEEP_STORE="1")
    assert below.returncode == 1
    assert list(ET.parse(project / "report" / "junit.xml").getroot().iter("failure"))

    (project / "docs" / "new.md").write_text("The roof leaks.\n")
    outdated = steps(project, "recall@5=0.1", KEEP_STORE="1")
    assert outdated.returncode == 1 and "added new.md" in outdated.stdout


def test_a_machine_without_a_network(project: Path) -> None:
    """Packed here, checked and installed there, asked there; nothing tries to use a socket.

    Simulated: the wheels of the dependencies are not carried; the second environment sees those
    that are installed in the environment of the tests.
    """
    refusing = project / "refusing"
    refusing.mkdir()
    (refusing / "sitecustomize.py").write_text(REFUSED)
    env = {**environment(), "TRIED": str(project / "tried")}

    def run(*command: object, **more: str) -> str:
        done = subprocess.run(
            list(map(str, command)),
            cwd=project,
            env={**env, **more},
            capture_output=True,
            text=True,
            timeout=900,
        )
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index"]
    copy = project / "source"
    run("git", "-C", ROOT, "worktree", "list")  # a clone, or there is nothing to build from
    run("git", "clone", "--quiet", "--depth", "1", f"file://{ROOT}", copy)
    run(*pip, "--no-build-isolation", "--wheel-dir", project / "own", copy)
    run("ragcli", "index", "docs", "--store", "s", "--quiet")
    script = ROOT / "release" / "airgap.sh"
    run("bash", script, "pack", "crossing", "s", AIRGAP_WHEELS=str(project / "own"))
    assert {p.name for p in (project / "crossing").iterdir()} == {
        *("wheels", "documents.rag", "install.sh", "SHA256SUMS")
    }

    ways = os.pathsep.join([str(refusing), *site.getsitepackages()])
    there = {"PYTHONPATH": ways, "AIRGAP_PIP": "--no-deps --ignore-installed"}
    # The doctor must find the wheel's ragcli, not this folder's.
    told = run("bash", "crossing/install.sh", "there", **there)
    assert "BAD" not in told
    ragcli = project / "there" / "bin" / "ragcli"
    where = run(
        project / "there" / "bin" / "python", "-c", "import ragcli; print(ragcli.__file__)", **there
    )
    assert where.startswith(str(project / "there"))
    run(ragcli, "bundle", "import", "crossing/documents.rag", "--store", "t", "--quiet", **there)
    asked = run(ragcli, "ask", "Who made the pump in hall 3?", "--store", "t", **there)
    assert asked.startswith("Wilhelm Bauer")
    assert not (project / "tried").exists()

    with (project / "crossing" / "documents.rag").open("ab") as file:
        file.write(b"damaged on the way")
    broken = subprocess.run(
        ["bash", "crossing/install.sh", "other"], cwd=project, capture_output=True, text=True
    )
    assert broken.returncode != 0 and "documents.rag" in broken.stdout + broken.stderr
