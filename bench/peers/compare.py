"""LightRAG and ragcli side by side: one document added or deleted, and the first question.

    make bench-peers                                      (RAGCLI_DATA names the data)

Everything is a whole process, in turns, on the same passages with the same embedder and weights.
LightRAG's language model is a stub that answers at once, so its real cost (a model's reply for
each chunk) is left out, while ragcli runs its English pipeline; how often it was asked, and with
how many characters, stands in the last columns. Medians of three. Sizes other than 10, 100 and
300 documents may be given as arguments.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from statistics import median

from measure import RAGCLI, ROOT, Run, cpu_ms, data, kib, ms, passages, questions, run, table

from ragcli.models.locate import embedder_folder

SIZES = tuple(map(int, sys.argv[1:])) or (10, 100, 300)
REPEATS = 3
PEER = ROOT / ".venv-peers" / "bin" / "python"
WORKER = Path(__file__).with_name("lightrag_worker.py")
EMBEDDER = embedder_folder()


class Theirs:
    """LightRAG's folder, worked on by one process for each change."""

    name = "LightRAG"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.inner: list[float] = []
        self.asked: list[dict[str, int]] = []

    def _run(self, **job: object) -> Run:
        env = {"PYTHONPATH": str(ROOT), "LOG_LEVEL": "ERROR"}
        done = run([PEER, WORKER, self._folder, EMBEDDER], json.dumps(job), env)
        told = json.loads(done.out.splitlines()[-1])
        self.inner.append(sum(told["seconds"].values()))
        self.asked.append(told["asked"])
        return done

    def add(self, texts: dict[str, str]) -> Run:
        """Insert documents."""
        return self._run(add=texts)

    def delete(self, name: str) -> Run:
        """Delete one document."""
        return self._run(delete=[name])

    def ask(self, question: str) -> Run:
        """Retrieve the context for a question."""
        return self._run(ask=question)


class Ours:
    """A folder of files and a store, brought in line by ``ragcli update``."""

    name = "ragcli"

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "documents"
        self._store = folder / ".ragcli"
        self._folder.mkdir(parents=True)
        self.inner: list[float] = []

    def _update(self) -> Run:
        new = not self._store.exists()
        what = ["index", self._folder] if new else ["update"]
        done = run([*RAGCLI, *what, "--store", self._store, "--json", "--quiet"])
        self.inner.append(json.loads(done.out)["seconds"])
        return done

    def add(self, texts: dict[str, str]) -> Run:
        """Write files and update."""
        for name, text in texts.items():
            (self._folder / f"{name}.txt").write_text(text, encoding="utf-8")
        return self._update()

    def delete(self, name: str) -> Run:
        """Delete a file and update."""
        (self._folder / f"{name}.txt").unlink()
        return self._update()

    def ask(self, question: str) -> Run:
        """Retrieve for a question in the default mode."""
        ask = ["ask", question, "--answer", "none", "--json", "--store", self._store]
        done = run([*RAGCLI, *ask])
        self.inner.append(json.loads(done.out)["timings_ms"]["total"] / 1000)
        return done


def measure(texts: list[str], asked: list[str], folder: Path) -> list[list[str]]:
    """Rows of the table: a change at a size, with both sides and their ratio."""
    sides = (Theirs(folder / "theirs"), Ours(folder / "ours"))
    rows: list[list[str]] = []
    held = 0
    spare = iter(enumerate(texts[max(SIZES) :]))
    for size in SIZES:
        for side in sides:
            side.add({f"d{n:05}": texts[n] for n in range(held, size)})
        held = size
        news = [(f"new{n:05}", text) for n, text in (next(spare) for _ in range(REPEATS))]
        for kind in ("add", "delete", "ask"):
            pairs = []
            sides[0].asked.clear()
            for side in sides:
                side.inner.clear()
            for turn, (name, text) in enumerate(news):
                for side in sides:
                    if kind == "add":
                        done = side.add({name: text})
                    else:
                        done = side.delete(name) if kind == "delete" else side.ask(asked[turn])
                    pairs.append((side.name, done))
            rows.append(_row(f"{kind} at {size}", pairs, sides))
    return rows


def _row(label: str, pairs: list[tuple[str, Run]], sides: tuple[Theirs, Ours]) -> list[str]:
    theirs, ours = ([run for name, run in pairs if name == side.name] for side in sides)
    inner = [1000 * median(side.inner) for side in sides]
    return [
        label,
        f"{ms(theirs):,.0f}",
        f"{ms(ours):,.0f}",
        f"{ms(theirs) / ms(ours):.2f}",
        f"{cpu_ms(theirs) / cpu_ms(ours):.2f}",
        f"{inner[0]:,.0f}",
        f"{inner[1]:,.0f}",
        f"{inner[0] / inner[1]:.2f}",
        f"{kib(theirs):,.0f}",
        f"{kib(ours):,.0f}",
        f"{kib(theirs) / max(kib(ours), 1):.2f}",
        *(f"{median(a[what] for a in sides[0].asked):,.0f}" for what in ("calls", "characters")),
    ]


def main() -> None:
    """Measure and print; needs the peers' environment and RAGCLI_DATA."""
    if not PEER.exists():
        sys.exit("run it with: make bench-peers")
    (folder,) = data("hotpotqa-100")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
    with tempfile.TemporaryDirectory() as temporary:
        rows = measure(passages(folder), questions(folder, REPEATS), Path(temporary))
    print(
        "ms: whole process; inside: without starting Python and importing; ratio: LightRAG/ragcli"
    )
    heads = ["one document", "LightRAG ms", "ragcli ms", "ratio", "ratio of processor time"]
    heads += ["LightRAG inside", "ragcli inside", "ratio", "LightRAG KiB", "ragcli KiB", "ratio"]
    heads += ["LLM calls", "characters asked"]
    table(heads, rows)


if __name__ == "__main__":
    main()
