"""Milliseconds of retrieval by mode and by size of the store.

    RAGCLI_DATA=/path/to/data python bench/retrieval.py [500 1000 2000]

One store grows with passages of HotpotQA and MuSiQue; questions of both. Medians over the
questions in an open store, each mode in turn, and their ratio to the smallest size.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from measure import RAGCLI, data, passages, questions, run, table

from ragcli.asking.opening import open_index
from ragcli.config import Settings
from ragcli.retrieve import STRATEGIES, retrieve, understand
from ragcli.text.asked_question import AskedQuestion

SIZES = (500, 1000, 2000)
QUESTIONS = 20
TOP_K = 10


def grow(store: Path, texts: list[str]) -> None:
    """Bring a store to these passages."""
    corpus = store.with_suffix(".jsonl")
    records = ({"_id": str(n), "title": "", "text": text} for n, text in enumerate(texts))
    corpus.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    run([*RAGCLI, "index", corpus, "--store", store, "--quiet"])


def measure(store: Path, asked: list[str]) -> dict[str, float]:
    """Median milliseconds by mode, the question's vector and entities apart as "understand"."""
    spent: dict[str, list[float]] = {"understand": [], **{mode: [] for mode in STRATEGIES}}
    with open_index(store, Settings()) as (index, helpers):
        first = understand(index.snapshot, AskedQuestion(asked[0]), helpers.encode)
        for mode in STRATEGIES:
            retrieve(index, first, mode, TOP_K, helpers)
        for text in asked:
            began = time.perf_counter()
            question = understand(index.snapshot, AskedQuestion(text), helpers.encode)
            spent["understand"].append(time.perf_counter() - began)
            for mode in STRATEGIES:
                began = time.perf_counter()
                retrieve(index, question, mode, TOP_K, helpers)
                spent[mode].append(time.perf_counter() - began)
    return {name: 1000 * median(seconds) for name, seconds in spent.items()}


def main() -> None:
    """Build a store of each size and print a row for each mode."""
    sizes = tuple(map(int, sys.argv[1:])) or SIZES
    folders = data("hotpotqa-100", "musique-100")
    texts = passages(*folders)
    asked = [text for folder in folders for text in questions(folder, QUESTIONS // 2)]
    found: dict[int, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as temporary:
        store = Path(temporary) / "store"
        for size in sizes:
            grow(store, texts[:size])
            found[min(size, len(texts))] = measure(store, asked)
    base = next(iter(found.values()))
    rows = [
        [name, *(f"{ms[name]:.1f} ({ms[name] / base[name]:.2f})" for ms in found.values())]
        for name in base
    ]
    table(("ms (ratio)", *(f"{size:,} passages" for size in found)), rows)


if __name__ == "__main__":
    main()
