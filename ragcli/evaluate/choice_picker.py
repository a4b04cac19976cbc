"""Selects the choice of a question that an answer means, for ``eval``."""

from __future__ import annotations

from ragcli.answer.multiple_choice import nearest, probabilities
from ragcli.asking.ask import answerer
from ragcli.config import Settings
from ragcli.evaluate.cases import Case
from ragcli.evaluate.eval_runner import Asker
from ragcli.evaluate.measure import Choose
from ragcli.evaluate.text_metrics import chosen, without_marks
from ragcli.retrieve.base import Encode
from ragcli.types import Answer


def chooser(asker: Asker, settings: Settings, encode: Encode) -> Choose:
    """The chooser for the answer method in the settings.

    If a language model answers, it computes the probability of each choice, given the passages of
    its answer. Otherwise the words of the extractive answer decide, then its vectors. An answer
    that abstains selects no choice.
    """

    def choose(case: Case, answer: Answer) -> int | None:
        _, llm = answerer(settings)
        if llm is not None:
            assert asker.last is not None, "a choice follows its answer"
            likely = probabilities(case.question, case.choices, asker.last.context, llm)
            return likely.index(max(likely))
        said = without_marks(answer.reply.text)
        place = chosen(said, case.choices)
        return nearest(case.choices, said, encode) if place is None else place

    return choose
