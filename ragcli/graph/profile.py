"""Builds profiles: one text for an entity or a pair, made of all statements about it.

A few fragments form the profile unchanged, in the order of their documents. Many fragments are
summarised: by a language model if there is one, otherwise by their most central sentences.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ragcli.graph.summary import SummarySettings, summarise

# More fragments or tokens than this are summarised.
MAX_FRAGMENTS = 8
MAX_TOKENS = 1200
# The size of a summary: about 250 tokens, which is as much as the embedder reads.
SUMMARY = SummarySettings(chars=1200, sentences=8, min_words=3)
# Most keywords of a pair; the most frequent are kept.
MAX_KEYWORDS = 12

Count = Callable[[str], int]
# Types that say nothing about the entity.
_VAGUE = ("", "other", "unknown")


@dataclass(frozen=True, slots=True)
class Fragments:
    """Distinct fragments in order; ``name`` is the entity or pair that they are about."""

    name: str
    texts: tuple[str, ...]

    def are_many(self, count: Count) -> bool:
        """Return whether they must be summarised; ``count`` counts the tokens of a text."""
        if len(self.texts) > MAX_FRAGMENTS:
            return True
        # A token has at least one character, so most texts need no tokenizer.
        total = sum(map(len, self.texts))
        return total > MAX_TOKENS and sum(map(count, self.texts)) > MAX_TOKENS


def fragments(name: str, texts: Iterable[str]) -> Fragments:
    """Return the distinct non-empty texts in the given order."""
    return Fragments(name, tuple(dict.fromkeys(t for t in texts if t)))


def joined(parts: Fragments) -> str:
    """Return all fragments as one text."""
    return " ".join(f if f.endswith((".", "!", "?")) else f"{f}." for f in parts.texts)


def extractive(parts: Fragments) -> str:
    """Return the most central sentences of the fragments."""
    return summarise([f if f[-1] in ".!?" else f"{f}." for f in parts.texts], SUMMARY)


def vote(types: Iterable[tuple[str, int]]) -> str:
    """Return the type with most weight, ties by name; a vague type only if there is no other.

    >>> vote([("person", 2), ("location", 1), ("location", 2), ("other", 9)])
    'location'
    """
    weights: Counter[str] = Counter()
    for type_, weight in types:
        weights[type_] += weight
    return min(((t in _VAGUE, -n, t) for t, n in weights.items()), default=(True, 0, ""))[2]


def top_keywords(lists: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the most frequent keywords, case folded, at most MAX_KEYWORDS; ties by name.

    >>> top_keywords([["Trade", "sea"], ["trade"], ["ports", ""]])
    ('trade', 'ports', 'sea')
    """
    counts = Counter(k for words in lists for k in {w.casefold().strip() for w in words} if k)
    return tuple(sorted(counts, key=lambda k: (-counts[k], k))[:MAX_KEYWORDS])
