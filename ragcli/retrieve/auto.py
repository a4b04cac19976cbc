"""The default mode: selects a strategy by the wording of the question, without a language model.

A question about all documents uses the summary tree. Every other question uses the walk, which
starts from names, or from similar passages and words if the question has no names. The best
passages of the walk are then compared with each other (``compare.py``). Passages with the
question's identifiers come first. Figures: docs/adr/walk.md.
"""

from __future__ import annotations

import re

from ragcli.retrieve.base import Helpers, Ranking
from ragcli.retrieve.compare import compared
from ragcli.retrieve.marked import marked_first
from ragcli.retrieve.overview import overview
from ragcli.retrieve.question import Question
from ragcli.retrieve.seeds import named_entities
from ragcli.search.search_index import SearchIndex

_WHOLE = re.compile(
    r"\b(?:summari[sz]e|overview|main (?:themes?|topics?|subjects?|ideas?|points?)"
    r"|(?:themes?|topics?|subjects?) (?:of|in|across|covered)"
    r"|(?:this|these|the(?: whole)?) (?:collection|corpus|documents|files|folder|archive|texts)"
    r"|all (?:the |of the |these )?(?:documents|files|texts))\b",
    re.IGNORECASE,
)


def auto(index: SearchIndex, question: Question, k: int, helpers: Helpers) -> Ranking:
    """The k best passages of the selected strategy."""
    if is_about_whole(question):
        return overview(index, question, k, helpers)
    return marked_first(index, question, compared(index, question, k, helpers), k, helpers)


def is_about_whole(question: Question) -> bool:
    """Whether ``auto`` uses the summary tree: the question names nothing and is about all of it."""
    return not named_entities(question) and asks_for_whole(question.text)


def asks_for_whole(text: str) -> bool:
    """Whether a question is about the documents as a whole.

    >>> asks_for_whole("What are the main themes of these letters?"), asks_for_whole("Who is Ann?")
    (True, False)
    """
    return _WHOLE.search(text) is not None
