"""What a store weighs, and what indexing costs beside embedding alone, as JSON.

    RAGCLI_DATA=/path/to/data python bench/size.py [--documents 1000] [--words 350] [--keep FOLDER]

Real texts are cut into documents of so many words and indexed. ``tables`` and ``files`` are bytes
as multiples of the text; the page statistics of SQLite (dbstat) give those of the tables and
indexes. Then a process of its own embeds the same texts (passages, summaries, names) with the same
encoder and does nothing else: ``ratio`` is the time of indexing over that time, ``cpu_ratio`` the
same of processor seconds, which hold on a busy machine, too.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

from measure import RAGCLI, pieces, run

from ragcli.config import Settings
from ragcli.corpus.scan import scan
from ragcli.indexing.changes import FreshDocument, stream
from ragcli.indexing.prepare import chunk_settings, prepare
from ragcli.models.model_set import ModelSet

LEAST = 0.005
"""Tables and files below this multiple of the text are summed up as "others"."""

EMBED = """
import json, sys
from pathlib import Path
from ragcli.models.torch_encoder import TorchEncoder
TorchEncoder(Path(sys.argv[1])).encode_passages(json.load(sys.stdin))
"""


def write(folder: Path, documents: int, words: int) -> int:
    """Write the documents, a hundred to a folder; returns their characters."""
    texts = pieces(words, documents)[:documents]
    for number, text in enumerate(texts):
        file = folder / f"{number // 100:03}" / f"{number:05}.txt"
        file.parent.mkdir(exist_ok=True, parents=True)
        file.write_text(text, encoding="utf-8")
    return sum(map(len, texts))


def embedded(folder: Path, store: Path, models: ModelSet) -> list[str]:
    """The distinct texts that indexing embeds."""
    fresh = [x for x in stream(scan([str(folder)]).sources, {}) if isinstance(x, FreshDocument)]
    ready = [prepare(x, models.offsets, chunk_settings(models.settings)) for x in fresh]
    texts = [t for d in ready for part in (*d.passages, d.node_texts) for t in part]
    with closing(sqlite3.connect(store / "store.sqlite")) as db:
        names = db.execute("SELECT name FROM entities WHERE kind = 'name'").fetchall()
    return list(dict.fromkeys([*texts, *(name for (name,) in names)]))


def weights(store: Path, text: int) -> dict[str, Any]:
    """Bytes of the tables and files as multiples of the text, the heaviest first."""
    with closing(sqlite3.connect(store / "store.sqlite")) as db:
        tables = dict(db.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"))
    files = {
        p.relative_to(store).as_posix(): p.stat().st_size for p in store.rglob("*") if p.is_file()
    }
    return {
        "text": text,
        "store": sum(files.values()),
        "times_text": round(sum(files.values()) / text, 2),
        "tables": _heavy(tables, text),
        "files": _heavy(files, text),
    }


def _heavy(sizes: dict[str, int], text: int) -> dict[str, float]:
    shares = {name: size / text for name, size in sizes.items()}
    heavy = {name: round(x, 3) for name, x in sorted(shares.items(), key=lambda s: -s[1])}
    shown = {name: x for name, x in heavy.items() if x >= LEAST}
    return {**shown, "others": round(sum(x for x in shares.values() if x < LEAST), 3)}


def main() -> None:
    """Index, weigh, embed alone, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--words", type=int, default=350)
    parser.add_argument("--keep", type=Path, help="a folder for documents and store")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        home = options.keep or Path(temporary)
        folder, store = home / "documents", home / "store"
        text = write(folder, options.documents, options.words)
        whole = run([*RAGCLI, "index", folder, "--store", store, "--json", "--quiet"])
        models = ModelSet(Settings())
        texts = embedded(folder, store, models)
        bare = run([sys.executable, "-c", EMBED, models.embedder_path], json.dumps(texts))
        result = json.loads(whole.out)
        found = {
            "documents": result["documents"],
            "words": result["words"],
            "index": {"seconds": whole.seconds, "cpu": whole.cpu, "peak_mib": whole.peak >> 20},
            "stages": result["stages"],
            "embedding_alone": {
                "texts": len(texts),
                "seconds": bare.seconds,
                "cpu": bare.cpu,
                "peak_mib": bare.peak >> 20,
            },
            "ratio": round(whole.seconds / bare.seconds, 2),
            "cpu_ratio": round(whole.cpu / bare.cpu, 2),
            "size": weights(store, text),
        }
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
