"""Passages that hold the identifiers of a question go ahead of passages that lack them.

Pages of two versions, options or error codes are near-twins: similarity and words hardly tell them
apart, but the identifier does. It may stand in the file's name, in the title, in a heading or in
the text. Among passages that hold equally many, the order is that of retrieval.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ragcli.retrieve.base import Found, Helpers, Ranking
from ragcli.retrieve.dense_bm25 import dense_bm25
from ragcli.retrieve.question import Question
from ragcli.search.search_index import SearchIndex
from ragcli.text.asked_question import AskedQuestion
from ragcli.text.identifiers import holds, is_short_option
from ragcli.text.words import content_words, plain
from ragcli.types import Hit

DEPTH = 50
"""Documents that are found by their names, and passages that are found by an identifier alone,
at most."""
DEEPER = 3
"""The ranking by similarity and words is read this many times deeper than asked for."""

IN_NAME = 0.5
"""What an identifier in the file's name or the title counts more than one in the text."""
IN_HEADING = 0.25
AFTER_NAME = 0.5
"""What a version counts more where it stands after the same name as in the question: one that
another program has may be the name of a file."""

_NAME_BEFORE = re.compile(
    r"(?<![\w+.-])[\d_+.-]*+([^\W\d_][\w+.-]*) (?:version |release )?\Z", re.IGNORECASE
)


def marked_first(
    index: SearchIndex, question: Question, ranking: Ranking, k: int, helpers: Helpers
) -> Ranking:
    """Return the ranking with the passages that hold most identifiers of the question first.

    It is unchanged if the question has none, or if no passage holds one.
    """
    marks = question.asked.identifiers
    if not marks:
        return ranking
    pool = {find.passage: find for find in ranking.finds if find.passage is not None}
    for find in dense_bm25(index, question, k * DEEPER, helpers).finds:
        if find.passage is not None:
            pool.setdefault(find.passage, find)
    for row, similar in _by_mark(index, question):
        pool.setdefault(row, Found(None, row, similar))
    about, called = question.asked.program_words, _called(question.asked)
    held = {row: _held(index.passage_hit(row, 0.0, 0, ()), marks, about, called) for row in pool}
    if not any(held.values()):
        return ranking
    # Sorting is stable: equally many identifiers leave the order as it is.
    best = sorted(held, key=lambda row: -held[row])[:k]
    # Scores fall with the rank, as in every ranking.
    scores = sorted((pool[row].score for row in best), reverse=True)
    finds = [
        replace(pool[row], score=score, note=_note(pool[row].note, held[row]))
        for row, score in zip(best, scores, strict=True)
    ]
    return replace(ranking, finds=finds)


def _by_mark(index: SearchIndex, question: Question) -> list[tuple[int, float]]:
    """Passages that hold an identifier or whose document is named by it, most similar first."""
    marks = question.asked.identifiers
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
    return [(int(found[i]), float(similar[i])) for i in best]


def _called(asked: AskedQuestion) -> list[str]:
    """The versions of a question with the names before them, as ``plain`` words: " foo 1 1 0 "."""
    found = []
    for mark in asked.identifiers:
        before = _NAME_BEFORE.search(asked.text[: asked.text.find(mark)])
        if before and mark.lstrip("v")[:1].isdigit() and content_words(before[1]):
            found.append(plain(f"{before[1]} {mark}"))
    return found


def _held(
    hit: Hit, marks: Sequence[str], about: frozenset[str], called: Sequence[str] = ()
) -> float:
    """How many identifiers a passage holds; more for those in its document's name or a heading.

    A passage that holds one gains if its document's name holds a word of ``about``, and where a
    version stands after its name (``called``).
    """
    said = plain("\n".join([hit.title, *(path for _, path in hit.headings), hit.text]))
    total = 0.0
    for mark in marks:
        name = holds(f"{hit.doc}\n{hit.title}", mark)
        heading = any(holds(path, mark) for _, path in hit.headings)
        text = holds(hit.text, mark)
        after = any(words in said for words in called if words.endswith(plain(mark)))
        more = (IN_NAME * name, IN_HEADING * heading, AFTER_NAME * after)
        total += (name or heading or text) + max(more)
    if total and about and about.intersection(content_words(f"{hit.doc} {hit.title}")):
        total += IN_NAME
    return total


def _note(note: str, held: float) -> str:
    return "; ".join(filter(None, (note, "holds the identifier" if held else "")))
