"""What the walk finds and what it costs.

    RAGCLI_DATA=/path/to/data python bench/walk.py [FOLDER]

Recall of the evidence among the first documents, by set and mode, with the median milliseconds
of retrieval (the question's vector and names apart); then the walk alone over made-up graphs of
growing size. Stores are built in FOLDER, or in a temporary one, and used again when they exist.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import mean, median
from types import SimpleNamespace
from typing import Any

import numpy as np
from measure import RAGCLI, data, run, table
from numpy.typing import NDArray

from ragcli.asking.opening import open_index
from ragcli.config import Settings
from ragcli.papers import mode_called
from ragcli.retrieve import Helpers, retrieve, understand
from ragcli.retrieve.question import Match, Question
from ragcli.retrieve.walk import MAX_PASSAGES, walk
from ragcli.search import arrays, lexical
from ragcli.search.edge_layers import Rows, pack
from ragcli.search.passage_graph import PassageGraph
from ragcli.search.search_index import SearchIndex
from ragcli.search.vector_set import ARRAYS, VectorLayer, Vectors
from ragcli.store.writer import StoreWriter
from ragcli.text.asked_question import AskedQuestion

SETS = ("hotpotqa-100", "musique-100")
MODES = ("naive", "bm25", "dense+bm25", "e2", "walk", "auto")
SIZES = (6_000, 100_000)
NAMES_EACH = 14  # of a passage of MuSiQue; a third of all names stand in one passage only
WORDS_EACH = 120
ASKED = 6  # words of a question that are no names
DIM = 384


def store_of(folder: Path, source: Path) -> Path:
    """A store of one set, built unless it is there."""
    store = folder / source.name
    if not store.exists():
        run([*RAGCLI, "index", source / "corpus.jsonl", "--store", store, "--quiet"])
    return store


def found_by(index: SearchIndex, helpers: Helpers, cases: list[Any], mode: str) -> list[str]:
    """One row: recall@2, recall@5, all evidence within 8, milliseconds."""
    two, five, whole, spent = [], [], [], []
    for case in cases:
        question = understand(index.snapshot, AskedQuestion(case["question"]), helpers.encode)
        began = time.perf_counter()
        hits = retrieve(index, question, mode_called(mode), 10, helpers).hits
        spent.append(time.perf_counter() - began)
        docs, wanted = list(dict.fromkeys(h.doc for h in hits)), set(case["evidence"])
        two.append(len(wanted & set(docs[:2])) / len(wanted))
        five.append(len(wanted & set(docs[:5])) / len(wanted))
        whole.append(wanted <= set(docs[:8]))
    return [*(f"{mean(x):.3f}" for x in (two, five, whole)), f"{1000 * median(spent):.1f}"]


def quality(folder: Path) -> None:
    """A table of the sets by mode."""
    rows = []
    for source in data(*SETS):
        text = (source / "questions.jsonl").read_text(encoding="utf-8")
        cases = [json.loads(line) for line in text.splitlines()]
        with open_index(store_of(folder, source), Settings()) as (index, helpers):
            first = understand(
                index.snapshot,
                AskedQuestion(cases[0]["question"]),
                helpers.encode,
            )
            for mode in MODES:
                retrieve(index, first, mode_called(mode), 10, helpers)
                rows.append([source.name, mode, *found_by(index, helpers, cases, mode)])
    table(("set", "mode", "recall@2", "recall@5", "perfect@8", "ms"), rows)


def made_up(folder: Path, n: int) -> tuple[Any, Callable[[], Question]]:
    """n passages with random vectors, names and words (the r-th 1/r times as often)."""
    rng = np.random.default_rng(7)
    vectors = rng.standard_normal((n, DIM), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    layer = VectorLayer(np.arange(n), vectors.astype(np.float16), np.arange(0))
    arrays.save(folder / ARRAYS, layer.write(folder, "passages"))
    p = np.repeat(np.arange(n), NAMES_EACH)
    e = np.minimum(np.exp(rng.random(len(p)) * np.log(4 * n)).astype(np.int64), 4 * n - 1)
    edges = np.unique(np.column_stack([p, e]), axis=0)
    weights = np.ones(len(edges), dtype=np.float32)
    by_passage = Rows([pack(edges[:, 0], edges[:, 1], weights)])
    by_entity = Rows([pack(edges[:, 1], edges[:, 0], weights)])
    graph = PassageGraph(np.arange(n), by_passage, by_entity)
    words = np.minimum(np.exp(rng.random((n, WORDS_EACH)) * np.log(n)).astype(np.int64), n - 1)
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE lexical USING fts5 (title, body, content = '')")
    texts = (" ".join(map("w{}".format, row)) for row in words)
    passages = (lexical.IndexedPassage(i, "", text) for i, text in enumerate(texts))
    lexical.add(StoreWriter(db, folder), passages)
    names_of = SimpleNamespace(names=lambda rows: {row: str(row) for row in rows})
    index = SimpleNamespace(
        passages=Vectors([folder], "passages"),
        passage_graph=graph,
        by_words=partial(lexical.search, db),
        telling_words=partial(lexical.rare_terms, db),
        snapshot=SimpleNamespace(entities=names_of),
    )

    def ask() -> Question:
        vector = rng.standard_normal(DIM).astype(np.float32)
        names = e[rng.integers(0, len(e), 2)].tolist()
        matches = tuple(Match("", (row,), 0, 0, True) for row in names)
        asked = rng.choice(words[rng.integers(n)], ASKED)
        text = " ".join(map("w{}".format, asked))
        return Question(AskedQuestion(text), vector / np.linalg.norm(vector), matches)

    return index, ask


def speed() -> None:
    """Median milliseconds of a walk by size, bounded and whole; the share of equal ten best."""
    rows = []
    for n in SIZES:
        with tempfile.TemporaryDirectory() as temporary:
            index, ask = made_up(Path(temporary), n)
            questions = [ask() for _ in range(21)]
            bounded, best = timed(index, questions, MAX_PASSAGES)
            whole, true = timed(index, questions[:7], n)
            alike = mean(len(a & b) / 10 for a, b in zip(best, true, strict=False))
            rows.append([f"{n:,}", f"{bounded:.1f}", f"{whole:.1f}", f"{alike:.2f}"])
    table(("passages", "ms, bounded", "ms, whole graph", "ten best alike"), rows)


def _no_encoder(_texts: Sequence[str]) -> NDArray[np.float32]:
    """The questions have their vectors."""
    raise AssertionError("a walk encodes nothing")


def timed(index: Any, questions: list[Question], limit: int) -> tuple[float, list[set[int | None]]]:
    """Median milliseconds and the ten best passages of each question."""
    spent, best = [], []
    for question in questions:
        began = time.perf_counter()
        finds = walk(index, question, 10, Helpers(_no_encoder), limit).finds
        spent.append(time.perf_counter() - began)
        best.append({f.passage for f in finds})
    return 1000 * median(spent), best


def main() -> None:
    """Both tables."""
    if len(sys.argv) > 1:
        quality(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as temporary:
            quality(Path(temporary))
    print()
    speed()


if __name__ == "__main__":
    main()
