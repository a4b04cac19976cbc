"""What one changed document costs, by the number of documents in the store.

    RAGCLI_DATA=/path/to/data python bench/update.py [--hierarchy] [--keep FOLDER] [1000 20000]

Whole processes: ``ragcli update`` after one file was added, edited or deleted. Medians, and their
ratio to the smallest store: 1.0 would be a cost that does not grow. Bytes are those handed to
write(), the database's log and its way back into the database included. Documents are pieces of
24 words of real texts, a hundred in each folder; with --keep the stores stay for the next
time, with --hierarchy they have one.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from statistics import mean

from measure import RAGCLI, Run, kib, ms, pieces, run, table

SIZES = (1_000, 20_000)
WORDS = 24
REPEATS = 5
KINDS = {"add": "added", "edit": "changed", "delete": "removed"}


def build(base: Path, size: int, texts: list[str], more: list[str]) -> tuple[Path, Path]:
    """A folder of ``size`` files and its store, made unless they are there."""
    folder, store = base / str(size) / "documents", base / str(size) / ".ragcli"
    for number in range(size):
        path = folder / f"{number // 100:03}" / f"{number:05}.txt"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(texts[number], encoding="utf-8")
    run([*RAGCLI, "index", folder, "--store", store, "--quiet", *more])
    return folder, store


def changes(folder: Path, store: Path, texts: list[str]) -> dict[str, list[Run]]:
    """Add, edit and delete one document, each followed by an update; leaves things as found."""
    runs: dict[str, list[Run]] = {kind: [] for kind in KINDS}
    path = folder / "000" / "new.txt"
    for turn in range(REPEATS):
        path.write_text(texts[2 * turn], encoding="utf-8")
        runs["add"].append(update(store, "added"))
        path.write_text(texts[2 * turn + 1], encoding="utf-8")
        runs["edit"].append(update(store, "changed"))
        path.unlink()
        runs["delete"].append(update(store, "removed"))
    return runs


def update(store: Path, expected: str) -> Run:
    """Run update, which must find one document of the expected kind of change."""
    done = run([*RAGCLI, "update", "--store", store, "--json", "--quiet"])
    if json.loads(done.out)[expected] != 1:
        raise SystemExit(f"expected one document {expected}, found {done.out[:300]}")
    return done


def stages(runs: list[Run]) -> str:
    """The costliest stages of some runs, in milliseconds."""
    spent: dict[str, float] = {}
    for done in runs:
        for name, seconds in json.loads(done.out)["stages"].items():
            spent[name] = spent.get(name, 0.0) + 1000 * seconds / len(runs)
    first = sorted(spent.items(), key=lambda item: -item[1])[:6]
    return ", ".join(f"{name} {value:.0f}" for name, value in first)


def main() -> None:
    """Measure at each size."""
    given = sys.argv[1:]
    with tempfile.TemporaryDirectory() as temporary:
        base = Path(temporary)
        more = ["--hierarchy"] if "--hierarchy" in given else []
        given = [word for word in given if word != "--hierarchy"]
        if given[:1] == ["--keep"]:
            base, given = Path(given[1]), given[2:]
        sizes = tuple(map(int, given)) or SIZES
        texts = pieces(WORDS)
        found: dict[int, dict[str, list[Run]]] = {}
        for size in sizes:
            found[size] = changes(*build(base, size, texts, more), texts[-2 * REPEATS :])
    rows = []
    for kind in KINDS:
        base_runs = found[sizes[0]][kind]
        for size in sizes:
            runs = found[size][kind]
            rows.append(
                [
                    f"{kind} one of {size:,}",
                    f"{ms(runs):,.0f}",
                    f"{ms(runs) / ms(base_runs):.2f}",
                    f"{kib(runs):,.0f}",
                    f"{kib(runs) / max(kib(base_runs), 1):.2f}",
                ]
            )
    table(("change", "ms", "ratio", "KiB written", "ratio"), rows)
    for size in sizes:
        runs = [done for kind in KINDS for done in found[size][kind]]
        written = mean(done.written for done in runs) / 1024
        print(f"{size:,}: {written:,.0f} KiB on average; ms by stage: {stages(runs)}")


if __name__ == "__main__":
    main()
