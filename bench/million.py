"""What a store costs and finds from a thousand to a million passages.

    RAGCLI_DATA=/path/to/data python bench/million.py build FOLDER [1000 10000 100000 1000000]
    RAGCLI_DATA=/path/to/data python bench/million.py measure FOLDER [SIZES] --out OUT.json

``build`` makes a store of each size. HotpotQA-100 and MuSiQue-100 are indexed by ``ragcli index``
(2,884 passages; the smallest store has the sample corpus instead); the rest are made passages
(``made_passages.py``), three a document on average, written through the store's own writer:
documents, vectors, the lexical index, names with their passages, then the derived files. What a
made document leaves out: common nouns and edges between names (no default mode reads them), and
summaries of folders; its summary is its beginning. Names and summaries get made vectors.

``measure`` asks the 200 hidden questions: recall of their evidence, milliseconds of each search in
one process; whole processes for a cold ``ask`` and for an update of one document; bytes on disk.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np
from made_passages import Made, Maker, load
from measure import RAGCLI, ROOT, Run, data, run, table

from ragcli.asking.opening import open_index
from ragcli.config import Settings
from ragcli.extract.codec import pack
from ragcli.models.model_set import ModelSet
from ragcli.papers import mode_called
from ragcli.retrieve import Helpers, retrieve, understand
from ragcli.search import derive, lexical
from ragcli.search.kept_vectors import KeptVectors
from ragcli.search.level_codes import encoded
from ragcli.search.search_index import SearchIndex
from ragcli.store import derived
from ragcli.store.content_keys import text_hash
from ragcli.store.documents import NewDocument
from ragcli.store.lock import writer_lock
from ragcli.store.writer import StoreWriter, open_writer
from ragcli.text.asked_question import AskedQuestion
from ragcli.text.names import normalise, title_names
from ragcli.text.scripts import spaced
from ragcli.types import Chunk, Contribution, Extraction, Node, ParsedDocument, Passage

SIZES = (1_000, 10_000, 100_000, 300_000, 1_000_000)
SETS = ("hotpotqa-100", "musique-100")
SMALLEST = 5_000
"""A smaller store holds the sample corpus instead of the hidden passages."""
MOST_MADE = 300_000
"""A larger store repeats the rows of the made documents of the one before: its costs are real, but
no more names collide than in a store of so many passages."""
PIECES = 4_000
AT_ONCE = 500
NAMES_AT_ONCE = 50_000
MADE_VECTORS = 4_096
"""Different vectors that names and summaries share."""
TIMED_EVERY = 5
"""One in so many questions is asked in every way; ``auto`` answers all."""
ASKED_COLD = 5
REPEATS = 5
EMPTY = pack(Extraction(()))
"""The extraction of a made document: its names are added to the sums directly."""
MODES = ("naive", "bm25", "walk", "auto")


def _coded(key: bytes) -> bytes:
    """The key of the code of a made vector."""
    return text_hash("code", key.hex())


class Filler:
    """Writes made documents into a store."""

    def __init__(self, store: StoreWriter, maker: Maker, models: ModelSet) -> None:
        self._store, self._maker = store, maker
        self._embedder, self._extractor = models.embedder_print, models.extractor_print
        self.shared = self._share()
        self.passages = 0
        self.made: dict[str, Made] = {}
        """What was written, without vectors, by document."""

    def _share(self) -> list[bytes]:
        """Keys of vectors for summaries; ``_coded`` makes those of their codes, for names."""
        drawn = np.random.default_rng(0).standard_normal((MADE_VECTORS, 384))
        drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
        keys = [text_hash("made", str(n)) for n in range(MADE_VECTORS)]
        rows = {k: v.tobytes() for k, v in zip(keys, drawn.astype(np.float16), strict=True)}
        codes = encoded(drawn.astype(np.float16))
        rows |= {_coded(k): code.tobytes() for k, code in zip(keys, codes, strict=True)}
        self._store.vectors.keep(rows)
        return keys

    def fill(self, numbers: Iterable[int], passages: int) -> None:
        """Write documents until there are so many made passages more."""
        numbers, goal = iter(numbers), self.passages + passages
        while self.passages < goal:
            made = [self._maker.document(n) for n in islice(numbers, AT_ONCE)]
            with self._store.transaction():
                for document in made:
                    if self.passages < goal:
                        self._write(document)

    def _write(self, made: Made) -> None:
        keys = [hashlib.blake2b(v.tobytes(), digest_size=16).digest() for v in made.vectors]
        by_key = dict(zip(keys, (v.tobytes() for v in made.vectors), strict=True))
        self._store.vectors.keep(by_key)
        extraction_key = text_hash(self._extractor, made.text)
        self._store.extractions.keep({extraction_key: EMPTY})
        spans = tuple(Passage(start, end) for start, end in made.spans)
        size = len(made.text)
        lines = made.text.count("\n") + 1
        chunk = Chunk(
            f"{made.id}@0", made.id, 0, 0, size, 0, 1, lines, "", made.text, size // 4, spans
        )
        summary = made.text[:300]
        node = Node(f"{made.id}^1.0", 1, "document", made.id, made.title, summary, (chunk.id,))
        shared = self.shared[self.passages % MADE_VECTORS]
        stamp = hashlib.sha256(made.text.encode()).hexdigest()
        document = ParsedDocument(made.id, stamp, made.title, made.text)
        self._store.documents.add(
            NewDocument(
                document, made.id, size, [chunk], [extraction_key], [keys], [node], [shared]
            )
        )
        self.passages += len(spans)
        self.made[made.id] = replace(made, vectors=made.vectors[:0])


def _contribution(made: Made) -> Contribution:
    """What a made document adds to the graph: its names, by passage."""
    names: Counter[tuple[str, str, str, bool]] = Counter()
    chunk: Counter[str] = Counter()
    passages: list[Counter[str]] = [Counter() for _ in made.spans]
    at = 0
    for start, end, label, _ in made.mentions:
        spelling = made.text[start:end]
        if key := normalise(spelling):
            while start >= made.spans[at][1]:
                at += 1
            names[key, spelling, label, True] += 1
            chunk[key] += 1
            passages[at][key] += 1
    titles = title_names(made.title)
    for key, spelling in titles.items():
        names[key, spelling, "MISC", True] += 1
        chunk[key] += 1
    by_passage = tuple(map(dict, passages))
    return Contribution(dict(names), frozenset(), {}, (dict(chunk),), by_passage, tuple(titles))


def commit(store: StoreWriter, written: Mapping[str, Made], shared: Sequence[bytes]) -> None:
    """Make the pending documents a generation, as ``indexing.commit`` does, without the parts that
    made documents leave out."""
    with store.transaction():
        pending = [(d.row, d.doc) for d in store.documents.pending().born]
        sums = store.sums()
        store.begin_sweep()
        for done, (row, doc) in enumerate(pending):
            stored = store.documents.stored(row)
            made = written[doc]
            sums.add(_contribution(made), stored)
            rows = [r for chunk in stored.chunks for r in chunk.passage_rows]
            lexical.add(
                store,
                (
                    lexical.IndexedPassage(r, f"{made.title}\n", made.text[a:b])
                    for r, (a, b) in zip(rows, made.spans, strict=True)
                ),
            )
            if done % NAMES_AT_ONCE == NAMES_AT_ONCE - 1:
                sums.flush()
                sums = store.sums()
        sums.flush()
        names = store.names.without_vector()
        store.names.set_vectors(names, [_coded(shared[row % MADE_VECTORS]) for row in names])
        store.record_history()
        store.sweep()
        new = store.generation + 1
        store.publish(new)
        _write_files(store, derive.kept_vectors(store, new - 1))
    derived.prune(store.folder, new)
    store.shorten_log()


def _write_files(store: StoreWriter, kept: KeptVectors) -> None:
    """Write all files of the current generation; rows were only added."""
    derive.build_vectors(store.folder, store.connection, store.generation, kept)
    derive.build(store.folder, store.connection, store.generation)


OFFSETS = {
    "documents": {"id": "d", "doc": "t", "source": "t"},
    "document_times": {"docrow": "d"},
    "nodes": {"row": "n", "id": "t", "docrow": "d", "doc": "t"},
    "chunks": {"id": "c", "doc": "d"},
    "passages": {"id": "p", "chunk": "c", "doc": "d"},
    "chunk_entities": {"chunk": "c"},
    "passage_entities": {"passage": "p"},
}
"""Columns of what belongs to a document: numbers that are moved, and texts ("t") made longer."""

_OWNED = {
    "documents": "id BETWEEN :first AND :last",
    "document_times": "docrow BETWEEN :first AND :last",
    "nodes": "docrow BETWEEN :first AND :last",
    "chunks": "doc BETWEEN :first AND :last",
    "passages": "doc BETWEEN :first AND :last",
    "chunk_entities": "chunk IN (SELECT id FROM chunks WHERE doc BETWEEN :first AND :last)",
    "passage_entities": "passage IN (SELECT id FROM passages WHERE doc BETWEEN :first AND :last)",
}


def repeat(store: StoreWriter, size: int) -> None:
    """Copy the rows of the made documents until there are ``size`` passages, and derive again."""
    db = store.connection
    db.create_function("spaced", 1, spaced, deterministic=True)

    def number(query: str, **values: int) -> int:
        return int(db.execute(query, values).fetchone()[0] or 0)

    first = number("SELECT min(id) FROM documents WHERE doc LIKE 'made/%'")
    whole = number("SELECT max(id) FROM documents WHERE doc LIKE 'made/%'")
    turn = 0
    while (missing := size - number("SELECT count(*) FROM passages")) > 0:
        turn += 1
        last = min(
            whole,
            number(
                "SELECT max(doc) FROM (SELECT doc FROM passages WHERE doc >= :first"
                " ORDER BY doc LIMIT :missing)",
                first=first,
                missing=missing,
            ),
        )
        values: dict[str, Any] = {"first": first, "last": last, "t": f"~{turn}"}
        for name, table_ in (("d", "documents"), ("c", "chunks"), ("p", "passages")):
            values[name] = number(f"SELECT max(id) FROM {table_}")
        values["n"] = number('SELECT max("row") FROM nodes')
        with store.transaction():
            for table_, moved in OFFSETS.items():
                columns = [f'"{row[1]}"' for row in db.execute(f"PRAGMA table_info({table_})")]
                taken = [_moved(column, moved.get(column.strip('"'), "")) for column in columns]
                db.execute(
                    f"INSERT INTO {table_} ({', '.join(columns)})"
                    f" SELECT {', '.join(taken)} FROM {table_} WHERE {_OWNED[table_]}",
                    values,
                )
            db.execute(
                "INSERT INTO lexical (rowid, title, body) SELECT p.id + :p,"
                " spaced(d.title || char(10)),"
                ' spaced(substr(plain_text(c.text), p.start - c.start + 1, p."end" - p.start))'
                " FROM passages p JOIN chunks c ON c.id = p.chunk"
                " JOIN documents d ON d.id = p.doc WHERE p.doc BETWEEN :first AND :last",
                values,
            )
    _write_files(store, derive.kept_vectors(store, store.generation))
    store.shorten_log()


def _moved(column: str, by: str) -> str:
    return column if not by else f"{column} || :t" if by == "t" else f"{column} + :{by}"


def hidden(folder: Path, size: int) -> Path:
    """The documents that ``ragcli index`` reads."""
    documents = folder / ("sample" if size < SMALLEST else "hidden")
    if not documents.exists():
        if size < SMALLEST:
            shutil.copytree(ROOT / "sample_corpus", documents)
        else:
            for source in data(*SETS):
                (documents / source.name).mkdir(parents=True)
                shutil.copy(source / "corpus.jsonl", documents / source.name)
        (documents / "more").mkdir(exist_ok=True)
    return documents


def build(folder: Path, sizes: Sequence[int]) -> None:
    """Make the store of each size, unless it is there; a larger one continues the one before."""
    maker = Maker(load(folder, PIECES))
    models = ModelSet(Settings())
    before: Path | None = None
    for size in sorted(sizes):
        store = folder / str(size)
        documents = hidden(folder, size)
        if not (store / "built.json").exists():
            shutil.rmtree(store, ignore_errors=True)
            began, spent = time.perf_counter(), time.process_time()
            if before is not None and size >= SMALLEST and int(before.name) >= SMALLEST:
                shutil.copytree(before, store)
                (store / "built.json").unlink()
            else:
                run([*RAGCLI, "index", documents, "--store", store, "--quiet"])
            with writer_lock(store), open_writer(store) as writer:
                if size > MOST_MADE:
                    repeat(writer, size)
                else:
                    first = int(before.name) if before is not None and size >= SMALLEST else 0
                    fill(Filler(writer, maker, models), writer, first, size)
            _told(store, began, spent)
        before = store


def fill(filler: Filler, store: StoreWriter, first: int, size: int) -> None:
    """Add made documents from number ``first`` on, up to ``size`` passages."""
    there = len(SearchIndex.open(store.snapshot()).passages) if store.generation else 0
    filler.fill(_from(first), size - there)
    commit(store, filler.made, filler.shared)


def _told(store: Path, began: float, spent: float) -> None:
    costs = {"wall": time.perf_counter() - began, "cpu": time.process_time() - spent}
    (store / "built.json").write_text(json.dumps(costs))
    print(f"{store}: {costs}", flush=True)


def _from(number: int) -> Iterator[int]:
    while True:
        yield number
        number += 1


def cases() -> list[dict[str, Any]]:
    """The hidden questions, with their evidence as these stores call it."""
    found = []
    for source in data(*SETS):
        for line in (source / "questions.jsonl").read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            found.append(
                case
                | {"set": source.name, "evidence": [f"{source.name}/{x}" for x in case["evidence"]]}
            )
    return found


def recalls(docs: Sequence[str], evidence: Sequence[str]) -> list[float]:
    """Recall@2 and @5 of documents, and whether all evidence is within 8."""
    wanted, seen = set(evidence), list(dict.fromkeys(docs))
    return [
        len(wanted & set(seen[:2])) / len(wanted),
        len(wanted & set(seen[:5])) / len(wanted),
        float(wanted <= set(seen[:8])),
    ]


def every_match(index: SearchIndex, text: str, k: int) -> list[int]:
    """The best rows by BM25 when FTS5 scores every match."""
    query = (
        "SELECT rowid FROM lexical WHERE lexical MATCH ?"
        " ORDER BY bm25(lexical, 1.0, 1.0), rowid LIMIT ?"
    )
    expression = " OR ".join(lexical.phrases_of(AskedQuestion(text)))
    return [row for (row,) in index.snapshot.db.execute(query, (expression, k))]


def in_process(store: Path, asked: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Milliseconds of processor time of each search, medians, and what it finds."""
    spent: dict[str, list[float]] = {}
    found: dict[str, list[tuple[str, list[float]]]] = {}
    agreed: list[float] = []

    def timed(name: str, call: Callable[[], Any]) -> Any:
        began = time.process_time()
        out = call()
        spent.setdefault(name, []).append(1000 * (time.process_time() - began))
        return out

    with open_index(store, Settings()) as (index, helpers):
        for number, case in enumerate(asked):
            text = case["question"]
            question = understand(index.snapshot, AskedQuestion(text), helpers.encode)
            modes: Sequence[str] = ("auto",)
            if number % TIMED_EVERY == 0:
                modes = MODES
                timed("ten nearest", partial(index.passages.search, question.vector, 10))
                ours = timed("best by words", partial(index.by_words, text, 1000))
                all_ = timed("best by words, all matches", partial(every_match, index, text, 1000))
                if all_:
                    first = {row for row, _ in ours[:10]}
                    agreed.append(len(first & set(all_[:10])) / len(all_[:10]))
            for mode in modes:
                hits = timed(mode, partial(_docs, index, question, mode, helpers))
                found.setdefault(mode, []).append((case["set"], recalls(hits, case["evidence"])))
    return {
        "passages": len(index.passages),
        "ms": {name: median(values) for name, values in spent.items()},
        "slowest ms": {name: max(values) for name, values in spent.items()},
        "agreement": mean(agreed),
        "recall": {
            mode: {
                name: [mean(x) for x in zip(*(r for of, r in part if of == name), strict=True)]
                for name in SETS
            }
            for mode, part in found.items()
        },
    }


