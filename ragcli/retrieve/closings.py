"""Questions about who signed or wrote a letter are given the ends of the letters that are found.

What a letter is about stands in its middle, and who signed it at its end, which shares no word with
the question. No ranking finds that passage, so it is read from the store.
"""

from __future__ import annotations

from collections.abc import Sequence

from ragcli.search.search_index import SearchIndex
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Hit

LETTERS = 3
"""Documents, best first, whose ends are read."""

MOST_PASSAGES = 12
"""Passages of the longest letter: what is longer is a report or a book."""


def with_closings(index: SearchIndex, asked: AskedQuestion, hits: Sequence[Hit]) -> list[Hit]:
    """The hits and, where a question asks who signed a letter, the ends of the first documents."""
    found = list(hits)
    if not asked.about_signer:
        return found
    for doc in list(dict.fromkeys(hit.doc for hit in hits))[:LETTERS]:
        starts = index.snapshot.chunks.passage_starts(index.snapshot.chunks.passages_of([doc]))
        if not 1 < len(starts) <= MOST_PASSAGES:
            continue
        last = max(starts, key=lambda row: starts[row][1])
        end = index.passage_hit(last, 0.0, len(found) + 1, ())
        if not any(hit.doc == doc and hit.end >= end.end for hit in hits):
            found.append(end)
    return found
