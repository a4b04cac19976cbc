"""Questions in steps, answered step by step: the reader names what the question describes.

"What is the population of the state where Dodge City Regional Airport is located?" is two
questions. The first ("In which state is Dodge City Regional Airport located?") is read in the
passages that mention the airport; its answer takes the description's place in the second.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragcli.answer.rendered import Stretch
from ragcli.answer.trim import on_one_line
from ragcli.answer.windows import TextToRead, reread, stems
from ragcli.text.asked_question import AskedQuestion
from ragcli.text.descriptions import MOST_STEPS, Description
from ragcli.text.words import plain
from ragcli.types import Part

if TYPE_CHECKING:
    from ragcli.models.reader import Reader

ABOUT = 3
"""Windows that are read for a description: those that mention the name it hangs on."""

AGAIN = 8
"""Windows that are read for the question that is left: first those that mention the last name."""

MOST_WORDS = 0.5
"""The least share of the words of a description without a name that a window has."""

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
    named = True
    while len(steps) < MOST_STEPS:
        described = asked.description
        if described is None:
            described, named = asked.description_without_name, False
        if described is None:
            break
        step = _step(described, named, parts, read, reader)
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
    described: Description,
    named: bool,
    parts: Sequence[Part],
    read: Sequence[TextToRead],
    reader: Reader,
) -> Step | None:
    """The name that a description stands for; ``named``: it hangs on a name."""
    about = _about(described, parts, read)
    if not about:
        return None
    answer = reader.answer(described.asks, [(window.title, window.text) for window in about])
    if answer.confidence < SURE:
        return None
    asked = plain(described.asks)
    for likely in answer.ranked.spans:
        span = on_one_line(about[likely.passage].text, likely)
        place = about[span.passage].place(span.start, span.end)
        if place and _is_name(place.text) and plain(place.text).strip() not in asked:
            if not named and _small_too(place.text, about):
                return None
            return Step(described.asks, place, answer.confidence)
    return None


def _about(
    described: Description, parts: Sequence[Part], read: Sequence[TextToRead]
) -> list[TextToRead]:
    """The windows to read for a description: those that mention what it hangs on.

    Words without a name are mentioned by the windows that have most of them.
    """
    words = stems(described.asks)
    if found := _mentioning(described.name, words, parts, read):
        return found[:ABOUT]
    if not words:
        return []
    shares = [len(words & stems(f"{window.title} {window.text}")) / len(words) for window in read]
    order = sorted(range(len(read)), key=lambda at: -shares[at])
    return [read[at] for at in order if shares[at] >= MOST_WORDS][:ABOUT]


def _mentioning(
    name: str, words: frozenset[str], parts: Sequence[Part], read: Sequence[TextToRead]
) -> list[TextToRead]:
    """The windows that mention a name: passages with it in their title first, the digest last.

    Of a part that mentions it outside its windows, a window around the sentence with most of the
    ``words`` (stems) is made.
    """
    wanted = plain(name).strip()
    found = [window for window in read if wanted in plain(f"{window.title} . {window.text}")]
    seen = {window.of.part.n for window in found if window.kind != "digest"}
    found += [
        reread(part, rank, words)
        for rank, part in enumerate(parts)
        if part.n not in seen and wanted in plain(f"{part.title} . {part.text}")
    ]
    return sorted(found, key=lambda w: (w.kind == "digest", wanted not in plain(w.title)))


def _is_name(text: str) -> bool:
    return len(text.split()) <= LONGEST and any(letter.isupper() for letter in text)


def _small_too(text: str, read: Sequence[TextToRead]) -> bool:
    """Whether one word with a capital is written small elsewhere: the begin of a sentence."""
    if " " in text or text.isupper():
        return False
    small = re.compile(rf"(?<!\w){re.escape(text.lower())}(?!\w)")
    return any(small.search(one.text) for one in read)
