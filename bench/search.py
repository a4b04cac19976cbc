"""The nearest among ten thousand to a million vectors: all compared, and chosen by codes.

    RAGCLI_DATA=/path/to/data python bench/search.py [--bases FOLDER] [10000 100000 1000000]

Made vectors (``made_passages.py``) in an index file as a store has it, mapped; the questions of
HotpotQA-100 and MuSiQue-100. Median milliseconds of processor time of a warm search for ten, and
the shares of the ten and of the hundred nearest that codes find. Without RAGCLI_DATA the pieces are
those of the sample corpus and the questions are made like passages.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
from made_passages import Maker, load
from measure import data, questions, table
from numpy.typing import NDArray

from ragcli.config import Settings
from ragcli.models.embed import query_encoder
from ragcli.models.locate import embedder_folder
from ragcli.search.vectors import Scale, VectorIndex, write_codes, write_index

SIZES = (10_000, 100_000, 1_000_000)
SETS = ("hotpotqa-100", "musique-100")
QUESTIONS = 100
NEAREST = (10, 100)


def asked(maker: Maker) -> NDArray[np.float32]:
    """Vectors of questions (n, dim)."""
    if not os.environ.get("RAGCLI_DATA"):
        return np.concatenate([maker.vectors(-1 - n) for n in range(QUESTIONS)]).astype(np.float32)
    encoder = query_encoder(embedder_folder(Settings().embedder))[0]
    return encoder.encode([text for folder in data(*SETS) for text in questions(folder, QUESTIONS)])


def timed(
    index: VectorIndex, asked: NDArray[np.float32], k: int
) -> tuple[float, list[NDArray[np.int64]]]:
    """Median seconds of processor time, and the rows that are found."""
    spent, found = [], []
    for question in asked:
        began = time.process_time()
        found.append(index.search(question, k)[0])
        spent.append(time.process_time() - began)
    return median(spent), found


def row(maker: Maker, asked: NDArray[np.float32], size: int) -> list[str]:
    """Both ways over ``size`` vectors."""
    known = np.empty((size, asked.shape[1]), np.float16)
    filled = number = 0
    while filled < size:
        made = maker.vectors(number)[: size - filled]
        known[filled : filled + len(made)] = made
        filled, number = filled + len(made), number + 1
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.faiss"
        write_index(path, known)
        began = time.process_time()
        write_codes(path, known)
        coding = time.process_time() - began
        del known
        every, codes = (VectorIndex.open(path, scale) for scale in (Scale.SOME, Scale.MANY))
        shares, milliseconds = [], []
        for k in NEAREST:
            exact, theirs = timed(every, asked, k)
            spent, ours = timed(codes, asked, k)
            both = zip(ours, theirs, strict=True)
            shares.append(np.mean([np.isin(b, a).mean() for a, b in both]))
            milliseconds += [1000 * exact, 1000 * spent]
        mib = [file.stat().st_size / 2**20 for file in (path, path.with_suffix(".codes"))]
    figures = [*(f"{x:,.0f}" for x in mib), *(f"{x:.2f}" for x in milliseconds)]
    return [f"{size:,}", *figures, *(f"{x:.4f}" for x in shares), f"{coding:.1f}"]


def main() -> None:
    """Print a table with a row for each size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", type=int, nargs="*", default=SIZES)
    parser.add_argument("--bases", type=Path, help="where the pieces are kept for the next time")
    parser.add_argument("--pieces", type=int, default=1_000)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        maker = Maker(load(args.bases or Path(temporary), args.pieces))
    vectors = asked(maker)
    heads = ("vectors", "MiB", "codes", "10: all, ms", "codes", "100: all, ms", "codes")
    rows = [row(maker, vectors, size) for size in args.sizes]
    table((*heads, "recall@10", "recall@100", "coding, s"), rows)


if __name__ == "__main__":
    main()
