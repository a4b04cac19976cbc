"""Whether what a model says of a text is in the text: the share of its words that stand there."""

from __future__ import annotations

import re
from functools import lru_cache

from ragcli.graph.names import normalise
from ragcli.graph.summary import STOP_WORDS

# Of a description's content words, those that must stand in the chunk. Words of its own a model
# may use to tie them together.
GROUNDED = 0.6

_WORD = re.compile(r"[^\W_]+")
_ENDINGS = ("ings", "ing", "edly", "ed", "ies", "es", "s", "ly")


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def content(text: str) -> set[str]:
    """Stems of the words that say something.

    >>> sorted(content("The keepers were keeping old huts."))
    ['hut', 'keep', 'keeper', 'old']
    """
    words = _WORD.findall(normalise(text))
    return {_stem(w) for w in words if w not in STOP_WORDS and (len(w) > 1 or w.isdigit())}


def grounded(description: str, said: set[str]) -> float:
    """The share of a description's content words in ``said``, the ``content`` of the text; 0.0 of
    a description that says nothing.

    >>> grounded("keeper of the lighthouse", content("She keeps the lighthouse."))
    0.5
    """
    words = content(description)
    return len(words & said) / len(words) if words else 0.0
