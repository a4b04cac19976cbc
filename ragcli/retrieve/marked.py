"""Passages that hold the identifiers of a question.

Pages of two versions, options or error codes are near-twins: similarity and words hardly tell them
apart, but the identifier does. It may be in the file's name, in the title, in a heading or in
the text.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragcli.retrieve.question import Question
from ragcli.retrieve.seeds import Floats
from ragcli.search.search_index import SearchIndex
from ragcli.store.snapshot.chunks import PassageText
from ragcli.text.asked_question import AskedQuestion
from ragcli.text.identifiers import holds, is_short_option
from ragcli.text.words import content_words, plain

DEPTH = 50
"""Documents that are found by their names, and passages that are found by an identifier alone,
at most."""

IN_NAME = 0.5
"""What an identifier in the file's name or the title counts more than one in the text."""
IN_HEADING = 0.25
AFTER_NAME = 0.5
"""What a version counts more where it is after the same name as in the question: one that
another program has may be the name of a file."""


def with_mark(index: SearchIndex, question: Question) -> list[int]:
    """Passages that hold an identifier or whose document is named by it, most similar first."""
    marks = question.asked.identifiers
    if not marks:
        return []
    named = index.snapshot.documents.called(marks, DEPTH)
    rows = set(index.snapshot.chunks.passages_of(named))
    for mark in marks:
        # An option of one letter is a word of many documents: the whole question finds its own.
        words = question.asked if is_short_option(mark) else AskedQuestion(mark)
        rows.update(row for row, _ in index.by_words(words, DEPTH))
    found = np.array(sorted(rows), dtype=np.int64)
    found = found[np.isin(found, index.passages.ids)]  # those of the scope
    similar = index.passages.similarities(question.vector, found)
    best = np.argsort(-similar, kind="stable")[:DEPTH]
    return [int(row) for row in found[best]]


def marks_held(asked: AskedQuestion, texts: Sequence[PassageText]) -> Floats:
    """How many identifiers of a question each passage holds, (n,), relative to the most."""
    if not asked.identifiers:
        return np.zeros(len(texts))
    held = np.array([_held(text, asked) for text in texts])
    return np.asarray(held / max(held.max(initial=0.0), 1.0))


def _held(passage: PassageText, asked: AskedQuestion) -> float:
    """How many identifiers a passage holds; more for those in its document's name or a heading.

    A passage that holds one gains if its document's name holds a word that may name the program,
    and where a version is after its name.
    """
    said = plain(f"{passage.title}\n{passage.heading}\n{passage.text}")
    total = 0.0
    for mark in asked.identifiers:
        name = holds(f"{passage.doc}\n{passage.title}", mark)
        heading = holds(passage.heading, mark)
        text = holds(passage.text, mark)
        after = any(words in said for words in asked.named_versions if words.endswith(plain(mark)))
        more = (IN_NAME * name, IN_HEADING * heading, AFTER_NAME * after)
        total += (name or heading or text) + max(more)
    about = asked.program_words
    if total and about and about.intersection(content_words(f"{passage.doc} {passage.title}")):
        total += IN_NAME
    return total
