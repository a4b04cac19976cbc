"""What each mode finds, in small stores and among five to thirteen times as many passages.

    RAGCLI_DATA=/path/to/data python bench/ranking.py [FOLDER]

The sets are those of ``pool.py``, HotpotQA-100, MuSiQue-100 and the sample corpus by themselves;
stores are built in FOLDER, or in a temporary one, and used again when they exist. Differences of
``auto`` are from the best of the baselines, paired, with 95 % bootstrap intervals.
"""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

import numpy as np
import pool
from measure import RAGCLI, ROOT, data, run, table
from numpy.typing import NDArray

from ragcli.asking.opening import open_index
from ragcli.config import Settings
from ragcli.evaluate.bootstrap import intervals
from ragcli.papers import mode_called
from ragcli.retrieve import Helpers, retrieve, understand
from ragcli.retrieve.question import Question
from ragcli.search.search_index import SearchIndex
from ragcli.text.asked_question import AskedQuestion

MODES = ("naive", "bm25", "dense+bm25", "walk", "auto")
BASELINES = MODES[:3]
# Passages asked for: those of five documents, also where a document has several among the first.
DEPTH = 30
FIGURES = ("recall@2", "recall@5", "perfect@8")


@dataclass(frozen=True)
class Case:
    """A question and the documents with its evidence."""

    question: Question
    evidence: frozenset[str]


def store_of(folder: Path, name: str, source: Path) -> Path:
    """A store of the documents in a file or folder, built unless it is there."""
    store = folder / "stores" / name
    if not store.exists():
        files = sorted(source.glob("*.txt")) if (source / "000.txt").exists() else [source]
        run([*RAGCLI, "index", *files, "--store", store, "--quiet"])
    return store


def cases(index: SearchIndex, helpers: Helpers, path: Path) -> list[Case]:
    """The questions of a file that have evidence."""
    found = []
    for record in pool.read(path):
        docs = [x["doc"] if isinstance(x, dict) else x for x in record["evidence"]]
        if docs:
            question = understand(
                index.snapshot,
                AskedQuestion(record["question"]),
                helpers.encode,
            )
            found.append(Case(question, frozenset(docs)))
    return found


def figures(
    index: SearchIndex, helpers: Helpers, asked: list[Case], mode: str
) -> tuple[NDArray[np.float64], float]:
    """FIGURES of each question, (n, 3), and mean milliseconds of processor time."""
    retrieve(index, asked[0].question, mode_called(mode), DEPTH, helpers)
    began = time.process_time()
    found = [
        retrieve(index, case.question, mode_called(mode), DEPTH, helpers).hits for case in asked
    ]
    spent = (time.process_time() - began) / len(asked)
    rows = []
    for case, hits in zip(asked, found, strict=True):
        docs = list(dict.fromkeys(hit.doc for hit in hits))
        shares = [len(case.evidence & set(docs[:k])) / len(case.evidence) for k in (2, 5)]
        rows.append([*shares, float(case.evidence <= set(docs[:8]))])
    return np.array(rows), 1000 * spent


def compare(name: str, store: Path, questions: Path) -> list[list[str]]:
    """The rows of a set."""
    rows = []
    with open_index(store, Settings()) as (index, helpers):
        asked = cases(index, helpers, questions)
        found = {mode: figures(index, helpers, asked, mode) for mode in MODES}
    best = max(BASELINES, key=lambda mode: mean(found[mode][0][:, 1]))
    for mode, (values, ms) in found.items():
        change = values[:, 1:2] - found[best][0][:, 1:2]
        low, high = intervals(change)[0]
        against = f"{change.mean():+.3f} [{low:+.3f}, {high:+.3f}]" if mode == "auto" else ""
        rows.append([name, mode, *(f"{x:.3f}" for x in values.mean(axis=0)), f"{ms:.1f}", against])
    return rows


def main() -> None:
    """Build what is missing and print the table."""
    hotpotqa, musique, training = data("hotpotqa-100", "musique-100", "qa-training")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else temporary)
        many, long = folder / "pool", folder / "articles"
        if not many.exists():
            pool.passages(training.parent, many)
            pool.articles(training.parent, long)
        sample = ROOT / "sample_corpus"
        rows = []
        for name, store, source, questions in (
            ("HotpotQA", "hotpotqa-100", hotpotqa / "corpus.jsonl", hotpotqa / "questions.jsonl"),
            ("MuSiQue", "musique-100", musique / "corpus.jsonl", musique / "questions.jsonl"),
            ("sample corpus", "sample", sample, sample / "questions.jsonl"),
            ("HotpotQA in the pool", "pool", many / "corpus.jsonl", many / "hotpotqa-100.jsonl"),
            ("MuSiQue in the pool", "pool", many / "corpus.jsonl", many / "musique-100.jsonl"),
            ("samples in the pool", "pool", many / "corpus.jsonl", many / "hotpotqa-samples.jsonl"),
            ("articles", "articles", long, long / "questions.jsonl"),
        ):
            rows += compare(name, store_of(folder, store, source), questions)
        table(("set", "mode", *FIGURES, "ms", "recall@5 - best baseline"), rows)


if __name__ == "__main__":
    main()
