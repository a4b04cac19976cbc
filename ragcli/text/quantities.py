"""Numbers with their units, and the bounds of questions: "more than 15 km", "before 1970"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ragcli.text.number_words import NUMBER_WORDS, TENS_AND_ONES
from ragcli.text.words import singular

_WORDS = {word: float(n) for word, n in (NUMBER_WORDS | TENS_AND_ONES).items()}
_LONGEST_FIRST = sorted(_WORDS, key=len, reverse=True)
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9}
_NUMBER = re.compile(
    rf"(?<![\w.,-])[$€£]?(?P<number>\d+(?:[, ]\d{{3}})*(?:\.\d+)?|(?:{'|'.join(_LONGEST_FIRST)})\b)"
    rf"(?:[ -](?P<scale>{'|'.join(_SCALES)}))?(?![\w.]*\d)"
    r"[ -]?(?P<unit>[^\W\d_]+|%)?",
    re.IGNORECASE,
)
_UNITS = {
    "kilometre": "km", "kilometer": "km", "kms": "km", "metre": "m", "meter": "m", "kilo": "kg",
    "kilogram": "kg", "percent": "%", "per": "%", "tonne": "t", "hr": "hour", "min": "minute",
    "sec": "second", "s": "second", "ms": "millisecond",
}  # fmt: skip
_YEAR = re.compile(r"(?<![\w.,/-])(?:1\d|20)\d\d(?![\w]|[.,]\d|-\d)")
_MORE = (
    r"(?:more|greater|larger|bigger|longer|higher|older|heavier|deeper|wider|taller|faster|warmer)"
)
_LESS = r"(?:less|fewer|smaller|shorter|lower|younger|lighter|narrower|slower|cheaper|colder)"
_BOUND = re.compile(
    rf"\b(?:(?P<above>{_MORE} than|over|above|at least)"
    rf"|(?P<below>{_LESS} than|under|below|at most)) (?P<rest>\S.*)",
    re.IGNORECASE,
)
_DATED = re.compile(
    rf"\b(?P<how>before|after|in|since)(?: (?:the year|[A-Z][a-z]+))? (?P<year>{_YEAR.pattern})"
    r"\s*\Z"
)
_AT_ONCE = re.compile(
    r"\b(?:born|built|founded|opened|closed|released|published|established|created|introduced|made"
    r"|finished|completed|rebuilt|repaired|restored|installed|commissioned|bought|sold|signed"
    r"|elected|appointed|discovered|invented|won|destroyed|added|removed|written|died|die|open|close"
    r"|begin|start|started|launched|set up|demolished|inaugurated|issued|moved|renamed|abolished"
    r"|replaced|joined|join|retired|retire|held|cast|planted|abandoned|granted|awarded)\b",
    re.IGNORECASE,
)

Compares = Literal["above", "below", "at"]


@dataclass(frozen=True, slots=True)
class Bound:
    """What a question compares a number with: ``unit`` is "year", or as ``quantities`` gives it;
    ``without`` is the text without the bound; ``equal`` says that the bound itself counts."""

    compares: Compares
    value: float
    unit: str
    without: str
    equal: bool = False

    def holds(self, value: float) -> bool:
        """Whether a number is as the question asks."""
        if self.compares == "at" or (self.equal and value == self.value):
            return value == self.value
        return value > self.value if self.compares == "above" else value < self.value


def quantities(text: str) -> Iterator[tuple[float, str]]:
    """The numbers of a text, in digits or words, each with the unit after it, "" if none.

    >>> list(quantities("It cost 1.92 million crowns and is 19.6 km long."))
    [(1920000.0, 'crown'), (19.6, 'km')]
    >>> list(quantities("Sixteen beds, twenty-three people, two hundred sheep"))
    [(16.0, 'bed'), (23.0, 'people'), (200.0, 'sheep')]
    """
    for found in _NUMBER.finditer(text):
        yield _value(found), _unit(found["unit"])


def _value(found: re.Match[str]) -> float:
    said = found["number"].lower()
    value = _WORDS[said] if said in _WORDS else float(re.sub(r"[, ]", "", said))
    return value * _SCALES.get((found["scale"] or "").lower(), 1.0)


def _unit(word: str | None) -> str:
    bare = singular((word or "").lower())
    return _UNITS.get(bare, bare)


def years(text: str) -> list[int]:
    """The years of a text, each once.

    >>> years("Built in 1938, rebuilt 2020; 1,938 wheels, no. 19385.")
    [1938, 2020]
    """
    return list(dict.fromkeys(int(found[0]) for found in _YEAR.finditer(text)))


def asked_bound(said: str) -> Bound | None:
    """The bound in what a question says of its subject; None if there is none.

    A year bounds only what happens at one time: what is used or known may last.

    >>> asked_bound("more than 15 km long").value, asked_bound("founded before 1970").compares
    (15.0, 'below')
    >>> asked_bound("used before 1970"), asked_bound("founded in May")
    (None, None)
    """
    if (dated := _DATED.search(said)) and _AT_ONCE.search(said[: dated.start()]):
        how = dated["how"].lower()
        compares: Compares = "below" if how == "before" else "at" if how == "in" else "above"
        without = said[: dated.start()].strip()
        return Bound(compares, float(dated["year"]), "year", without, equal=how == "since")
    if (found := _BOUND.search(said)) is None:
        return None
    number = _NUMBER.match(found["rest"])
    if number is None:
        return None
    words = found["above"] or found["below"]
    without = f"{said[: found.start()]} {found['rest'][number.end() :]}".strip()
    return Bound(
        "above" if found["above"] else "below",
        _value(number),
        _unit(number["unit"]),
        without,
        equal=words.lower().startswith("at "),
    )
