"""Sentences that are shown with others: what a colon announces, what "hence" follows from, and the
steps after a sentence that is about how something is done.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from ragcli.answer.candidates import Sentence, candidates
from ragcli.answer.view import View

STEPS = 2
"""Sentences shown after the one that is nearest to a question how something is done."""

_HOW_TO = re.compile(
    r"\s*(?:and |so |but )?how (?:(?:do|does|can|could|should|would|must|may) (?:i|we|you|one)\b"
    r"|to\b)",
    re.IGNORECASE,
)
_FOLLOWS = re.compile(
    r"(?:Hence|Therefore|Thus|Consequently|Accordingly|So|As a (?:result|consequence)"
    r"|(?:For|Because of) (?:this|that|these)(?: reasons?)?|(?:This|That) is why)\b"
)


def asks_how_to(question: str) -> bool:
    """Whether a question asks what to do: its answer is a step, which no few words of it are.

    >>> asks_how_to("How do I unset the limit?"), asks_how_to("How many limits are there?")
    (True, False)
    """
    return _HOW_TO.match(question) is not None


def instructions(view: View) -> list[Sentence]:
    """The sentence nearest to the question and those after it below the same heading."""
    if not view.sentences:
        return []
    nearest = view.sentences[int(np.argmax(view.similarity))]
    around = list(candidates(nearest.part))
    at = next(i for i, one in enumerate(around) if one.start == nearest.start)
    after = [one for one in around[at + 1 : at + 1 + STEPS] if one.heading == nearest.heading]
    return [nearest, *after]


def with_what_belongs(shown: Sequence[Sentence]) -> list[Sentence]:
    """The sentences, after one that ends with a colon the next of its passage, and before one that
    draws a conclusion the one before."""
    found: list[Sentence] = []
    known = {(one.part.n, one.start) for one in shown}

    def add(one: Sentence) -> None:
        if (one.part.n, one.start) not in known:
            known.add((one.part.n, one.start))
            found.append(one)

    for sentence in shown:
        around = list(candidates(sentence.part))
        at = next((i for i, one in enumerate(around) if one.start == sentence.start), None)
        if at and _FOLLOWS.match(sentence.text):
            add(around[at - 1])
        found.append(sentence)
        if at is not None and sentence.text.endswith(":") and at + 1 < len(around):
            add(around[at + 1])
    return found