def _docs(index: SearchIndex, question: Any, mode: str, helpers: Helpers) -> list[str]:
    return [hit.doc for hit in retrieve(index, question, mode_called(mode), 10, helpers).hits]


def cold(store: Path, asked: Sequence[str]) -> dict[str, Any]:
    """Whole processes: seconds of processor time and of the wall, and MiB, medians."""
    runs: dict[str, list[Run]] = {}
    for text in asked:
        for kind in ("none", "extractive"):
            args = ["ask", text, "--store", store, "--answer", kind, "--quiet"]
            runs.setdefault(kind, []).append(run([*RAGCLI, *args], fine=(0, 1)))
    return {f"ask, answer {kind}": _costs(done) for kind, done in runs.items()}


def _costs(done: Sequence[Run]) -> dict[str, float]:
    return {
        "cpu": median(x.cpu for x in done),
        "wall": median(x.seconds for x in done),
        "mib": max(x.peak for x in done) / 2**20,
    }


def updates(store: Path, documents: Path) -> dict[str, Any]:
    """Whole processes: one document added, and removed again."""
    path = documents / "more" / "new.txt"
    runs: dict[str, list[Run]] = {}
    for turn in range(REPEATS):
        path.write_text(f"Ada Brix of Tarnby oiled the lamp on turn {turn}.\n", encoding="utf-8")
        for kind in ("added", "removed"):
            done = run([*RAGCLI, "update", "--store", store, "--json", "--quiet"])
            if json.loads(done.out)[kind] != 1:
                raise SystemExit(f"expected one document {kind}: {done.out[:300]}")
            runs.setdefault(kind, []).append(done)
            path.unlink(missing_ok=True)
    stages: dict[str, list[float]] = {}
    for done in runs["added"]:
        for name, seconds in json.loads(done.out)["stages"].items():
            stages.setdefault(name, []).append(seconds)
    slow = sorted(((median(x), name) for name, x in stages.items()), reverse=True)[:6]
    return {kind: _costs(done) for kind, done in runs.items()} | {
        "stages": {name: seconds for seconds, name in slow}
    }


