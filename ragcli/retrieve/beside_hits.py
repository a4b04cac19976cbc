"""What a question needs beside the hits, so that what is read is what is found.

Hits that begin inside a table get its head. Below the hits come the ends of letters, where a
question asks who signed one, and the headings of releases, where it asks for a release.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ragcli.retrieve.closings import with_closings
from ragcli.retrieve.release_heads import with_release_heads
from ragcli.retrieve.table_heads import with_table_heads
from ragcli.search.search_index import SearchIndex
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Hit

StoreHit = tuple[int, Hit]
"""The number of a store, and a hit in it."""


def with_beside(
    indexes: Sequence[SearchIndex], asked: AskedQuestion, hits: Sequence[StoreHit]
) -> list[StoreHit]:
    """The hits of all stores, and below them what a question needs beside them."""
    in_place = list(hits)
    below: list[StoreHit] = []
    for at, index in enumerate(indexes):
        places = [n for n, (store, _) in enumerate(hits) if store == at]
        own = with_closings(index, asked, [hits[n][1] for n in places])
        own = with_release_heads(index, asked, own)
        own = with_table_heads(own, index.snapshot.documents.text)
        for n, hit in zip(places, own, strict=False):
            in_place[n] = (at, hit)
        below += [(at, hit) for hit in own[len(places) :]]
    ranked = ((at, replace(hit, rank=rank)) for rank, (at, hit) in enumerate(below, len(hits) + 1))
    return [*in_place, *ranked]
