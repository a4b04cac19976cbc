"""How long a scope takes: selecting documents, and searching within them, at any size.

    python bench/scope.py --documents 100000 --passages 10

It makes a store of random vectors and short texts without any model, and prints one line per scope:
seconds of this process to select, and per search by vector and by words, beside those of the whole
store.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from ragcli.search import derive, lexical
from ragcli.search.lexical import IndexedPassage
from ragcli.search.scoped_index import within
from ragcli.search.search_index import SearchIndex
from ragcli.store.connection import FILE, connect, create
from ragcli.store.snapshot import open_snapshot
from ragcli.store.writer import open_writer
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Scope

WORDS = 5000
FOLDERS = 100


def fill(store: Path, documents: int, passages: int) -> None:
    """A committed store of documents in 100 folders, a tenth of them with an author."""
    rng = np.random.default_rng(0)
    create(store)
    db = connect(store / FILE, readonly=False)
    db.execute("BEGIN")
    db.execute("INSERT INTO extractions VALUES (x'00', x'90')")
    row = 0
    blobs: dict[bytes, bytes] = {}
    for n in range(documents):
        doc = n + 1
        name = f"folder{n % FOLDERS:03}/doc{n}.md"
        db.execute(
            "INSERT INTO documents VALUES (?, ?, ?, '', '', 100, 1, NULL, '', '')",
            (doc, name, name),
        )
        db.execute("INSERT INTO document_times VALUES (?, ?)", (doc, n * 3600 * 10**9))
        if n % 10 == 0:
            db.execute("INSERT INTO document_fields VALUES (?, 0, 'author', 'Ada')", (doc,))
        db.execute(
            "INSERT INTO chunks VALUES (?, ?, 0, 0, 100, 0, 1, 1, NULL, '', '', 10, x'00', NULL)",
            (doc, doc),
        )
        vectors = rng.standard_normal((passages, 384)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        for vector in vectors.astype(np.float16):
            row += 1
            key = row.to_bytes(8, "big")
            blobs[key] = vector.tobytes()
            db.execute("INSERT INTO passages VALUES (?, ?, ?, 0, 100, ?)", (row, doc, doc, key))
    db.execute("INSERT OR REPLACE INTO meta VALUES ('generation', '1')")
    db.execute("COMMIT")
    db.close()
    with open_writer(store) as writer:
        words = rng.zipf(1.3, size=(row, 20)) % WORDS
        lexical.add(
            writer,
            (IndexedPassage(i + 1, "", " ".join(f"w{w}" for w in x)) for i, x in enumerate(words)),
        )
        writer.vectors.keep(blobs)
        derive.derive_current(writer, None)


def seconds(run: Callable[[], object], times: int = 5) -> float:
    """Processor seconds of the fastest run."""
    best = float("inf")
    for _ in range(times):
        began = time.process_time()
        run()
        best = min(best, time.process_time() - began)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=5_000)
    parser.add_argument("--passages", type=int, default=10)
    args = parser.parse_args()
    # Documents are an hour apart.
    middle = datetime.fromtimestamp(args.documents * 1800, UTC).date()
    query = np.random.default_rng(1).standard_normal(384).astype(np.float32)
    with tempfile.TemporaryDirectory() as place:
        store = Path(place) / "s"
        fill(store, args.documents, args.passages)
        with open_snapshot(store) as snapshot:
            whole = SearchIndex.open(snapshot)
            print(f"{len(whole.passages):,} passages of {args.documents:,} documents")
            print("scope                          passages   select  vectors    words")
            for scope in (
                Scope(),
                Scope.of("*"),
                Scope.of("folder007"),
                Scope.of("folder00*"),
                Scope.of(where=["author=Ada"]),
                Scope.of(since=str(middle)),
                Scope.of("folder007/doc7.md"),
            ):
                select = seconds(lambda scope=scope: len(within(whole, scope).passages), 3)  # type: ignore[misc]
                part = within(whole, scope)
                vectors = seconds(lambda part=part: part.passages.search(query, 10))  # type: ignore[misc]
                words = seconds(lambda part=part: part.by_words(AskedQuestion("w7 w19 w300"), 10))  # type: ignore[misc]
                name = str(scope) or "(none)"
                print(
                    f"{name:<28} {len(part.passages):>10,} {select:>8.3f} {vectors:>8.3f}"
                    f" {words:>8.3f}"
                )


if __name__ == "__main__":
    main()
