"""An answer written by a language model from excerpts, beside what the reader has found.

The reader finds the sentences that the model reads, checks what it writes (``claim_check``), and
has an answer of its own: the documents' sentences take the place of a written answer that
contradicts it, or that nothing supports.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ragcli.answer.check import NOTHING_EXPECTED, Emit, Expected, agrees
from ragcli.answer.cite import take_marks
from ragcli.answer.excerpt import excerpts
from ragcli.answer.extractive import extractive, read_question
from ragcli.answer.generate import Writer, written
from ragcli.answer.models import AnswerModels
from ragcli.answer.other_language import spoken
from ragcli.text.asked_question import AskedQuestion
from ragcli.text.words import one_line
from ragcli.types import Context, Reply

CONTRADICTS = 0.2
"""Confidence of the reader from which a written answer must agree with its own."""


def llm_answer(
    asked: AskedQuestion,
    context: Context,
    llm: Writer,
    models: AnswerModels,
    entities: Sequence[str],
    emit: Emit,
    *,
    insist: bool,
) -> Reply:
    """Let the model answer from the best sentences of ``context``.

    ``insist``: it is asked even if the reader finds no answer. A context with facts of the graph is
    shown as a whole: it was asked for.
    """
    if context.entities or context.relations:
        return written(asked, context, llm, reader=models.reader, emit=emit)
    reading = read_question(asked, context, models, entities)
    plain = extractive(asked, context, models, entities, reading=reading)
    if plain.abstained and not insist:
        return plain
    # The reader knows English.
    found = reading.found if spoken(asked, context) == "en" else None
    room = models.excerpt
    holding = found.sentences if found else []
    stands = found is not None and found.confidence >= CONTRADICTS and not plain.abstained
    must_agree = _MustAgree(found.text if found and stands else "", emit)
    reply = written(
        asked,
        context,
        llm,
        reader=models.reader,
        emit=must_agree,
        shown=excerpts(reading.view, holding, room, llm.count_tokens) if room else (),
        expected=Expected(found.text, found.confidence) if found else NOTHING_EXPECTED,
    )
    if plain.abstained or (must_agree.agreed and not reply.abstained):
        return reply
    return replace(
        plain,
        note="; ".join(filter(None, (plain.note, _instead(reply)))),
        written=reply.written,
    )


class _MustAgree:
    """Passes a written answer on as soon as it agrees with the reader's, "" for none."""

    def __init__(self, expected: str, emit: Emit) -> None:
        self.agreed = not expected
        self._expected = expected
        self._emit = emit
        self._held = ""

    def __call__(self, piece: str) -> None:
        """Take the next sentence."""
        self._held += piece
        if self.agreed or agrees(self._expected, self._held):
            self._emit(self._held)
            self.agreed, self._held = True, ""


def _instead(reply: Reply) -> str:
    """Why sentences of the documents stand for a written answer."""
    why = "what the model wrote was not borne out by the passages"
    if not reply.abstained:
        why = f"the model wrote another answer: {take_marks(one_line(reply.text))[0]}"
    elif not reply.written:
        why = "what the model wrote gave no answer"
    return f"these are the documents' sentences; {why}"
