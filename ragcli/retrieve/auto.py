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
from ragcli.text.words import content_words

_WHOLE = re.compile(
    r"\b(?:summari[sz]e|overview|main (?:themes?|topics?|subjects?|ideas?|points?)"
    r"|(?:themes?|topics?|subjects?) (?:of|in|across|covered))\b",
    re.IGNORECASE,
)
_DOCUMENTS = re.compile(
    r"\b(?:(?:this|these|the(?: whole)?) (?:collection|corpus|documents|files|folder|archive|texts)"
    r"|all (?:the |of the |these )?(?:documents|files|texts))\b",
    re.IGNORECASE,
)
_GENERAL = frozenset(
    content_words(
        "about all answer collection contain content cover deal describe discuss document explain"
        " file find found general"
        " hold include inside kind know learn look main mention mostly overall read say says short"
        " sort talk tell text treat type whole write written"
    )
)
"""Words that ask nothing in particular of documents: "What do these files talk about?"."""


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

    It is if it asks for themes or a summary, or if nothing in particular is asked of the documents.

    >>> asks_for_whole("What are the main themes of these letters?"), asks_for_whole("Who is Ann?")
    (True, False)
    >>> asks_for_whole("What are these files about?"), asks_for_whole("Who deletes the files?")
    (True, False)
    """
    if _WHOLE.search(text):
        return True
    asked, named = _DOCUMENTS.subn(" ", text)
    return named > 0 and _GENERAL.issuperset(content_words(asked))
