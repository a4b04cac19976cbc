"""Seconds and memory of clustering by the number of entities, and how stable the clusters are.

    python bench/clusters.py [1000 10000 100000]

Made-up descriptions: unit vectors in 384 dimensions around themes, themes around subjects, about
twenty to a theme. Ratios are to the smallest size; 10 for ten times as many would be linear.
Stability: the share of pairs that stay together (adjusted Rand index) when 1 % is added.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Sequence

import numpy as np
from measure import table

from ragcli.graph.cluster_text import cluster_texts
from ragcli.graph.clustering import clusters
from ragcli.graph.hierarchy_levels import SIZE, Rows, base_layer, build

SIZES = (1_000, 10_000, 100_000)
DIM = 384
EDGES_EACH = 10
WORDS = ("harbour", "ferry", "radar", "letter", "captain", "island", "storm", "engine", "garden")


def vectors(n: int, rng: np.random.Generator) -> Rows:
    """n unit vectors: subjects, themes near them, entities near those."""
    subjects = rng.standard_normal((max(n // 400, 1), DIM), dtype=np.float32)
    themes = np.repeat(subjects, 20, axis=0)
    themes += 0.7 * rng.standard_normal(themes.shape, dtype=np.float32)
    rows = themes[rng.integers(0, len(themes), n)]
    rows += 0.8 * rng.standard_normal(rows.shape, dtype=np.float32)
    unit: Rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def whole(n: int, rng: np.random.Generator) -> tuple[float, list[int]]:
    """Seconds for all levels of n entities, words and relations included; nodes by level."""
    rows = vectors(n, rng)
    names = [f"Entity {i}" for i in range(n)]
    texts = [f"{name} stands by the {' '.join(rng.choice(WORDS, 8))}." for name in names]
    pairs = np.unique(np.sort(rng.integers(0, n, (n * EDGES_EACH, 2)), axis=1), axis=0)
    pairs = pairs[pairs[:, 0] < pairs[:, 1]]
    edges = np.column_stack([pairs, np.ones(len(pairs), dtype=np.int64)])

    def embed(said: Sequence[str]) -> Rows:
        return vectors(len(said), rng)

    began = time.perf_counter()
    levels = build(base_layer(names, texts, [1] * n), rows, edges, embed, cluster_texts)
    return time.perf_counter() - began, [len(level.aggregates) for level in levels]


def stability(rng: np.random.Generator) -> float:
    """Adjusted Rand index of the clusters of 5,000 rows, alone and with 1 % more."""
    from sklearn.metrics import adjusted_rand_score

    rows = vectors(5_050, rng)
    return float(adjusted_rand_score(clusters(rows[:5_000], SIZE), clusters(rows, SIZE)[:5_000]))


def main() -> None:
    """A row for each size, then the stability."""
    rng = np.random.default_rng(11)
    whole(200, rng)  # loads scikit-learn
    rows, base = [], 0.0
    for n in tuple(map(int, sys.argv[1:])) or SIZES:
        seconds, levels = whole(n, rng)
        base = base or seconds
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        shown = " ".join(f"{count:,}" for count in levels)
        rows.append([f"{n:,}", f"{seconds:.1f}", f"{seconds / base:.1f}", f"{peak:,.0f}", shown])
    table(("entities", "seconds", "ratio", "peak MiB", "nodes by level"), rows)
    print(f"\nclusters with 1 % more entities: adjusted Rand index {stability(rng):.2f}")


if __name__ == "__main__":
    main()
