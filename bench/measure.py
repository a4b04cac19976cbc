"""What the benchmarks share: whole processes measured, documents to measure with, tables."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
RAGCLI = (sys.executable, "-m", "ragcli")


@dataclass(frozen=True)
class Run:
    """A process that has ended well.

    ``cpu``: processor seconds of it and its children, which hold on a busy machine, too;
    ``written``: bytes it handed to write() (Linux; 0 elsewhere), its output included;
    ``peak``: bytes of memory of the largest of it and its children.
    """

    seconds: float
    cpu: float
    written: int
    peak: int
    out: str


def run(
    args: Sequence[object],
    given: str = "",
    env: Mapping[str, str] | None = None,
    fine: Sequence[int] = (0,),
) -> Run:
    """Run a command to its end; SystemExit with its messages unless its exit code is fine."""
    with (
        tempfile.TemporaryFile("w+") as stdin,
        tempfile.TemporaryFile("w+") as stdout,
        tempfile.TemporaryFile("w+") as stderr,
    ):
        stdin.write(given)
        stdin.seek(0)
        began = time.perf_counter()
        process = subprocess.Popen(
            list(map(str, args)),
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            env={**os.environ, **(env or {})},
        )
        # Ended but not yet collected: its counters can still be read.
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        seconds = time.perf_counter() - began
        written = _written(process.pid)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        stdout.seek(0)
        stderr.seek(0)
        if process.returncode not in fine:
            raise SystemExit(f"{' '.join(map(str, args))}\n{stderr.read()[-2000:]}")
        cpu = usage.ru_utime + usage.ru_stime
        return Run(seconds, cpu, written, usage.ru_maxrss * 1024, stdout.read())


def _written(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/io").read_text().splitlines()
    except OSError:
        return 0
    return next(int(line.split()[1]) for line in lines if line.startswith("wchar"))


def data(*names: str) -> list[Path]:
    """Folders below RAGCLI_DATA; tells why and ends the benchmark when one is absent."""
    root = os.environ.get("RAGCLI_DATA")
    if not root:
        print("skipped: RAGCLI_DATA does not name a folder with evaluation data")
        raise SystemExit(0)
    folders = [Path(root) / name for name in names]
    for folder in folders:
        if not folder.is_dir():
            print(f"skipped: {folder} is not there")
            raise SystemExit(0)
    return folders


def passages(*folders: Path) -> list[str]:
    """The texts of corpus.jsonl in these folders, titles in front, without repeats."""
    texts: dict[str, None] = {}
    for folder in folders:
        for line in (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            texts[f"{record.get('title', '')}. {record['text']}"] = None
    return list(texts)


def pieces(words: int, count: int = 0) -> list[str]:
    """Real texts cut into pieces of so many words, in a shuffled order that is always the same.

    If these are fewer than ``count``, passages of the training data follow, joined to pieces of at
    least so many words, about 12,000 of 350.
    """
    short = passages(*data("hotpotqa-100", "musique-100"))
    long = [
        path.read_text(encoding="utf-8", errors="replace")
        for folder in data("ultradomain-mix", "novels")
        for path in sorted(folder.glob("*.txt"))
    ]
    found: dict[str, None] = {}
    for text in (*short, *long):
        said = text.split()
        for at in range(0, len(said) - words // 2, words):
            found[" ".join(said[at : at + words])] = None
    out = list(found)
    Random(1).shuffle(out)
    return [*out, *islice(_trained_on(words), max(0, count - len(out)))]


def _trained_on(words: int) -> Iterator[str]:
    """Pieces of the passages of the training data, without repeats, in their order."""
    seen: set[str] = set()
    parts: list[str] = []
    length = 0
    for path in sorted(data("qa-training")[0].glob("*-train.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for context in (one for line in lines for one in json.loads(line)["contexts"]):
                if context["text"] in seen:
                    continue
                seen.add(context["text"])
                parts.append(f"{context['title']}\n\n{context['text']}")
                length += len(context["text"].split())
                if length >= words:
                    yield "\n\n".join(parts)
                    parts, length = [], 0


def questions(folder: Path, count: int) -> list[str]:
    """The first questions of a set."""
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["question"] for line in lines[:count]]


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table, the first column to the left and the others to the right."""
    columns = list(zip(heads, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    for row in (heads, *rows):
        first, *others = (
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        print("  ".join([first, *others]))


def ms(runs: Sequence[Run]) -> float:
    """Median milliseconds."""
    return 1000 * median(run.seconds for run in runs)


def cpu_ms(runs: Sequence[Run]) -> float:
    """Median milliseconds of processor time."""
    return 1000 * median(run.cpu for run in runs)


def kib(runs: Sequence[Run]) -> float:
    """Median KiB written."""
    return median(run.written for run in runs) / 1024
