"""What a question asks of the rows of a table: how many, how much, or the most."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from ragcli.text.words import content_words, fold

Aggregate = Literal["count", "sum", "avg", "max", "min"]

_AGGREGATES: dict[Aggregate, str] = {
    "avg": "average|mean",
    "max": "highest|largest|biggest|greatest|most|maximum|longest|latest",
    "min": "lowest|smallest|fewest|least|minimum|shortest|earliest",
    "sum": "total|sum|altogether",
    "count": "how many|how much|number of|count",
}
_WORDS = {kind: re.compile(rf"\b(?:{words})\b") for kind, words in _AGGREGATES.items()}
_BOUND = re.compile(
    r"\b(?:(?P<above>more than|greater than|over|above)|(?P<below>less than|fewer than|under|below)"
    r"|(?P<least>at least)|(?P<most>at most))\s+(?P<number>[-−]?\d[\d,.]*)"
)
_STOPS = re.compile(r"[?!;:\"()]")
_SIGNS = {"above": ">", "below": "<", "least": ">=", "most": "<="}
_NUMBER = re.compile(r"(?<![\w.,])[-−]?\d[\d,]*(?:\.\d+)?\b")
_WANTED = re.compile(r"\b(?:which|what(?! (?:is|was|are|were)\b)|how many|how much|number of)\b")
_ELSE = re.compile(
    r"\b(?:not|no|without|except|other than|never|nor|or|each|per|every|than any|both|difference"
    r"|between|before|after|since|until|versus|vs|over|above|below|under|at least|at most"
    r"|(?:more|less|fewer|greater) than|who|whom|whose|where|when|why|how(?! many| much))\b|n't\b"
)
"""What asks for more than one condition after the other, or for what no aggregate gives."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A number, and how a value compares with it: ">", "<", ">=", "<=" or "="."""

    sign: str
    number: float


@dataclass(frozen=True, slots=True)
class TableIntent:
    """An aggregate, bounds, and the words that must name columns and cells, folded, in order.

    ``wanted`` is the stem of what is counted, or of which one is asked for; "" if nothing says so.
    """

    aggregate: Aggregate
    bounds: tuple[Bound, ...]
    words: str
    wanted: str = ""

    @property
    def stems(self) -> tuple[str, ...]:
        """The stems of its content words in order."""
        return tuple(content_words(self.words))


def table_intent(question: str) -> TableIntent | None:
    """What a question asks of a table; None if it asks for nothing that one aggregate gives.

    >>> table_intent("How many towns have more than 8,000 people?")
    TableIntent(aggregate='count', bounds=(Bound(sign='>', number=8000.0),), \
words='towns have people', wanted='town')
    """
    words = " ".join(_STOPS.sub(" ", fold(question)).split())
    if _ELSE.search(_BOUND.sub(" ", words)):
        return None
    named = [kind for kind, pattern in _WORDS.items() if pattern.search(_BOUND.sub(" ", words))]
    if not named or {"max", "min"} <= set(named):
        return None
    bounds = [
        Bound(next(sign for name, sign in _SIGNS.items() if found[name]), _value(found["number"]))
        for found in _BOUND.finditer(words)
    ]
    words = _BOUND.sub(" ", words)
    asks = _WANTED.search(words)
    after = words[asks.end() :] if asks else ""
    for kind in named:
        words = _WORDS[kind].sub(" ", words)
    bounds += [Bound("=", _value(one[0])) for one in _NUMBER.finditer(words)]
    words = " ".join(_NUMBER.sub(" ", words).split())
    return TableIntent(named[0], tuple(bounds), words, _first_stem(after))


def _first_stem(words: str) -> str:
    """The stem of the first word that says something and is no aggregate."""
    for pattern in _WORDS.values():
        words = pattern.sub(" ", words)
    return next(iter(content_words(words)), "")


def _value(number: str) -> float:
    return float(number.rstrip(",.").replace(",", "").replace("−", "-"))
