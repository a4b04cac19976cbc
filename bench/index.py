"""Indexing in fast mode beside the sum of its heavy parts run bare, on the same texts.

    RAGCLI_DATA=/path/to/data python bench/index.py [WORDS]

The first WORDS words (default 8,000) of three novels, as three files. The parts: the embedding
model through sentence-transformers, the English pipeline through spaCy, each in a process of its
own that loads its model and works through the very texts that indexing gives it. Above 1 is what
reading, chunking, the graph and the store cost; below 1 is what working side by side gains.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from measure import RAGCLI, Run, data, run, table

from ragcli.config import Settings
from ragcli.corpus.scan import scan
from ragcli.indexing.changes import FreshDocument, stream
from ragcli.indexing.prepare import chunk_settings, prepare
from ragcli.models.cpu import usable_cpus
from ragcli.models.model_set import ModelSet

NOVELS = 3
WORDS = 8_000

EMBED = """
import json, sys
texts = json.load(sys.stdin)
from sentence_transformers import SentenceTransformer
SentenceTransformer(sys.argv[1], device="cpu").encode(texts)
"""
PARSE = """
import json, sys
texts = json.load(sys.stdin)
import spacy
nlp = spacy.load(sys.argv[1])
for _ in nlp.pipe(texts, n_process=int(sys.argv[2])): pass
"""


def cut(folder: Path, words: int) -> int:
    """Write the beginnings of the novels; returns how many words there are."""
    total = 0
    for novel in sorted(data("novels")[0].glob("*.txt"))[:NOVELS]:
        taken = " ".join(novel.read_text(encoding="utf-8").split(" ")[:words])
        (folder / novel.name).write_text(taken, encoding="utf-8")
        total += len(taken.split())
    return total


def texts(folder: Path, tools: ModelSet) -> tuple[list[str], list[str]]:
    """What indexing has embedded, and what it has parsed."""
    fresh = [x for x in stream(scan([str(folder)]).sources, {}) if isinstance(x, FreshDocument)]
    ready = [prepare(x, tools.offsets, chunk_settings(tools.settings)) for x in fresh]
    embedded = [t for d in ready for part in (*d.passages, d.node_texts) for t in part]
    return list(dict.fromkeys(embedded)), [t for d in ready for t in d.units]


def main() -> None:
    """Index, run the parts, print seconds, rates and the ratio."""
    words = int(sys.argv[1]) if sys.argv[1:] else WORDS
    tools = ModelSet(Settings())
    with tempfile.TemporaryDirectory() as temporary:
        folder, store = Path(temporary) / "novels", Path(temporary) / ".ragcli"
        folder.mkdir()
        total = cut(folder, words)
        embedded, parsed = texts(folder, tools)
        runs = {
            "ragcli index": run([*RAGCLI, "index", folder, "--store", store, "--json", "-q"]),
            "sentence-transformers alone": run(
                [sys.executable, "-c", EMBED, tools.embedder_path], json.dumps(embedded)
            ),
            "spaCy alone": run(
                [sys.executable, "-c", PARSE, tools.spacy_path, usable_cpus()], json.dumps(parsed)
            ),
        }
    show(runs, total)


def show(runs: dict[str, Run], words: int) -> None:
    """Print the table, the stages and the ratio."""
    rows = [
        [name, f"{r.seconds:.1f}", f"{words / r.seconds:,.0f}", f"{r.peak / 2**20:,.0f}"]
        for name, r in runs.items()
    ]
    table((f"{words:,} words", "s", "words/s", "peak MiB"), rows)
    whole, *parts = runs.values()
    stages = json.loads(whole.out)["stages"]
    print("stages:", ", ".join(f"{name} {seconds:.1f} s" for name, seconds in stages.items()))
    ratio = whole.seconds / sum(part.seconds for part in parts)
    print(f"ragcli / sum of the parts: {ratio:.2f}")


if __name__ == "__main__":
    main()
