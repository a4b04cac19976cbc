"""The default: what the question is like decides how it is looked up. No language model is asked.

A question about the documents as a whole gets the summary tree, every other one the walk, which
goes by names where there are some, and by similarity and words where there are none. Figures in
docs/adr/walk.md.
"""

from __future__ import annotations

import re

from ragcli.retrieve.base import Helpers, Ranking
from ragcli.retrieve.overview import overview
from ragcli.retrieve.question import Question
from ragcli.retrieve.seeds import named_entities
from ragcli.retrieve.walk import walk
from ragcli.search.search_index import SearchIndex

_WHOLE = re.compile(
    r"\b(?:summari[sz]e|overview|main (?:themes?|topics?|subjects?|ideas?|points?)"
    r"|(?:themes?|topics?|subjects?) (?:of|in|across|covered)"
    r"|(?:this|these|the(?: whole)?) (?:collection|corpus|documents|files|folder|archive|texts)"
    r"|all (?:the |of the |these )?(?:documents|files|texts))\b",
    re.IGNORECASE,
)


def auto(index: SearchIndex, question: Question, k: int, helpers: Helpers) -> Ranking:
    """The k best passages by the strategy that suits the question."""
    return (overview if is_about_whole(question) else walk)(index, question, k, helpers)


def is_about_whole(question: Question) -> bool:
    """Whether ``auto`` answers from the summary tree: nothing is named, all of it is asked for."""
    return not named_entities(question) and asks_for_whole(question.text)


def asks_for_whole(text: str) -> bool:
    """Whether a question is about the documents as a whole.

    >>> asks_for_whole("What are the main themes of these letters?"), asks_for_whole("Who is Ann?")
    (True, False)
    """
    return _WHOLE.search(text) is not None
