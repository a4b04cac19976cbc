"""The names and nouns that set some documents apart."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

from ragcli.store.snapshot.shelf import NamedThing
from ragcli.text.dates import MONTHS
from ragcli.text.words import content_words, fold

MOST_TERMS = 6

_FEWEST_LETTERS = 3

_FEWEST = 3
"""Mentions of a term in one document."""

_REPEATED = 2
"""Mentions in each document, on average, from which several are about a thing."""

_MANY = 0.1
"""The share of documents that name what all are about."""

_OFTEN = 5
"""Mentions in each document from which a single word is a person's name."""

_NAME = 2.0
"""How many times as much a name counts as a noun."""

_CALENDAR = frozenset(
    content_words(
        f"{' '.join(MONTHS)} jan feb mar apr jun jul aug sep oct nov dec monday tuesday"
        " wednesday thursday friday saturday sunday spring summer autumn winter"
        " year month week day hour minute second time morning evening night"
    )
)

_WORDS = re.compile(r"[^\W\d_][\w.'’-]*(?: [\w.'’&-]+){0,5}\Z")

Rank = Callable[[NamedThing], float]


def apart(found: Sequence[NamedThing], documents: int, everywhere: int) -> tuple[str, ...]:
    """The names and nouns that are frequent in ``documents`` and rarer in all ``everywhere``."""
    least = 2 if documents > 2 else 1

    def rank(one: NamedThing) -> float:
        rare = math.log((everywhere + 1) / one.everywhere)
        return one.documents * (1 + math.log(_each(one))) * rare * (1 if one.noun else _NAME)

    def fits(one: NamedThing) -> bool:
        said = _each(one) if one.noun and " " not in one.name else one.mentions
        return one.documents >= least and said >= (_REPEATED if documents > 1 else _FEWEST)

    return best([one for one in found if fits(one)], rank)


def widespread(found: Sequence[NamedThing], documents: int) -> tuple[str, ...]:
    """The names and nouns that many of ``documents`` are about."""

    def rank(one: NamedThing) -> float:
        return one.documents * math.log(_each(one)) * (1 if one.noun else _NAME)

    least = max(2, _MANY * documents) if documents > 2 else 1
    return best([one for one in found if one.documents >= least and _each(one) >= _REPEATED], rank)


def _each(one: NamedThing) -> float:
    """How often a thing is mentioned in each document that does; texts repeat what they are about,
    and not what they say it with."""
    return one.mentions / one.documents


def named(found: Sequence[NamedThing], labels: Sequence[str], least: int) -> tuple[str, ...]:
    """The names with one of the labels that are mentioned at least so often, the most first.

    What is also spelled without a capital, or only in capitals, is none.
    """
    kept = [
        one
        for one in found
        if one.label in labels
        and one.mentions >= least
        and not one.noun
        and (" " in one.name or _is_sure(one))
        and not one.name.isupper()
    ]
    return best(kept, lambda one: one.mentions)


def _is_sure(one: NamedThing) -> bool:
    """Whether a single word is a name: of a place, or of a person who is often mentioned."""
    often = one.label == "LOC" or one.mentions >= _OFTEN * one.documents
    return often and one.name.istitle()


def best(found: Sequence[NamedThing], rank: Rank) -> tuple[str, ...]:
    """The best of some entities; what is only part of a better one is left out."""
    chosen: list[str] = []
    for one in sorted(found, key=lambda one: -rank(one)):
        if len(chosen) == MOST_TERMS:
            break
        if _is_word(one.name) and not any(_within(one.name, other) for other in chosen):
            chosen.append(one.name)
    return tuple(chosen)


def _is_word(name: str) -> bool:
    """Whether a name is one for people: letters, no code, no number and no date."""
    if _CALENDAR.issuperset(content_words(name)):
        return False
    return _WORDS.match(name) is not None and sum(map(str.isalpha, name)) >= _FEWEST_LETTERS


def _within(name: str, other: str) -> bool:
    one, whole = fold(name), fold(other)
    return f" {one} " in f" {whole} " or f" {whole} " in f" {one} "
