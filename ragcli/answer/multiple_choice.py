"""One of several given answers: the likeliest one according to a model, or the nearest one.

A model is asked for the probability of each answer's own words. Letters ("A", "B") are what big
models are asked for; small ones give each letter the same (docs/evaluation.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import Protocol

from ragcli.answer.prompt import prompt
from ragcli.answer.view import Encode
from ragcli.text.sentences import sentences
from ragcli.types import Context

SYSTEM = """\
You answer questions from the numbered passages you are given, and from nothing else. Reply with \
the answer alone, in as few words as you can."""


class Chooser(Protocol):
    """A language model, as far as it is needed here (``ragcli.models.llm.Llm``)."""

    @property
    def context(self) -> int:
        """How many tokens prompt and answer may have together."""

    def count_tokens(self, text: str) -> int:
        """Count a text's tokens."""

    def choose(self, system: str, user: str, choices: Sequence[str]) -> list[float]:
        """For each choice, log of the probability that the reply begins with it."""


def probabilities(
    question: str, choices: Sequence[str], context: Context, llm: Chooser
) -> tuple[float, ...]:
    """Return the probability of each choice, given the passages and that it is one of them.

    It is that of a reply beginning with the choice: of two choices of which one begins the other,
    the shorter is never the less likely.
    """
    longest = max(map(llm.count_tokens, choices))
    user, _ = prompt(question, context, llm.context - longest, llm.count_tokens)
    logs = llm.choose(SYSTEM, user, choices)
    chances = [exp(log - max(logs)) for log in logs]
    return tuple(chance / sum(chances) for chance in chances)


def nearest(choices: Sequence[str], text: str, encode: Encode) -> int | None:
    """Return the choice whose vector is nearest to that of a sentence of ``text``, by cosine.

    None when ``text`` says nothing. ``encode`` maps m texts to (m, dim) unit rows.
    """
    said = [text[start:end] for start, end in sentences(text)]
    if not said:
        return None
    near = encode(list(choices)) @ encode(said).T
    return int(near.max(axis=1).argmax())
