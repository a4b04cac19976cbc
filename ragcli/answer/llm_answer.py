"""An answer written by a language model from excerpts, beside what the reader has found.

The reader finds the sentences that the model reads, checks what it writes (``claim_check``), and
has an answer of its own: it is named where the two disagree, and the documents' sentences take
the place of a written answer that nothing bears out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ragcli.answer.check import NOTHING_EXPECTED, Emit, Expected, agrees
from ragcli.answer.excerpt import excerpts
from ragcli.answer.extractive import extractive, read_question
from ragcli.answer.generate import Writer, written
from ragcli.answer.models import AnswerModels
from ragcli.answer.other_language import spoken
from ragcli.answer.short import FoundAnswer
from ragcli.types import Context, Reply

NAMED = 0.2
"""Confidence of the reader from which its answer is named beside another one."""


def llm_answer(
    question: str,
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
        return written(question, context, llm, reader=models.reader, emit=emit)
    reading = read_question(question, context, models, entities)
    plain = extractive(question, context, models, entities, reading=reading)
    if plain.abstained and not insist:
        return plain
    # The reader knows English.
    found = reading.found if spoken(question, context) == "en" else None
    room = models.excerpt
    holding = found.sentences if found else []
    reply = written(
        question,
        context,
        llm,
        reader=models.reader,
        emit=emit,
        shown=excerpts(reading.view, holding, room, llm.count_tokens) if room else (),
        expected=Expected(found.text, found.confidence) if found else NOTHING_EXPECTED,
    )
    if reply.abstained and not plain.abstained:
        emit(plain.text)
        return replace(
            plain,
            note="; ".join(filter(None, (plain.note, _instead(reply)))),
            written=reply.written,
        )
    return _compared(reply, found)


def _instead(reply: Reply) -> str:
    """Why sentences of the documents stand for a written answer."""
    why = "was not borne out by the passages" if reply.written else "gave no answer"
    return f"these are the documents' sentences; what the model wrote {why}"


def _compared(reply: Reply, found: FoundAnswer | None) -> Reply:
    """The reply; its note names the reader's answer if the model's is another one."""
    if reply.abstained or found is None or found.confidence < NAMED:
        return reply
    if agrees(found.text, reply.text):
        return reply
    said = f"the reader finds another answer: {' '.join(found.text.split())}"
    said += f" ({found.confidence:.2f})"
    return replace(reply, note="; ".join(filter(None, (reply.note, said))))
