"""Questions for a unit: "What unit is keepAliveTimeout in?"

The text says it beside or below the name of the setting: "in milliseconds", "<seconds>", "The
number of bytes". A reader takes a value instead.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragcli.answer.candidates import candidates
from ragcli.answer.lookup.looked_up import LookedUp
from ragcli.answer.windows import Stretch
from ragcli.text.identifiers import holds, identifiers_in
from ragcli.types import Part

_ASKS = re.compile(
    r"\s*(?:in )?(?:what|which)(?: is the| are the)? (?:time )?units?\b", re.IGNORECASE
)
_UNIT = re.compile(
    r"\b(?:(?:milli|micro|nano)?seconds?|m?secs?|ms|minutes?|hours?|days?|weeks?"
    r"|(?:kilo|mega|giga|kibi|mebi|gibi)?(?:bytes?|bits?)|[KMGkmg]i?[Bb]|pixels?|percent|degrees"
    r"|characters?|tokens?|lines?|pages?|blocks?|sectors?|deciseconds?)\b"
)
SURE = 0.7


def unit_answer(question: str, parts: Sequence[Part]) -> LookedUp | None:
    """The unit of the only identifier of a question; None if none is asked for, or told."""
    marks = identifiers_in(question)
    if len(marks) != 1 or not _ASKS.match(question):
        return None
    below: LookedUp | None = None
    for part in parts:
        for sentence in candidates(part):
            raw = part.text[sentence.start - part.start : sentence.end - part.start]
            unit = _UNIT.search(raw)
            if unit is None:
                continue
            start = sentence.start + unit.start()
            answer = LookedUp((Stretch(part, start, start + len(unit[0])),), SURE)
            if holds(sentence.heading.rpartition(" > ")[2], marks[0]):
                return answer
            below = below or (answer if holds(sentence.text, marks[0]) else None)
    return below
