"""Selects the choice of a question that an answer means, for ``eval``."""

from __future__ import annotations

from ragcli.answer.choose import TUNING
from ragcli.answer.multiple_choice import (
    nearest,
    probabilities,
    read_evidence,
    read_probabilities,
)
from ragcli.answer.view import look
from ragcli.asking.ask import answerer, reads
from ragcli.config import Settings
from ragcli.evaluate.cases import Case
from ragcli.evaluate.eval_runner import Asker
from ragcli.evaluate.measure import Choose
from ragcli.evaluate.text_metrics import chosen, without_marks
from ragcli.models.open_reader import open_reader
from ragcli.retrieve.base import Encode
from ragcli.types import Answer


def chooser(asker: Asker, settings: Settings, encode: Encode) -> Choose:
    """The chooser for the answer method in the settings.

    If a language model answers, it computes the probability of each choice, given the passages of
    its answer. Otherwise the reader and the sentences of the passages decide. Without a reader, in
    modes that answer from something else than passages, or where no word of any choice is found,
    the words of the extractive answer decide, then its vectors; then an answer that abstains
    selects no choice.
    """

    def choose(case: Case, answer: Answer) -> int | None:
        how, llm = answerer(settings)
        if llm is not None:
            assert asker.last is not None, "a choice follows its answer"
            likely = probabilities(case.asked, case.choices, asker.last.context, llm)
            return likely.index(max(likely))
        if reads(settings, how) and answer.mode not in asker.others:
            place = _by_reading(case, asker, encode)
            if place is not None:
                return place
        said = without_marks(answer.reply.text)
        place = chosen(said, case.choices)
        return nearest(case.choices, said, encode) if place is None else place

    return choose


def _by_reading(case: Case, asker: Asker, encode: Encode) -> int | None:
    """The choice that the passages of the last answer speak for; None if for none."""
    assert asker.last is not None, "a choice follows its answer"
    context, names = asker.last.context, asker.last.retrieval.names
    view = look(case.asked, context, encode=encode, entities=names, pool=TUNING.pool)
    if not view.sentences:
        return None
    reply = asker.last.answer.reply
    evidence = read_evidence(case.asked, case.choices, context, view, open_reader(), encode, reply)
    likely = read_probabilities(evidence)
    return None if likely is None else likely.index(max(likely))
