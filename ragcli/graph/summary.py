"""Makes extractive summaries from word counts.

Sentences are vectors of word counts. The summary takes those nearest to the centroid, with a
penalty for repetition (maximal marginal relevance, Carbonell and Goldstein 1998). Dot products are
exact integers, followed only by division and square root, which IEEE 754 rounds correctly. So the
same text gives the same summary on every machine, which embeddings could not guarantee.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ragcli.text.sentences import sentences
from ragcli.text.words import SUMMARY_WORDS, content_words, one_line

# Headings, table rows, quotations and fences are not used in a summary.
_MARKUP = "#|>`~"


@dataclass(frozen=True, slots=True)
class SummarySettings:
    """Limits of a summary.

    ``chars`` is its maximum length. ``diversity`` 0 ignores repetition, 1 considers nothing else.
    Sentences with fewer than ``min_words`` words are not used.
    """

    chars: int = 900
    sentences: int = 7
    diversity: float = 0.4
    min_words: int = 5


def summarise(texts: Sequence[str], settings: SummarySettings = SummarySettings()) -> str:
    """Return the most central sentences of ``texts`` in order, one text after another.

    If all texts fit, the summary is their full text. Returns "" for empty texts.
    """
    whole = "\n".join(t.strip() for t in texts if t.strip())
    if len(whole) <= settings.chars:
        return whole
    said = [one_line(text[a:b]) for text in texts for a, b in sentences(text)]
    chosen = select(said, settings)
    return " ".join(said[i] for i in sorted(chosen)) or whole[: settings.chars]


def select(texts: Sequence[str], settings: SummarySettings) -> list[int]:
    """Return the indices of the sentences chosen by MMR, best first."""
    bags = [Counter(content_words(s, SUMMARY_WORDS)) for s in texts]
    usable = [
        i
        for i, (bag, s) in enumerate(zip(bags, texts, strict=True))
        if len(bag) >= settings.min_words and len(s) <= settings.chars // 2 and s[0] not in _MARKUP
    ] or [i for i, s in enumerate(texts) if bags[i] and len(s) <= settings.chars]
    squares = [_squares(bag) for bag in bags]
    centroid: Counter[str] = Counter()
    for i in usable:
        centroid.update(bags[i])
    all_squares = _squares(centroid)
    relevance = {i: _cosine(bags[i], centroid, squares[i] * all_squares) for i in usable}
    # Only the most central sentences are compared: the others have no chance.
    pool = sorted(usable, key=lambda i: (-relevance[i], i))[: settings.sentences * 6]
    return _marginal(pool, bags, squares, relevance, [len(s) for s in texts], settings)


def _marginal(
    pool: list[int],
    bags: Sequence[Counter[str]],
    squares: Sequence[int],
    relevance: dict[int, float],
    lengths: Sequence[int],
    settings: SummarySettings,
) -> list[int]:
    chosen: list[int] = []
    repeated = dict.fromkeys(pool, 0.0)
    left = settings.chars
    keep = 1.0 - settings.diversity
    while pool and len(chosen) < settings.sentences:
        best = max(pool, key=lambda i: (keep * relevance[i] - settings.diversity * repeated[i], -i))
        pool = [i for i in pool if i != best]
        if lengths[best] > left:
            continue
        chosen.append(best)
        left -= lengths[best] + 1
        for i in pool:
            repeated[i] = max(repeated[i], _cosine(bags[i], bags[best], squares[i] * squares[best]))
    return chosen


def _cosine(a: Counter[str], b: Counter[str], squares: int) -> float:
    """Return the cosine. ``squares`` is the product of both sums of squares, computed once each."""
    if len(b) < len(a):
        a, b = b, a
    dot = sum([n * b[w] for w, n in a.items() if w in b])
    return dot / math.sqrt(squares) if dot else 0.0


def _squares(bag: Counter[str]) -> int:
    return sum([n * n for n in bag.values()])
