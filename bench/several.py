"""What `ask --store A --store B` finds, against one store of the same documents.

    RAGCLI_DATA=/path/to/data python bench/several.py [FOLDER]

*halves*: the passages of HotpotQA-100 at random in two stores, so most questions need both.
*beside*: HotpotQA-100 and MuSiQue-100 as two stores, and the questions of each; the other store
only distracts. The column "one store" is a store with the same passages (halves), or
the store of the question's own set alone (beside). Stores are built in FOLDER, or in a temporary
one.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pool
from measure import data, table
from ranking import store_of

from ragcli.asking.opening import open_index
from ragcli.config import Settings
from ragcli.papers import mode_called
from ragcli.retrieve import retrieve, retrieve_from, understand
from ragcli.text.asked_question import AskedQuestion

MODES = ("auto", "walk", "mix", "dense+bm25", "bm25", "naive")
DEPTHS = (2, 5)
K = 10


def halves(source: Path, folder: Path) -> list[Path]:
    """The records of a file at random in two files."""
    choice = random.Random(1)
    parts: tuple[list[str], list[str]] = [], []
    for line in source.read_text(encoding="utf-8").splitlines():
        parts[choice.random() < 0.5].append(line)
    files = [folder / f"half{at}" / "corpus.jsonl" for at in (0, 1)]
    for file, lines in zip(files, parts, strict=True):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return files


def recalls(docs: Sequence[str], evidence: set[str]) -> list[float]:
    """The share of the evidence (ids of records) among the first documents."""
    return [len(evidence & set(docs[:depth])) / len(evidence) for depth in DEPTHS]


def evidence_of(record: pool.Record) -> set[str]:
    """The ids of the documents with the evidence of a question."""
    return {x["doc"] if isinstance(x, dict) else x for x in record["evidence"]}


def compare(name: str, stores: list[Path], one: Path, questions: Path) -> list[list[str]]:
    """The rows of a set: each mode in several stores, and in one."""
    rows = []
    with ExitStack() as stack:
        opened = [stack.enter_context(open_index(store, Settings())) for store in stores]
        indexes, helpers = [index for index, _ in opened], opened[0][1]
        single, _ = stack.enter_context(open_index(one, Settings()))
        own = stores.index(one) if one in stores else None
        asked = [record for record in pool.read(questions) if record["evidence"]]
        for mode in MODES:
            several, alone = [], []
            for record in asked:
                text, evidence = record["question"], evidence_of(record)
                _, best = retrieve_from(indexes, AskedQuestion(text), mode_called(mode), K, helpers)
                # Both stores may have the same id; that of the other store is no evidence.
                docs = [hit.doc if own in (None, at) else "" for at, hit in best]
                several.append(recalls(docs, evidence))
                question = understand(single.snapshot, AskedQuestion(text), helpers.encode)
                found = retrieve(single, question, mode_called(mode), K, helpers).hits
                alone.append(recalls([hit.doc for hit in found], evidence))
            figures = [f"{x:.3f}" for x in (*np.mean(several, axis=0), *np.mean(alone, axis=0))]
            rows.append([name, mode, *figures])
    return rows


def main() -> None:
    """Build the stores and print the table."""
    hotpotqa, musique = data("hotpotqa-100", "musique-100")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else temporary)
        sources = [hotpotqa / "corpus.jsonl", musique / "corpus.jsonl"]
        whole = [store_of(folder, f"{x.parent.name}", x) for x in sources]
        split = [
            store_of(folder, f"half{at}", file)
            for at, file in enumerate(halves(sources[0], folder))
        ]
        rows = compare("halves", split, whole[0], hotpotqa / "questions.jsonl")
        rows += compare("HotpotQA beside MuSiQue", whole, whole[0], hotpotqa / "questions.jsonl")
        rows += compare("MuSiQue beside HotpotQA", whole, whole[1], musique / "questions.jsonl")
    head = [f"{which}, recall@{depth}" for which in ("several", "one store") for depth in DEPTHS]
    table(("set", "mode", *head), rows)


if __name__ == "__main__":
    main()
