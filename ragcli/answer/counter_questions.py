"""Questions that are put beside the one asked, to see what the reader makes an answer of.

"What breed of dog is Pepper?" has a subject, Pepper, and asks something of it. A reader that finds
the passage about Pepper may take any word there for an answer. If it is as sure that the passage
answers "What Pepper?", it does not see what is asked; and if the passage tells no breed of a dog,
it does not answer "What breed of dog is it?" either.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragcli.answer.answer_kind import counts_other
from ragcli.answer.candidates import candidates, sentence_at
from ragcli.answer.view import asked_names
from ragcli.answer.windows import Stretch, above
from ragcli.text.identifiers import named_in
from ragcli.types import Part

if TYPE_CHECKING:
    from ragcli.models.reader import Reader

AROUND = 2
"""Sentences before and after the one with the answer that are read."""

MOST_CHARS = 1200
"""Characters that are read; if the sentences around the answer have more, only its own is read."""

LIMIT = 8.0
"""The largest logit, up and down, that counts."""

_ASKING = re.compile(
    r"\b(?:who|whom|whose|what|which|when|where|why|how(?: \w+)?)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Countered:
    """Logits that the text around an answer answers two other questions than the one asked:
    ``named``, one of the same kind about the same names that asks nothing of them, and
    ``unnamed``, the one asked with "it" for its names. ``uncounted``: it is asked how many there
    are of what that text does not mention."""

    named: float
    unnamed: float
    uncounted: bool


NOT_ASKED = Countered(0.0, 0.0, uncounted=False)
"""For questions that are not countered."""


def about_names(question: str) -> str:
    """The question word and the names of a question, without what is asked of them.

    >>> about_names("What breed of dog is Pepper?"), about_names("Which option sets HX-1042?")
    ('What Pepper?', 'Which HX-1042?')
    """
    asking = _ASKING.search(question)
    return f"{' '.join([asking[0] if asking else 'What', *_subjects(question)])}?"


def without_names(question: str) -> str:
    """The question with "it" in the place of each name.

    >>> without_names("What breed of dog is Pepper?"), without_names("Which colour has the sky?")
    ('What breed of dog is it?', 'Which colour has the sky?')
    """
    for name in _subjects(question):
        question = question.replace(name, "it")
    return question


def countered(question: str, place: Stretch, reader: Reader) -> Countered:
    """What the reader makes of the text around the place of an answer for the other questions."""
    title, text = _read(place)
    asked = [about_names(question), without_names(question)]
    named, unnamed = (
        max(-LIMIT, min(LIMIT, logit)) for logit in reader.answered(asked, (title, text))
    )
    return Countered(named, unnamed, _uncounted(question, title, text))


def unasked(question: str, place: Stretch) -> Countered:
    """What is known of the text around an answer without asking the reader: both logits are 0."""
    return Countered(0.0, 0.0, _uncounted(question, *_read(place)))


def _read(place: Stretch) -> tuple[str, str]:
    """The heading above the place of an answer, and the text around it."""
    return above(place.part, place.start), _around(place)


def _uncounted(question: str, title: str, text: str) -> bool:
    return counts_other(question, f"{title} {text}")


def _subjects(question: str) -> Sequence[str]:
    """Names and identifiers of a question, longer ones before those that are part of them."""
    return sorted(dict.fromkeys([*asked_names(question), *named_in(question)]), key=_order)


def _order(name: str) -> tuple[int, str]:
    return -len(name), name


def _around(place: Stretch) -> str:
    """The sentence that holds a place and its neighbours."""
    part: Part = place.part
    own = sentence_at(part, place.start, place.end)
    every = list(candidates(part))
    at = next((i for i, one in enumerate(every) if one.start == own.start), None)
    start, end = own.start, own.end
    if at is not None:
        beside = every[max(0, at - AROUND) : at + AROUND + 1]
        if beside[-1].end - beside[0].start <= MOST_CHARS:
            start, end = beside[0].start, beside[-1].end
    return part.text[start - part.start : end - part.start]
