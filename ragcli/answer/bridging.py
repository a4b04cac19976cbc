"""Questions in steps, answered step by step: the reader names what the question describes.

"What is the population of the state where Dodge City Regional Airport is located?" is two
questions. The first ("In which state is Dodge City Regional Airport located?") is read in the
passages that mention the airport; its answer takes the description's place in the second.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragcli.answer.trim import tightened
from ragcli.answer.windows import Stretch, TextToRead
from ragcli.text.descriptions import MOST_STEPS, Description, innermost
from ragcli.text.words import plain

if TYPE_CHECKING:
    from ragcli.models.reader import Reader

ABOUT = 3
"""Windows that are read for a description: those that mention the name it hangs on."""

AGAIN = 8
"""Windows that are read for the question that is left: first those that mention the last name."""

SURE = 0.2
"""A name is taken if the reader is at least so sure of it."""

LONGEST = 8
"""Words of the longest name that is taken."""


@dataclass(frozen=True, slots=True)
class Step:
    """A name that was read: what was asked for it, where it stands, and how sure that is."""

    asked: str
    place: Stretch
    sure: float


@dataclass(frozen=True, slots=True)
class Bridged:
    """What is left to ask once names stand for descriptions, and the windows to read it in."""

    question: str
    steps: tuple[Step, ...]
    read: tuple[TextToRead, ...]


def bridge(question: str, read: Sequence[TextToRead], reader: Reader) -> Bridged | None:
    """Put names in the place of what a question describes.

    None where it describes nothing, or a name is not found.
    """
    asked = " ".join(question.split())
    steps: list[Step] = []
    while len(steps) < MOST_STEPS and (described := innermost(asked)):
        step = _step(described, read, reader)
        if step is None:
            return None
        steps.append(step)
        asked = described.replaced(asked, step.place.text)
    if not steps:
        return None
    last = _mentioning(steps[-1].place.text, read)
    again = [*last, *(window for window in read if window not in last)]
    return Bridged(asked, tuple(steps), tuple(again[:AGAIN]))


def _step(described: Description, read: Sequence[TextToRead], reader: Reader) -> Step | None:
    """The name that a description stands for."""
    about = _mentioning(described.name, read)[:ABOUT]
    if not about:
        return None
    answer = reader.answer(described.asks, [(window.title, window.text) for window in about])
    if answer.confidence < SURE:
        return None
    asked = plain(described.asks)
    for likely in answer.ranked.spans:
        span = tightened(described.asks, likely, answer.readings[likely.window])
        place = about[span.passage].place(span.start, span.end)
        if place and _is_name(place.text) and plain(place.text).strip() not in asked:
            return Step(described.asks, place, answer.confidence)
    return None


def _mentioning(name: str, read: Sequence[TextToRead]) -> list[TextToRead]:
    """The windows that mention a name: passages with it in their title first, the digest last."""
    wanted = plain(name).strip()
    found = [window for window in read if wanted in plain(f"{window.title} . {window.text}")]
    return sorted(found, key=lambda w: (w.kind == "digest", wanted not in plain(w.title)))


def _is_name(text: str) -> bool:
    return len(text.split()) <= LONGEST and any(letter.isupper() for letter in text)
