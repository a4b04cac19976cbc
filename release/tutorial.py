"""Run the commands of docs/tutorial.md and docs/replies.md, the transcript of
docs/how-to/agents.md, and the looks of the replies (``release/looks.py``), anew.

    python -m release.tutorial

Commands are lines of ``console`` blocks that begin with ``$ ``. Progress and times are left
out; figures that differ from run to run (seconds) are compared by their shape only.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from release import in_process, looks
from release.transcript import put, transcript

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "tutorial.md"
REPLIES = ROOT / "docs" / "replies.md"
AGENTS = ROOT / "docs" / "how-to" / "agents.md"

_BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
_NOTES = re.compile(r"index: \d+%|[\d,.]+ words/s|\d+ passages, \d+ tokens; ")
_SHELL = frozenset("|;&<>$`*")
"""Characters of commands that need a shell."""
_VARIES = re.compile(r"\d+(?:[.,]\d+)*(?= (?:s|ms|min|MB|kB|GB)\b)")


def run(text: str, place: Path) -> str:
    """The page with the output that its commands give in a folder, one after the other."""
    shutil.copytree(ROOT / "sample_corpus", place / "sample_corpus")
    return _BLOCK.sub(lambda block: f"```console\n{_ran(block[1], place)}```", text)


def same(ours: str, theirs: str) -> bool:
    """Whether two pages differ in times and sizes only."""
    return _VARIES.sub("N", ours) == _VARIES.sub("N", theirs)


def environment() -> dict[str, str]:
    """Variables under which a command finds this ragcli and prints no colours."""
    ways = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PYTHONPATH": ways, "COLUMNS": "88", "NO_COLOR": "1"}


def _ran(block: str, place: Path) -> str:
    commands = [line for line in block.splitlines() if line.startswith("$ ")]
    return "".join(f"{command}\n{_output(command[2:], place)}" for command in commands)


def _output(command: str, place: Path) -> str:
    if command.startswith("ragcli ") and not _SHELL.intersection(command):
        done = in_process.run(shlex.split(command)[1:], place, env=environment())
    else:
        shell = ["bash", "-c", command]
        done = subprocess.run(
            shell, cwd=place, env=environment(), capture_output=True, text=True, timeout=600
        )
    text = (done.stdout + done.stderr).replace(f"{place}/", "").replace(str(place), ".")
    lines = [line.rstrip() for line in text.rstrip().splitlines() if not _NOTES.match(line)]
    text = "\n".join(lines).strip("\n")
    return f"{text}\n" if text else ""


def main() -> None:
    """Rewrite the pages."""
    with tempfile.TemporaryDirectory() as folder:
        text = run(PAGE.read_text(encoding="utf-8"), Path(folder))
        replies = run(REPLIES.read_text(encoding="utf-8"), Path(folder) / "replies")
        looks.write(replies, Path(folder) / "replies")
        session = transcript(Path(folder) / ".ragcli", environment())
    PAGE.write_text(text, encoding="utf-8")
    REPLIES.write_text(replies, encoding="utf-8")
    AGENTS.write_text(put(AGENTS.read_text(encoding="utf-8"), session), encoding="utf-8")


if __name__ == "__main__":
    main()
