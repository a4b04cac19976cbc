"""Answers that the layout of a document gives, without a reader: looked up, not read.

A reader looks for words inside sentences. What stands in a table, under a label, below the term of
a list or after "Default:" is no sentence, but the layout says what it is. One module for each
kind of question: ``defaults``, ``units``, ``tables``, ``lists``, ``terms``, ``fields``.
``since`` and ``releases`` ask for versions, and come before all others.
"""

from __future__ import annotations

from collections.abc import Sequence

from ragcli.answer.lookup.defaults import default_answer
from ragcli.answer.lookup.fields import field_answer
from ragcli.answer.lookup.lists import list_answer
from ragcli.answer.lookup.looked_up import LookedUp
from ragcli.answer.lookup.tables import cell_answer
from ragcli.answer.lookup.terms import term_answer
from ragcli.answer.lookup.units import unit_answer
from ragcli.answer.view import View
from ragcli.types import Part


def look_up(question: str, parts: Sequence[Part], view: View) -> LookedUp | None:
    """What the layout of the parts answers; None if the question is not of such a kind, or they do
    not tell it."""
    return (
        unit_answer(question, parts)
        or default_answer(question, parts, view)
        or cell_answer(question, parts)
        or list_answer(question, parts)
        or term_answer(question, parts, view)
        or field_answer(question, parts)
    )
