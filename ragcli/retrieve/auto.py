"""The default mode: selects a strategy by the wording of the question, without a language model.

A question about all documents uses the summary tree. Every other question uses the walk, which
starts from names, or from similar passages and words if the question has no names. The best
passages of the walk are then compared with each other (``compare.py``). Passages with the
question's identifiers come first. Figures: docs/adr/walk.md.
"""

from __future__ import annotations

from ragcli.retrieve.base import Helpers, Ranking
from ragcli.retrieve.compare import compared
from ragcli.retrieve.overview import overview
from ragcli.retrieve.question import Question
from ragcli.retrieve.seeds import named_entities
from ragcli.search.search_index import SearchIndex


def auto(index: SearchIndex, question: Question, k: int, helpers: Helpers) -> Ranking:
    """The k best passages of the selected strategy."""
    if not named_entities(question) and question.asked.about_whole:
        return overview(index, question, k, helpers)
    return compared(index, question, k, helpers)
