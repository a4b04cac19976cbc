"""The costs that must not grow, as JSON for ``compare.py``: commands as whole processes, repeated.

    python bench/guard.py OUT.json [--repeats 9] [--only NAME]
    python bench/guard.py OUT.json --against TREE --old OLD.json

``TREE`` is a checkout of an earlier version (``git worktree add TREE COMMIT``). Both versions then
take turns, each on a store of its own, so that a busy moment falls on both: such runs are *paired*,
and small differences show. Every command works on the sample corpus, from a store that is built
once: the first run of each command is not counted.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from measure import ROOT, Run, run

FORMAT = 1
REPEATS = 9
QUESTION = "Why did no alarm sound when the railcar was struck at the Ravoire Bridge?"
WRITTEN = "The keeper of the Ravoire signal box, Ada Brix, oiled the lamp on turn {turn}.\n"


@dataclass
class Tree:
    """A version of the program: its source tree, and a folder for its store and documents."""

    source: Path
    work: Path
    samples: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    turn: int = 0

    @property
    def store(self) -> Path:
        return self.work / ".ragcli"

    @property
    def documents(self) -> Path:
        return self.work / "documents"

    def ragcli(self, *args: object) -> Run:
        """Run a command of this version; 1 is fine: ``ask`` has abstained."""
        env = {"PYTHONPATH": str(self.source), "OMP_NUM_THREADS": "1"}
        return run([sys.executable, "-m", "ragcli", *args], env=env, fine=(0, 1))

    def prepare(self) -> None:
        """Copy the documents and index them."""
        shutil.copytree(self.source / "sample_corpus", self.documents)
        self.ragcli("index", self.documents, "--store", self.store, "--quiet")

    def keep(self, name: str, done: Run) -> None:
        """Add the costs of one run of a command."""
        of = self.samples.setdefault(name, {})
        costs = {"cpu": done.cpu, "peak": done.peak, "written": done.written, "wall": done.seconds}
        for cost, value in costs.items():
            of.setdefault(cost, []).append(value)


def _ask(tree: Tree, *more: object) -> Run:
    return tree.ragcli("ask", QUESTION, "--store", tree.store, "--quiet", *more)


def _index(tree: Tree) -> Run:
    fresh = tree.work / "fresh"
    shutil.rmtree(fresh, ignore_errors=True)
    return tree.ragcli("index", tree.documents, "--store", fresh, "--quiet")


def _update(tree: Tree) -> Run:
    tree.turn += 1
    (tree.documents / "turn.md").write_text(WRITTEN.format(turn=tree.turn), encoding="utf-8")
    return tree.ragcli("update", "--store", tree.store, "--quiet")


COMMANDS: dict[str, Callable[[Tree], Run]] = {
    "help": lambda tree: tree.ragcli("--help"),
    "search": lambda tree: tree.ragcli("search", "Ravoire Bridge", "--store", tree.store),
    "ask without answer": lambda tree: _ask(tree, "--answer", "none"),
    "ask": lambda tree: _ask(tree, "--answer", "extractive"),
    "inspect digest": lambda tree: tree.ragcli("inspect", "digest", "--store", tree.store),
    "update one document": _update,
    "index": _index,
}


def measure(trees: list[Tree], names: Iterable[str], repeats: int) -> None:
    """Run the commands in turns; the version that comes first changes every time."""
    for turn in range(repeats + 1):
        for name in names:
            for tree in trees if turn % 2 else trees[::-1]:
                done = COMMANDS[name](tree)
                if turn:
                    tree.keep(name, done)


def report(tree: Tree, pair: str) -> dict[str, Any]:
    """What ``compare.py`` reads; ``pair`` is the same in two files that were measured in turns."""
    return {
        "format": FORMAT,
        "pair": pair,
        "machine": f"{platform.machine()} {platform.system()} {os.cpu_count()} cores",
        "python": platform.python_version(),
        "samples": tree.samples,
    }


def main() -> None:
    """Measure one version, or two in turns, and write the samples."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--only", choices=COMMANDS, action="append")
    parser.add_argument("--against", type=Path, help="a checkout of an earlier version")
    parser.add_argument("--old", type=Path, help="where its samples are written")
    args = parser.parse_args()
    if (args.against is None) != (args.old is None):
        parser.error("--against TREE and --old FILE belong together")
    with tempfile.TemporaryDirectory() as temporary:
        trees = [Tree(ROOT, Path(temporary) / "new")]
        if args.against:
            trees.append(Tree(args.against.resolve(), Path(temporary) / "old"))
        for tree in trees:
            tree.prepare()
        measure(trees, args.only or list(COMMANDS), args.repeats)
    pair = uuid.uuid4().hex
    for tree, path in zip(trees, (args.out, args.old), strict=False):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(report(tree, pair), indent=1) + "\n", encoding="utf-8")
        print(f"wrote {path}")


if __name__ == "__main__":
    main()
