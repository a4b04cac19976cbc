"""Measures whether a text supports a claim. All texts of models and all citations are checked so.

The measure is the share of the claim's content words that occur in the source text. Models invent
names and numbers, and one wrong year matters more than any number of correct words. Most callers
therefore require some of them to occur in the source exactly (``Exact``):

- answers, follow-up questions and texts about clusters: names and numbers;
- profiles of entities and pairs: numbers, because a profile may use another name for a thing;
- descriptions of one chunk: nothing, because their names are located in the chunk one by one.
"""

from __future__ import annotations

from functools import cached_property
from typing import Literal

from ragcli.text.names import names_in, numbers_in
from ragcli.text.words import ANSWER_WORDS, WordRules, content_words, plain

Exact = Literal["names and numbers", "numbers", "nothing"]

ANSWER_SUPPORT = 0.5
"""Minimum support of a sentence of an answer (docs/adr/extractive-answers.md)."""

DESCRIPTION_SUPPORT = 0.6
"""Minimum support of a description or profile. A model may connect the words of the text with
words of its own (docs/adr/llm-extraction.md)."""

CLUSTER_NAME_SUPPORT = 0.5
"""Minimum support of a cluster's name. The word for its members ("ships") is often not in the
text."""

# Words that connect a fact to its sentence. They claim nothing by themselves.
_BUILDERS = frozenset(
    content_words(
        "associated based called considered described found identified known located mentioned "
        "situated"
    )
)


class SourceText:
    """A text that claims are checked against. ``rules`` define how words are compared."""

    def __init__(self, text: str, rules: WordRules = ANSWER_WORDS) -> None:
        self.text = text
        self.rules = rules
        self.words = frozenset(content_words(text, rules))

    @cached_property
    def _plain(self) -> str:
        return plain(self.text)

    @cached_property
    def _numbers(self) -> frozenset[str]:
        return frozenset(numbers_in(self.text))

    def holds_numbers(self, claim: str) -> bool:
        """Return whether every number of the claim occurs in the text."""
        return self._numbers.issuperset(numbers_in(claim))

    def holds_names(self, claim: str) -> bool:
        """Return whether every name of the claim occurs in the text, whole or word by word."""
        return all(
            plain(name) in self._plain or self.words.issuperset(content_words(name, self.rules))
            for name in names_in(claim)
        )


def support(claim: str, source: SourceText, exact: Exact = "names and numbers") -> float:
    """Return how well the source supports the claim, from 0 to 1.

    The result is 0 if the claim has no content words, or if a name or number that must be
    ``exact`` is not in the source. With "names and numbers", these do not count in the share
    again; the result is 1 if the claim contains nothing else.

    >>> source = SourceText("Ann Lee bought the old hut in 1921.")
    >>> [support(f"Ann Lee sold the hut in {year}.", source) for year in (1921, 1922)]
    [0.5, 0.0]
    """
    words = set(content_words(claim, source.rules))
    if not words or not (exact == "nothing" or source.holds_numbers(claim)):
        return 0.0
    if exact == "names and numbers":
        if not source.holds_names(claim):
            return 0.0
        stated = " ".join([*names_in(claim), *numbers_in(claim)])
        words -= _BUILDERS.union(content_words(stated, source.rules))
    return len(words & source.words) / len(words) if words else 1.0
