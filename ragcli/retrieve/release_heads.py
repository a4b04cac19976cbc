"""Questions about releases are given the headings of the releases that the passages are about.

A change log tells in a heading which release the lines below it belong to. Long sections are cut
into passages, most of which begin below their heading. It can be quoted only if it is read, too.
"""

from __future__ import annotations

from collections.abc import Sequence

from ragcli.search.search_index import SearchIndex
from ragcli.text.asked_question import AskedQuestion
from ragcli.text.releases import release_path
from ragcli.types import Hit

MOST = 4
"""Passages, best first, whose release is looked up."""


def with_release_heads(index: SearchIndex, asked: AskedQuestion, hits: Sequence[Hit]) -> list[Hit]:
    """The hits and, where a question asks for a release or the date of a change, the passages with
    the headings of the releases that the first hits are about."""
    found = list(hits)
    if not asked.about_release:
        return found
    for hit in hits[:MOST]:
        start = _heading_before(index, hit)
        if start is None or any(
            one.doc == hit.doc and one.start <= start < one.end for one in found
        ):
            continue
        starts = index.snapshot.chunks.passage_starts(index.snapshot.chunks.passages_of([hit.doc]))
        before = [row for row, (_, at) in starts.items() if at <= start]
        if before:
            row = max(before, key=lambda row: starts[row][1])
            found.append(index.passage_hit(row, 0.0, len(found) + 1, ()))
    return found


def _heading_before(index: SearchIndex, hit: Hit) -> int | None:
    """Where the heading of the release stands that a hit is about; None inside of the hit, or if
    it is about none."""
    above = [path for at, path in hit.headings if at <= hit.start]
    path = release_path(above[-1]) if above else ""
    return index.snapshot.documents.heading_start(hit.doc, hit.start, path) if path else None
