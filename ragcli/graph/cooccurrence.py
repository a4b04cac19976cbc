"""Computes the co-occurrence graph of one document, after E2GraphRAG.

Each sentence that mentions both ends of an edge adds 1 / (entities in the sentence) to its weight.
Weights are integers in units of 1/SCALE, so sums do not depend on the order, and subtracting what
was added leaves exactly zero.

Worked example: "Ann met Bob in Rome." and "Ann wrote to Bob." give
Ann-Bob 1/3 + 1/2, Ann-Rome 1/3, Bob-Rome 1/3.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import combinations

from ragcli.graph.resolve import Resolved

SCALE = 1 << 20
# A "sentence" with more entities than this is a table or a list of names, and would add thousands
# of meaningless pairs. Names take precedence over nouns, then the order is by key.
MAX_ENTITIES = 40

Edge = tuple[str, str]


def cooccurrences(mentions: Iterable[Resolved]) -> tuple[dict[Edge, int], dict[Edge, int]]:
    """Return weights (in 1/SCALE) and sentence counts of the pairs (a, b), a < b."""
    sentences: dict[tuple[int, int], dict[str, str]] = defaultdict(dict)
    for m in mentions:
        sentences[m.part, m.sentence][m.key] = m.label
    weights: Counter[Edge] = Counter()
    counts: Counter[Edge] = Counter()
    for keys in sentences.values():
        chosen = sorted(keys, key=lambda k: (keys[k] == "", k))[:MAX_ENTITIES]
        if len(chosen) < 2:
            continue
        share = SCALE // len(chosen)
        for pair in combinations(sorted(chosen), 2):
            weights[pair] += share
            counts[pair] += 1
    return dict(weights), dict(counts)
