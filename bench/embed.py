"""How fast passages are embedded: ours against sentence-transformers' own loop.

    RAGCLI_DATA=/data python bench/embed.py [--passages 400] [--rounds 3] [--plain]

Passages of about 200 tokens are cut from the novels in $RAGCLI_DATA/novels. Every setting is
measured ``--rounds`` times in turn and the least time printed, as microseconds a token: wall,
and processor time (which another program on the machine hardly changes). The last column
extrapolates the wall time to 150,000 words with 40 tokens of overlap.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ragcli.models import embed
from ragcli.models.cpu import has_bf16, usable_cpus
from ragcli.models.embed import DType, Embedder
from ragcli.models.locate import embedder_folder

WORDS_A_PASSAGE = 160
BUDGETS = (1024, 2048, 4096, 8192)


def passages(count: int) -> list[str]:
    """The first ``count`` stretches of 160 words of the novels."""
    folder = Path(os.environ["RAGCLI_DATA"]) / "novels"
    words: list[str] = []
    for path in sorted(folder.glob("*.txt")):
        words += path.read_text(encoding="utf-8", errors="replace").split()
    step = WORDS_A_PASSAGE
    return [" ".join(words[i : i + step]) for i in range(0, len(words), step)][:count]


def measure(rounds: int, work: Callable[[], Any]) -> tuple[float, float]:
    """Least wall and processor seconds of some rounds."""
    walls, processors = [], []
    for _ in range(rounds):
        wall, processor = time.perf_counter(), time.process_time()
        work()
        walls.append(time.perf_counter() - wall)
        processors.append(time.process_time() - processor)
    return min(walls), min(processors)


def show(name: str, seconds: tuple[float, float], tokens: int, words: int) -> None:
    """One line of the table."""
    wall, processor = (1e6 * value / tokens for value in seconds)
    all_tokens = 150_000 * tokens / words * 1.25  # 40 of 200 tokens are read twice
    print(f"{name:34} {wall:7.1f} wall {processor:7.1f} cpu {wall * all_tokens / 1e6:7.1f} s")


def compare(model: Embedder, texts: list[str], rounds: int, plain: bool) -> None:
    """Measure one model under every setting and print its part of the table."""
    words = sum(len(text.split()) for text in texts)
    tokens = sum(model._lengths(texts))
    show("  tokenizing alone", measure(rounds, lambda: model._lengths(texts)), tokens, words)
    for threads in sorted({1, usable_cpus()}):
        model._threads = threads
        for embed.BATCH_TOKENS in BUDGETS:
            seconds = measure(rounds, lambda: model.encode(texts))
            show(f"  {threads} threads, {embed.BATCH_TOKENS} tokens", seconds, tokens, words)
    if plain:
        seconds = measure(1, lambda: model._model.encode(texts, show_progress_bar=False))
        show("  sentence-transformers encode()", seconds, tokens, words)


def main() -> None:
    """Read the options and compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--passages", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--plain", action="store_true", help="sentence-transformers' loop too")
    options = parser.parse_args()
    texts = passages(options.passages)
    print(f"{len(texts)} passages, {usable_cpus()} processors; microseconds a token, least of runs")
    dtypes: tuple[DType, ...] = ("float32", "bfloat16") if has_bf16() else ("float32",)
    for dtype in dtypes:
        start = time.perf_counter()
        model = Embedder(embedder_folder(), dtype=dtype)
        print(f"{dtype}: loaded in {time.perf_counter() - start:.1f} s")
        compare(model, texts, options.rounds, options.plain)


if __name__ == "__main__":
    main()
