"""A cold question, as a whole process, beside Python alone and Python that only imports torch.

    python bench/ask.py [STORE]

Without STORE the sample corpus is indexed first. Medians of seven, taken in turns.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from measure import RAGCLI, ROOT, Run, ms, run, table

QUESTION = "Why did no alarm sound when the railcar was struck at the Ravoire Bridge?"
REPEATS = 7


def measure(store: Path) -> dict[str, list[Run]]:
    """Each command in turn, so that a busy moment falls on all of them."""
    ask = [*RAGCLI, "ask", QUESTION, "--store", store, "--quiet"]
    commands: dict[str, list[object]] = {
        "python": [sys.executable, "-c", "pass"],
        "import torch": [sys.executable, "-c", "import torch"],
        "ask, retrieval only": [*ask, "--answer", "none"],
        "ask, extractive answer": [*ask, "--answer", "extractive"],
    }
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    for _ in range(REPEATS):
        for name, command in commands.items():
            runs[name].append(run(command, fine=(0, 1)))  # 1: it abstained
    return runs


def main() -> None:
    """Print the medians and their ratio to importing torch."""
    with tempfile.TemporaryDirectory() as temporary:
        store = Path(sys.argv[1]) if sys.argv[1:] else Path(temporary) / ".ragcli"
        if not sys.argv[1:]:
            run([*RAGCLI, "index", ROOT / "sample_corpus", "--store", store, "--quiet"])
        runs = measure(store)
    base = ms(runs["import torch"])
    rows = [
        [name, f"{ms(r):,.0f}", f"{ms(r) / base:.2f}", f"{max(x.peak for x in r) / 2**20:,.0f}"]
        for name, r in runs.items()
    ]
    table(("process", "ms", "to torch", "peak MiB"), rows)


if __name__ == "__main__":
    main()
