"""Profiles: one text for an entity or a pair, made of everything that is said of it.

Few fragments are the profile as they stand, in the order of their documents. Many are summed up:
by a language model where there is one, else by the sentences that say best what all say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ragcli.graph.summary import SummarySettings, summarise

# More fragments, or more tokens in them, than this are summed up.
MAX_FRAGMENTS = 8
MAX_TOKENS = 1200
# What a summary may take: about 250 tokens, as much as the embedder reads.
SUMMARY = SummarySettings(chars=1200, sentences=8, min_words=3)
# Keywords of a pair; the most frequent are kept.
MAX_KEYWORDS = 12

Count = Callable[[str], int]
# types that say nothing of the thing
_VAGUE = ("", "other", "unknown")


@dataclass(frozen=True, slots=True)
class Fragments:
    """Distinct fragments in order; ``name`` is what they are about."""

    name: str
    texts: tuple[str, ...]

    def are_many(self, count: Count) -> bool:
        """Whether they must be summed up; ``count`` gives the tokens of a text."""
        if len(self.texts) > MAX_FRAGMENTS:
            return True
        # A token is at least one character: most need not be counted.
        total = sum(map(len, self.texts))
        return total > MAX_TOKENS and sum(map(count, self.texts)) > MAX_TOKENS


def fragments(name: str, texts: Iterable[str]) -> Fragments:
    """The texts without repeats and without empty ones, in the order given."""
    return Fragments(name, tuple(dict.fromkeys(t for t in texts if t)))


def joined(parts: Fragments) -> str:
    """All fragments as one text."""
    return " ".join(f if f.endswith((".", "!", "?")) else f"{f}." for f in parts.texts)


def extractive(parts: Fragments) -> str:
    """The fragments' sentences that say best what all of them say."""
    return summarise([f if f[-1] in ".!?" else f"{f}." for f in parts.texts], SUMMARY)


def vote(types: Iterable[tuple[str, int]]) -> str:
    """The type with most weight, ties by name; a vague one only when there is no other.

    >>> vote([("person", 2), ("location", 1), ("location", 2), ("other", 9)])
    'location'
    """
    weights: Counter[str] = Counter()
    for type_, weight in types:
        weights[type_] += weight
    return min(((t in _VAGUE, -n, t) for t, n in weights.items()), default=(True, 0, ""))[2]


def top_keywords(lists: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The keywords in most lists, at most MAX_KEYWORDS, case folded; ties by name.

    >>> top_keywords([["Trade", "sea"], ["trade"], ["ports", ""]])
    ('trade', 'ports', 'sea')
    """
    counts = Counter(k for words in lists for k in {w.casefold().strip() for w in words} if k)
    return tuple(sorted(counts, key=lambda k: (-counts[k], k))[:MAX_KEYWORDS])
