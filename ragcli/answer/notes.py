"""The notes of a reply: what was searched, and what was not found."""

from __future__ import annotations

from collections.abc import Sequence

from ragcli.answer.cite import citations
from ragcli.answer.laid import Stretch
from ragcli.answer.view import View
from ragcli.text.sentences import sentences
from ragcli.text.words import counted
from ragcli.types import Citation, Context

TWO_LINES = 160
"""Characters on two lines of a terminal."""

NEAR = 0.45
"""Cosine with the question from which a sentence is worth a look: those nearest to questions over
folders reach it for 95 % of the questions that the folder answers, and for 43 % of those asked of
another folder."""


def searched(context: Context) -> str:
    """Say how much was searched.

    >>> searched(Context((), 0))
    '0 passages of 0 documents'
    """
    return f"{counted(len(context.parts), 'passage')} of {counted(context.documents, 'document')}"


def nothing_about(names: Sequence[str]) -> str:
    """Say about which names of the question nothing was found; "" if there are none.

    >>> nothing_about(["Ann Lee", "Skive"]), nothing_about([])
    ('nothing found about: Ann Lee, Skive', '')
    """
    return f"nothing found about: {', '.join(names)}" if names else ""


def nearest(view: View, first: int | None = None) -> Citation | None:
    """The ``first`` sentence, or the one most about the question, with those after it that fit on
    two lines: a place to look for oneself. None if no sentence is near to the question."""
    if view.similarity.max(initial=0.0) < NEAR:
        return None
    if first is None:
        first = int((view.similarity + view.covers.sum(axis=1)).argmax())
    sentence = view.sentences[first]
    part, end = sentence.part, sentence.end
    for _, after in sentences(part.text):
        between = part.text[sentence.end - part.start : after]
        fits = sentence.end < part.start + after <= sentence.start + TWO_LINES
        if fits and "\n\n" not in between:
            end = part.start + after
    return citations([Stretch(part, sentence.start, end)])[0]
