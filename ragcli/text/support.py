"""Whether a text supports a claim: the one measure for all that a model writes or an answer cites.

The measure is the share of the claim's content words that the source text holds. Names and numbers
are what a model makes up, and one wrong year outweighs any number of right words; so most callers
ask that they stand in the source exactly (``Exact``):

- answers, follow-up questions and texts about clusters: names and numbers;
- profiles of entities and pairs: numbers, since a profile may name a thing in other words;
- descriptions of one chunk: nothing, since their names are located in the chunk one by one.
"""

from __future__ import annotations

from functools import cached_property
from typing import Literal

from ragcli.text.names import names_in, numbers_in
from ragcli.text.words import ANSWER_WORDS, WordRules, content_words, plain

Exact = Literal["names and numbers", "numbers", "nothing"]

ANSWER_SUPPORT = 0.5
"""Least support of a sentence of an answer (docs/adr/extractive-answers.md)."""

DESCRIPTION_SUPPORT = 0.6
"""Least support of a description or profile: a model may tie the words of the text together with
words of its own (docs/adr/llm-extraction.md)."""

CLUSTER_NAME_SUPPORT = 0.5
"""Least support of a cluster's name: the kind of its members ("ships") is often not in the text."""

# Words with which a sentence is built around a fact: they claim nothing by themselves.
_BUILDERS = frozenset(
    content_words(
        "associated based called considered described found identified known located mentioned "
        "situated"
    )
)


class SourceText:
    """A text that claims are checked against, read once. ``rules`` say how words are compared."""

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
        """Tell whether every number of the claim stands in the text."""
        return self._numbers.issuperset(numbers_in(claim))

    def holds_names(self, claim: str) -> bool:
        """Tell whether every name of the claim stands in the text, in one piece or word by word."""
        return all(
            plain(name) in self._plain or self.words.issuperset(content_words(name, self.rules))
            for name in names_in(claim)
        )


def support(claim: str, source: SourceText, exact: Exact = "names and numbers") -> float:
    """Return how far (0 to 1) the source supports the claim.

    0 when the claim says nothing, or when what must be ``exact`` is not in the source. Names and
    numbers that must be exact do not count in the share again; 1 when they are all it says.

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
