"""The README's commands, run as they stand."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```console\n(.*?)```", TEXT, re.DOTALL)
COMMANDS = [line[2:] for block in BLOCKS for line in block.splitlines() if line.startswith("$ ")]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sample corpus in it, as in a fresh clone."""
    made = tmp_path_factory.mktemp("readme")
    shutil.copytree(ROOT / "sample_corpus", made / "sample_corpus")
    return made


def run(command: str, place: Path) -> subprocess.CompletedProcess[str]:
    """A command in a shell that finds this environment's ragcli first."""
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        ["bash", "-c", command], cwd=place, env=env, capture_output=True, text=True, timeout=300
    )


def test_the_commands_end_as_they_say(place: Path) -> None:
    """Every ``$ ragcli`` line exits with 0, or with the code that its comment names.

    The output printed in the README is that of the command above it, to the character.
    """
    tried = [c for c in COMMANDS if c.startswith("ragcli ")]
    assert len(tried) >= 8
    for command in tried:
        expected = int(m.group(1)) if (m := re.search(r"# exits with (\d)", command)) else 0
        done = run(command, place)
        assert done.returncode == expected, f"{command}: {done.stderr}"
        if command == next(c for c in COMMANDS if c.startswith("ragcli ask")):
            (shown,) = re.findall(
                r"<!-- the answer of the second command -->\n```text\n(.*?)```", TEXT, re.DOTALL
            )
            assert done.stdout.strip() == shown.strip()


def test_the_example_in_python_runs(place: Path) -> None:
    """As it stands, beside the sample corpus."""
    (example,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", example], cwd=place, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert "[1]" in done.stdout and "\n3 " in done.stdout


def test_the_two_commands_come_first_and_exist() -> None:
    """``make demo`` and ``make test`` are the first commands shown, and targets of the Makefile."""
    assert COMMANDS[:2] == ["make demo", "make test"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(re.search(rf"^{c.split()[1]}:", makefile, re.MULTILINE) for c in COMMANDS[:2])


def test_every_command_is_in_the_readme() -> None:
    """No command of the program is left out of the README's table."""
    from typer.main import get_command

    from ragcli.cli.commands import app

    names = get_command(app).commands  # type: ignore[attr-defined]
    assert not [name for name in names if f"`ragcli {name}" not in TEXT]


def test_links_lead_somewhere() -> None:
    """Every relative link names a file that is there."""
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", TEXT)
    assert links and not [link for link in links if not (ROOT / link).exists()]
