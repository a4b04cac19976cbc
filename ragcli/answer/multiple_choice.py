"""One of several given answers: the likeliest one according to a model, or the nearest one.

A language model is asked for the probability of each answer's own words. Letters ("A", "B") are
what big models are asked for; small ones give each letter the same (docs/evaluation.md). Without
one, the reader's answers are compared with the choices, and so are the sentences that are most
about the question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from typing import TYPE_CHECKING, Protocol

from ragcli.answer.prompt import prompt
from ragcli.answer.view import Encode, View
from ragcli.answer.windows import windows
from ragcli.text.asked_question import AskedQuestion
from ragcli.text.claims import content_keys
from ragcli.text.sentences import sentences
from ragcli.types import Context, Reply

if TYPE_CHECKING:
    from ragcli.models.reader import Reader

SYSTEM = """\
You answer questions from the numbered passages you are given, and from nothing else. Reply with \
the answer alone, in as few words as you can."""

SPANS = 60
"""Answers of the reader that are compared with the choices."""

LEAST = 1e-3
"""Probability of a choice that no answer of the reader has a word of."""

ANSWERED, STATED, NEAR = 0.41, 2.55, 6.47
"""Weights of the log of ``answered``, of ``stated`` and of ``near`` in the log of a choice's
probability (``bench/choices.py --fit``)."""


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
    asked: AskedQuestion, choices: Sequence[str], context: Context, llm: Chooser
) -> tuple[float, ...]:
    """Return the probability of each choice, given the passages and that it is one of them.

    It is that of a reply beginning with the choice: of two choices of which one begins the other,
    the shorter is never the less likely.
    """
    longest = max(map(llm.count_tokens, choices))
    user, _ = prompt(asked, context, llm.context - longest, llm.count_tokens)
    logs = llm.choose(SYSTEM, user, choices)
    return _shares(logs)


@dataclass(frozen=True, slots=True)
class ChoiceEvidence:
    """What speaks for a choice.

    ``answered``: the probability of answers that have its words, each times the square of the token
    F1. ``stated``: the highest cosine of the question to a sentence, times the share of the
    choice's words that the sentence holds. ``near``: the mean cosine of the choice to the short
    answer and to the sentence that holds it.
    """

    answered: float
    stated: float
    near: float


def read_evidence(
    asked: AskedQuestion,
    choices: Sequence[str],
    context: Context,
    view: View,
    reader: Reader,
    encode: Encode,
    reply: Reply,
) -> list[ChoiceEvidence]:
    """Return what the passages say for each choice, according to the reader and their sentences.

    ``reply`` is the answer that was given: it may have been looked up, not read. Words that all
    choices have count nothing ("5 crowns", "8 crowns"). ``encode`` maps m texts to (m, dim) unit
    rows.
    """
    read = windows([*context.parts, *context.behind], view)
    spans = reader.answer(asked.text, [(one.title, one.text) for one in read], SPANS).ranked.spans
    answers = [(span.text, span.probability) for span in spans]
    answers += [(reply.short.text, reply.short.confidence)] if reply.short else []
    keys, shared = _telling_apart(choices)
    said = [(_without(shared, text), probability) for text, probability in answers]
    cosines = view.similarity.tolist()
    held = [
        (set(content_keys(sentence.text)), cosine)
        for sentence, cosine in zip(view.sentences, cosines, strict=True)
    ]
    return [
        ChoiceEvidence(_answered(own, said), _stated(own, held), near)
        for own, near in zip(keys, _near(choices, reply, encode), strict=True)
    ]


def read_probabilities(evidence: Sequence[ChoiceEvidence]) -> tuple[float, ...] | None:
    """Return the probability of each choice; None where nothing speaks for any of them."""
    if not any(one.answered or one.stated > 0 for one in evidence):
        return None
    logs = [
        ANSWERED * log(one.answered + LEAST) + STATED * one.stated + NEAR * one.near
        for one in evidence
    ]
    return _shares(logs)


def _shares(logs: Sequence[float]) -> tuple[float, ...]:
    """Probabilities from their logs, of which only the differences count."""
    highest = max(logs)
    chances = [exp(one - highest) for one in logs]
    whole = sum(chances)
    return tuple(chance / whole for chance in chances)


def _answered(own: Counter[str], said: Sequence[tuple[Counter[str], float]]) -> float:
    return sum(probability * _f1(words, own) ** 2 for words, probability in said)


def _stated(own: Counter[str], held: Sequence[tuple[set[str], float]]) -> float:
    if not own:
        return 0.0
    return max((cosine * len(words & own.keys()) / len(own) for words, cosine in held), default=0.0)


def _near(choices: Sequence[str], reply: Reply, encode: Encode) -> list[float]:
    short = reply.short
    if short is None:
        return [0.0] * len(choices)
    quote = next(one.quote for one in reply.citations if one.n == short.n)
    rows = encode([short.text, quote, *choices])
    return [float(cosine) for cosine in rows[2:] @ rows[:2].mean(axis=0)]


def _telling_apart(choices: Sequence[str]) -> tuple[list[Counter[str]], set[str]]:
    """The words of each choice that some other one lacks, all of them if that leaves none; and the
    words that all choices have."""
    keys = [content_keys(choice) for choice in choices]
    shared = set(keys[0]).intersection(*keys[1:])
    return [Counter(k for k in own if k not in shared) or Counter(own) for own in keys], shared


def _without(shared: set[str], text: str) -> Counter[str]:
    return Counter(key for key in content_keys(text) if key not in shared)


def _f1(left: Counter[str], right: Counter[str]) -> float:
    """Token F1 of two bags of words; 0 if one is empty."""
    common = (left & right).total()
    return 2 * common / (left.total() + right.total()) if common else 0.0


def nearest(choices: Sequence[str], text: str, encode: Encode) -> int | None:
    """Return the choice whose vector is nearest to that of a sentence of ``text``, by cosine.

    None when ``text`` says nothing. ``encode`` maps m texts to (m, dim) unit rows.
    """
    said = [text[start:end] for start, end in sentences(text)]
    if not said:
        return None
    near = encode(list(choices)) @ encode(said).T
    return int(near.max(axis=1).argmax())
