"""Which of a question's choices an answer comes to, for ``eval``."""

from __future__ import annotations

from dataclasses import replace

from ragcli.answer.multiple_choice import nearest, probabilities
from ragcli.asking.ask import answerer, context_of
from ragcli.config import Settings
from ragcli.evaluate.cases import Case
from ragcli.evaluate.measure import Choose
from ragcli.evaluate.text_metrics import chosen, without_marks
from ragcli.models import BIG_MODEL_PARAMETERS
from ragcli.retrieve.space import Space
from ragcli.types import Answer


def chooser(space: Space, settings: Settings) -> Choose:
    """The chooser that goes with how the settings have questions answered.

    A language model that answers is asked for each choice's probability, given the passages that
    it answered from. Without one the words of the extractive answer decide, then its vectors; one
    that abstains has chosen nothing.
    """

    def choose(case: Case, answer: Answer) -> int | None:
        how, llm = answerer(settings)
        if llm is not None and (how == "llm" or llm.parameters >= BIG_MODEL_PARAMETERS):
            own = replace(settings, mode=answer.mode)
            question = space.understand(case.question)
            # Hits behind the user's are there to be ranked; nobody answers from them.
            context = context_of(space, question, answer.hits[: own.top_k], own, llm)
            likely = probabilities(case.question, case.choices, context, llm)
            return likely.index(max(likely))
        said = without_marks(answer.reply.text)
        place = chosen(said, case.choices)
        return nearest(case.choices, said, space.encode) if place is None else place

    return choose
