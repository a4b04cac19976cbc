"""Exact search among ten thousand, a hundred thousand and a million vectors.

    python bench/search.py [10000 100000 1000000]

Random unit vectors of 384 numbers in an index file as a store has it, mapped; median milliseconds
of processor time of 15 questions, ten nearest each. Beside it NumPy over 32-bit floats in memory.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

import numpy as np
from measure import table
from numpy.typing import NDArray

from ragcli.search.vectors import VectorIndex, write_index

SIZES = (10_000, 100_000, 1_000_000)
DIM = 384
QUESTIONS = 15
NEAREST = 10
BLOCK = 50_000


def vectors(size: int) -> NDArray[np.float32]:
    """Unit rows, shape (size, DIM), made in blocks: a million in 64 bits would take 3 GB."""
    rng = np.random.default_rng(0)
    made = np.empty((size, DIM), np.float32)
    for at in range(0, size, BLOCK):
        rows = made[at : at + BLOCK]
        rows[:] = rng.standard_normal(rows.shape, dtype=np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return made


def timed(search: Callable[[NDArray[np.float32]], object], asked: NDArray[np.float32]) -> float:
    """Median seconds of processor time."""

    def seconds() -> Iterator[float]:
        for question in asked:
            began = time.process_time()
            search(question)
            yield time.process_time() - began

    return median(seconds())


def row(size: int) -> list[str]:
    """Both ways over ``size`` vectors."""
    known = vectors(size)
    asked = known[:QUESTIONS] + 0.2 * known[-QUESTIONS:]
    plain = timed(lambda question: np.argpartition(known @ question, -NEAREST), asked)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.faiss"
        write_index(path, known.astype(np.float16))
        index = VectorIndex.open(path)
        ours = timed(lambda question: index.search(question, NEAREST), asked)
        mib = path.stat().st_size / 2**20
    figures = (f"{mib:,.0f}", f"{1000 * ours:.2f}", f"{1000 * plain:.2f}", f"{plain / ours:.1f}")
    return [f"{size:,}", *figures]


def main() -> None:
    """Print a table with a row for each size."""
    sizes = map(int, sys.argv[1:] or SIZES)
    table(("vectors", "MiB", "ms", "NumPy, ms", "ratio"), [row(size) for size in sizes])


if __name__ == "__main__":
    main()