def disk(store: Path) -> dict[str, float]:
    """MiB of the database and of the files of vectors and edges."""
    places = (store / "vectors", store / "derived")
    files = [path for place in places for path in place.rglob("*") if path.is_file()]
    return {
        "database": (store / "store.sqlite").stat().st_size / 2**20,
        "derived": sum(path.stat().st_size for path in files) / 2**20,
    }


def measure(folder: Path, out: Path, sizes: Sequence[int], parts: Sequence[str]) -> None:
    """Measure the stores that are there; figures are kept after each, and earlier ones stay."""
    figures = json.loads(out.read_text(encoding="utf-8")) if out.exists() else {}
    asked = cases()
    for size in sizes:
        store = folder / str(size)
        if not (store / "built.json").exists():
            continue
        of = figures.setdefault(str(size), {})
        if "search" in parts:
            of["search"] = in_process(store, asked)
        if "cold" in parts:
            of["cold"] = cold(store, [case["question"] for case in asked[:: 200 // ASKED_COLD]])
        if "disk" in parts:
            of["disk"] = disk(store)
        if "update" in parts:
            of["update"] = updates(store, hidden(folder, size))
        out.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
        print(f"{size:,}: {json.dumps(of)}", flush=True)
    show(figures)


def show(figures: dict[str, Any]) -> None:
    """Print the main figures."""
    rows = []
    for size, of in sorted(figures.items(), key=lambda item: int(item[0])):
        if of.keys() != set(PARTS):
            continue
        search, recall = of["search"]["ms"], of["search"]["recall"]["auto"]
        rows.append(
            [
                f"{int(size):,}",
                *(f"{search[name]:.1f}" for name in ("ten nearest", "best by words", "auto")),
                f"{of['search']['agreement']:.3f}",
                *(f"{of['cold']['ask, answer extractive'][x]:.2f}" for x in ("cpu", "mib")),
                f"{of['update']['added']['cpu']:.2f}",
                *(f"{recall[name][1]:.3f}" for name in SETS if name in recall),
            ]
        )
    heads = ("passages", "nearest, ms", "words, ms", "auto, ms", "agreement", "ask, s", "MiB")
    table((*heads, "update, s", "HotpotQA@5", "MuSiQue@5"), rows)


PARTS = ("search", "cold", "disk", "update")


def main() -> None:
    """Build the stores, or measure them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=("build", "measure"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("sizes", type=int, nargs="*", default=SIZES)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "million.json")
    parser.add_argument("--part", choices=PARTS, action="append")
    args = parser.parse_args()
    if args.task == "build":
        build(args.folder, args.sizes)
    else:
        measure(args.folder, args.out, args.sizes, args.part or PARTS)


if __name__ == "__main__":
    main()
