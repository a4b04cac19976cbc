"""Makes a cited reply from a question and its context.

In: an ``AskedQuestion``, a ``Context`` and ``AnswerModels``. Out: a ``Reply`` whose citations are
exact quotes of the context, or one that abstains and says why. ``extractive`` chooses sentences of
the documents; ``llm_answer`` checks the sentences of a language model and drops those that the
context does not support. It may not find passages or read a store.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from ragcli.answer.extractive import extractive
from ragcli.answer.models import AnswerModels
from ragcli.errors import ModelError
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Context, Reply

if TYPE_CHECKING:
    from ragcli.answer.check import Emit

How = Literal["auto", "extractive", "llm", "none"]


def answer(
    asked: AskedQuestion,
    context: Context,
    how: How,
    models: AnswerModels,
    *,
    entities: Sequence[str] = (),
    emit: Emit = lambda _text: None,
) -> Reply:
    """Answer a question from ``context`` and nothing else.

    ``auto`` is ``llm`` when there is a model (whoever gives one knows that it can read, see
    ``reading_test``), else ``extractive``; ``none`` returns an empty reply, for callers that want
    only the passages.
    ``entities`` are the question's known names.
    ``emit`` is given a written answer piece by piece; the pieces joined are its text. Nothing is
    emitted of a reply that no model wrote.
    Raises ModelError when ``llm`` is asked for and there is none.
    """
    llm = models.llm
    if how == "none":
        return Reply("", (), "none")
    if how == "llm" and llm is None:
        raise ModelError(
            "a written answer was asked for, and no language model is set",
            "add one: ragcli models add PATH, or ask with --answer extractive",
        )
    if llm is not None and how in ("llm", "auto"):
        # Not needed, and not loaded, for sentences of the documents.
        from ragcli.answer.llm_answer import llm_answer

        return llm_answer(asked, context, llm, models, entities, emit, insist=how == "llm")
    return extractive(asked, context, models, entities)


__all__ = ["AnswerModels", "How", "answer"]
