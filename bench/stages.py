"""Processor time of indexing by stage, without the embedder, as JSON.

    RAGCLI_DATA=/path/to/data python bench/stages.py [--documents 300] [--words 350]

Real texts are cut into documents of so many words and indexed in one process, with vectors taken
from a small table instead of an embedder. Stages are in microseconds of processor time a word, so
they hold on a busy machine, too: compare two versions in turns. ``peak_mib`` is this process's;
``store`` is its bytes as a multiple of the characters of the text.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from numpy.typing import NDArray
from size import write

from ragcli import stage_timer
from ragcli.config import Settings
from ragcli.indexing.index import index_with
from ragcli.indexing.request import IndexRequest
from ragcli.models.model_set import ModelSet
from ragcli.types import Report, silent

TABLE = np.random.default_rng(0).standard_normal((4096, 384)).astype(np.float16)


class MadeVectors(ModelSet):
    """Models of a run whose embedder takes no time."""

    def embed(self, texts: Sequence[str], report: Report = silent) -> NDArray[np.float16]:
        """Return one of a few vectors for each text, by its hash; they are no unit vectors."""
        hashes = (blake2b(text.encode(), digest_size=2).digest() for text in texts)
        return TABLE[[int.from_bytes(found) % len(TABLE) for found in hashes]]


def main() -> None:
    """Index and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--documents", type=int, default=300)
    parser.add_argument("--words", type=int, default=350)
    options = parser.parse_args()
    timer = SimpleNamespace(perf_counter=time.process_time, monotonic=time.monotonic)
    stage_timer.time = timer  # type: ignore[assignment,attr-defined]
    with tempfile.TemporaryDirectory() as temporary:
        folder, store = Path(temporary, "documents"), Path(temporary, "store")
        text = write(folder, options.documents, options.words)
        began = time.process_time()
        models = MadeVectors(Settings(workers=1))
        done = index_with(models, IndexRequest(store=store, paths=(folder,)), silent)
        seconds = time.process_time() - began
        size = sum(file.stat().st_size for file in store.rglob("*") if file.is_file())
    found = {
        "words": done.words,
        "cpu": round(seconds, 2),
        "microseconds_a_word": round(1e6 * seconds / done.words, 1),
        "stages": {name: round(1e6 * s / done.words, 1) for name, s in done.stages.items()},
        "documents": done.documents,
        "chars": text,
        "store": round(size / text, 2),
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
    }
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
