"""The notes of a reply: what was searched, and what was not found."""

from __future__ import annotations

from collections.abc import Sequence

from ragcli.answer.view import View
from ragcli.retrieve.context import line_at
from ragcli.types import Context
from ragcli.types.document_ids import path_of


def searched(context: Context) -> str:
    """Say how much was searched.

    >>> searched(Context((), 0))
    '0 passages of 0 documents'
    """
    return f"{counted(len(context.parts), 'passage')} of {counted(context.documents, 'document')}"


def counted(count: int, thing: str) -> str:
    """Write a number and what it counts.

    >>> counted(1, "passage"), counted(3, "passage")
    ('1 passage', '3 passages')
    """
    return f"{count} {thing}{'' if count == 1 else 's'}"


def nothing_about(names: Sequence[str]) -> str:
    """Say about which names of the question nothing was found; "" if there are none.

    >>> nothing_about(["Ann Lee", "Skive"]), nothing_about([])
    ('nothing found about: Ann Lee, Skive', '')
    """
    return f"nothing found about: {', '.join(names)}" if names else ""


def nearest(view: View) -> str:
    """Say where the sentence most about the question stands: a place to look for oneself."""
    sentence = view.sentences[int((view.similarity + view.covers.sum(axis=1)).argmax())]
    part = sentence.part
    return f"nearest: {part.path or path_of(part.doc)}:{line_at(part, sentence.start)}"
