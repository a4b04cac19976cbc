"""Retrieval and citation metrics of one question, from the ranks of its evidence.

``ranks`` has one entry for each relevant item (document or quote): its 1-based rank, or None. All
results are between 0 and 1. The caller leaves out questions without relevant items.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log2

from ragcli.evaluate.cases import GoldEvidence
from ragcli.evaluate.matching import Ranks, supports
from ragcli.types import Citation


def recall(ranks: Ranks, k: int) -> float:
    """Return the share of relevant items at ranks up to k.

    >>> recall((1, 4, None), 5)
    0.6666666666666666
    """
    return sum(rank is not None and rank <= k for rank in ranks) / len(ranks)


def perfect(ranks: Ranks, k: int) -> float:
    """Return 1.0 if all relevant items are at ranks up to k, else 0.0 (for multi-hop questions)."""
    return float(all(rank is not None and rank <= k for rank in ranks))


def reciprocal_rank(ranks: Ranks) -> float:
    """Return 1 / the best rank of a relevant item, 0.0 if none is found; its mean is MRR."""
    return max((1 / rank for rank in ranks if rank is not None), default=0.0)


def ndcg(ranks: Ranks, grades: Sequence[int], k: int) -> float:
    """Return nDCG@k with linear gain, as trec_eval defines it (Järvelin and Kekäläinen 2002).

    DCG = sum of grade / log2(rank + 1) over ranks up to k; the ideal has the grades in descending
    order at ranks 1, 2, ... Items that share a rank (quotes in one hit) could exceed that ideal,
    so the result is limited to 1.
    """
    gain = sum(
        grade / log2(rank + 1)
        for rank, grade in zip(ranks, grades, strict=True)
        if rank is not None and rank <= k
    )
    best = sorted(grades, reverse=True)[:k]
    return min(1.0, gain / sum(grade / log2(place + 1) for place, grade in enumerate(best, 1)))


def citation_precision(
    citations: Sequence[Citation], evidence: Sequence[GoldEvidence], titles: Mapping[str, str]
) -> float | None:
    """Return the share of citations that point to evidence; None if nothing is cited."""
    if not citations:
        return None
    right = sum(any(supports(cited, item, titles) for item in evidence) for cited in citations)
    return right / len(citations)


def citation_recall(
    citations: Sequence[Citation], evidence: Sequence[GoldEvidence], titles: Mapping[str, str]
) -> float:
    """Return the share of evidence that is cited."""
    found = sum(any(supports(cited, item, titles) for cited in citations) for item in evidence)
    return found / len(evidence)
