"""Co-occurrence graph of one document, after E2GraphRAG.

The weight of an edge is, summed over the sentences that hold both ends, one over the number of
entities in the sentence. It is kept as an integer in units of 1/SCALE: integer sums come out the
same in any order, and subtracting what was added leaves exactly nothing.

Worked example: "Ann met Bob in Rome." and "Ann wrote to Bob." give
Ann-Bob 1/3 + 1/2, Ann-Rome 1/3, Bob-Rome 1/3.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import combinations

from ragcli.graph.resolve import Resolved

SCALE = 1 << 20
# A "sentence" with more entities than this is a table or a list of names: it would add
# thousands of meaningless pairs. Names are kept before nouns, then by key.
MAX_ENTITIES = 40

Edge = tuple[str, str]


def cooccurrences(mentions: Iterable[Resolved]) -> tuple[dict[Edge, int], dict[Edge, int]]:
    """Weights (in 1/SCALE) and sentence counts of the pairs (a, b), a < b, of one document."""
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
