"""Questions in steps, answered step by step: the reader names what the question describes.

"What is the population of the state where Dodge City Regional Airport is located?" is two
questions. The first ("In which state is Dodge City Regional Airport located?") is read in the
passages that mention the airport; its answer takes the description's place in the second.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragcli.answer.laid import Stretch
from ragcli.answer.windows import TextToRead, reread, stems
from ragcli.text.asked_question import AskedQuestion
from ragcli.text.descriptions import MOST_STEPS, Description
from ragcli.text.words import plain
from ragcli.types import Part

if TYPE_CHECKING:
    from ragcli.models.reader import Reader

ABOUT = 3
"""Windows that are read for a description: those that mention the name it depends on."""

AGAIN = 8
"""Windows that are read for the question that is left: first those that mention the last name."""

SURE = 0.2
"""A name is taken if the reader is at least so sure of it."""

LONGEST = 8
"""Words of the longest name that is taken."""


@dataclass(frozen=True, slots=True)
class Step:
    """A name that was read: what was asked for it, its place, and how sure it is (0 to 1)."""

    asks: str
    place: Stretch
    sure: float


@dataclass(frozen=True, slots=True)
class Bridged:
    """What is left to ask once names stand for descriptions, and the windows to read it in."""

    asked: AskedQuestion
    steps: tuple[Step, ...]
    read: tuple[TextToRead, ...]

    def says(self, answer: str) -> bool:
        """Whether an answer says no more than a name that was found and what the question says."""
        words = stems(answer)
        names = [stems(step.place.text) for step in self.steps]
        known = self.asked.stems.union(*(stems(step.asks) for step in self.steps), *names)
        return any(words & name for name in names) and words <= known


def bridge(
    asked: AskedQuestion, parts: Sequence[Part], read: Sequence[TextToRead], reader: Reader
) -> Bridged | None:
    """Put names in the place of what a question describes.

    They are read in ``read`` and in those ``parts`` that were too many to be read at first.

    None where it describes nothing, or a name is not found.
    """
    steps: list[Step] = []
    while len(steps) < MOST_STEPS and (described := asked.description):
        step = _step(described, parts, read, reader)
        if step is None:
            return None
        steps.append(step)
        asked = asked.with_name(described, step.place.text)
    if not steps:
        return None
    last = _mentioning(steps[-1].place.text, asked.stems, parts, read)
    again = [*last, *(window for window in read if window not in last)]
    return Bridged(asked, tuple(steps), tuple(again[:AGAIN]))


def _step(
    described: Description, parts: Sequence[Part], read: Sequence[TextToRead], reader: Reader
) -> Step | None:
    """The name that a description stands for."""
    about = _mentioning(described.name, stems(described.asks), parts, read)[:ABOUT]
    if not about:
        return None
    answer = reader.answer(described.asks, [(window.title, window.text) for window in about])
    if answer.confidence < SURE:
        return None
    asked = plain(described.asks)
    for span in answer.ranked.spans:
        place = about[span.passage].place(span.start, span.end)
        if place and _is_name(place.text) and plain(place.text).strip() not in asked:
            return Step(described.asks, place, answer.confidence)
    return None


def _mentioning(
    name: str, words: frozenset[str], parts: Sequence[Part], read: Sequence[TextToRead]
) -> list[TextToRead]:
    """The windows that mention a name: passages with it in their title first, the digest last.

    Of a part that mentions it outside its windows, a window around the sentence with most of the
    ``words`` (stems) is made.
    """
    wanted = plain(name).strip()
    found = [window for window in read if wanted in plain(f"{window.title} . {window.text}")]
    seen = {window.of.part.n for window in found if not window.digest}
    found += [
        reread(part, rank, words)
        for rank, part in enumerate(parts)
        if part.n not in seen and wanted in plain(f"{part.title} . {part.text}")
    ]
    return sorted(found, key=lambda w: (w.digest, wanted not in plain(w.title)))


def _is_name(text: str) -> bool:
    return len(text.split()) <= LONGEST and any(letter.isupper() for letter in text)
