"""What one changed document costs, by the number of documents in the store.

    RAGCLI_DATA=/path/to/data python bench/update.py [100 300 1000]

Whole processes: ``ragcli update`` after one file was added, edited or deleted. Medians of three,
and their ratio to the smallest store: 1.0 would be a cost that does not grow.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from measure import RAGCLI, Run, data, kib, ms, passages, run, table

SIZES = (100, 300, 1000)
REPEATS = 3
NEW = "The lighthouse of Aldermoor was painted green by Ines Voss in {year}."
EDITED = "Its keeper, Bartol Quist, kept a diary of every storm until {year}."


def grow(folder: Path, texts: list[str], size: int) -> None:
    """Bring the folder to ``size`` files, a hundred in each subfolder."""
    for number in range(size):
        path = folder / f"{number // 100:03}" / f"{number:05}.txt"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(texts[number % len(texts)], encoding="utf-8")


def changes(folder: Path, store: Path) -> dict[str, list[Run]]:
    """Add, edit and delete one document, each followed by an update; leaves things as found."""
    runs: dict[str, list[Run]] = {"add": [], "edit": [], "delete": []}
    path = folder / "000" / "new.txt"
    for turn in range(REPEATS):
        path.write_text(NEW.format(year=1900 + turn), encoding="utf-8")
        runs["add"].append(update(store, "added"))
        path.write_text(EDITED.format(year=1950 + turn), encoding="utf-8")
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


def main() -> None:
    """Grow one store through all sizes and measure at each."""
    sizes = tuple(map(int, sys.argv[1:])) or SIZES
    texts = passages(*data("hotpotqa-100", "musique-100"))
    found: dict[int, dict[str, list[Run]]] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder, store = Path(temporary) / "documents", Path(temporary) / ".ragcli"
        for size in sizes:
            grow(folder, texts, size)
            run([*RAGCLI, "index", folder, "--store", store, "--quiet"])
            found[size] = changes(folder, store)
    rows = []
    for kind in ("add", "edit", "delete"):
        base = found[sizes[0]][kind]
        for size in sizes:
            runs = found[size][kind]
            rows.append(
                [
                    f"{kind} one of {size:,}",
                    f"{ms(runs):,.0f}",
                    f"{ms(runs) / ms(base):.2f}",
                    f"{kib(runs):,.0f}",
                    f"{kib(runs) / max(kib(base), 1):.2f}",
                ]
            )
    table(("change", "ms", "ratio", "KiB written", "ratio"), rows)


if __name__ == "__main__":
    main()
