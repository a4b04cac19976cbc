"""What differs when several stores are asked: one ranking of their hits, and ids that are unique.

Ids of documents are unique in one store only. So between retrieval and the answer each id carries a
mark of its store: one character that is in no word, so that no step reads it as part of a name. The
answer has the ids of the stores again, and names the store beside them. A store that is asked alone
and without a name needs no marks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from ragcli.config import Settings
from ragcli.retrieve import Helpers, Retrieval, retrieve, retrieve_from_several, understand
from ragcli.retrieve.closings import with_closings
from ragcli.retrieve.release_heads import with_release_heads
from ragcli.retrieve.table_heads import with_table_heads
from ragcli.search.search_index import SearchIndex
from ragcli.types import Citation, Hit, Reply

Found = TypeVar("Found", Hit, Citation)

# The first of the characters that mark a store; all are for private use, and none is in a word.
_FIRST_MARK = 0xE000


@dataclass(frozen=True, slots=True)
class NamedIndex:
    """An open index and the folder of its store as it was given; "" if it is the only one."""

    name: str
    index: SearchIndex


def found_in(
    stores: Sequence[NamedIndex], text: str, settings: Settings, helpers: Helpers
) -> tuple[list[Retrieval], list[Hit]]:
    """What is found in each store, and the best hits of all with marks."""
    if len(stores) == 1:
        question = understand(stores[0].index.snapshot, text, helpers.encode)
        one = retrieve(stores[0].index, question, settings.mode, settings.top_k, helpers)
        return [one], [with_mark(stores, 0, hit) for hit in one.hits]
    indexes = [store.index for store in stores]
    found, best = retrieve_from_several(indexes, text, settings.mode, settings.top_k, helpers)
    return found, [with_mark(stores, at, hit) for at, hit in best]


def with_neighbours(stores: Sequence[NamedIndex], question: str, hits: Sequence[Hit]) -> list[Hit]:
    """The hits, with the heads of their tables; below them what a question needs that is beside
    them: the ends of letters, the headings of releases."""
    in_place = list(hits)
    below: list[Hit] = []
    for at, store in enumerate(stores):
        places = [n for n, hit in enumerate(hits) if _store_of(stores, hit.doc) == at]
        own = with_closings(store.index, question, [_bare(stores, hits[n]) for n in places])
        own = with_release_heads(store.index, question, own)
        own = with_table_heads(own, store.index.snapshot.documents.text)
        read = [with_mark(stores, at, hit) for hit in own]
        for n, hit in zip(places, read, strict=False):
            in_place[n] = hit
        below += read[len(places) :]
    return in_place + below


def with_mark(stores: Sequence[NamedIndex], at: int, hit: Hit) -> Hit:
    """A hit of a store with the mark of the store."""
    return replace(hit, doc=chr(_FIRST_MARK + at) + hit.doc) if stores[0].name else hit


def with_own_id(stores: Sequence[NamedIndex], found: Found) -> Found:
    """A hit or a citation with the id and the name of its store instead of the mark."""
    if not stores[0].name:
        return found
    return replace(found, doc=found.doc[1:], store=stores[_store_of(stores, found.doc)].name)


def with_own_ids(stores: Sequence[NamedIndex], reply: Reply) -> Reply:
    """The reply without marks; notes may name a path, too."""
    if not stores[0].name:
        return reply
    short = reply.short and replace(
        reply.short,
        doc=reply.short.doc[1:],
        items=tuple(replace(item, doc=item.doc[1:]) for item in reply.short.items),
    )
    marks = {_FIRST_MARK + at: None for at in range(len(stores))}
    return replace(
        reply,
        citations=tuple(with_own_id(stores, citation) for citation in reply.citations),
        short=short,
        note=reply.note.translate(marks),
        nearest=reply.nearest and with_own_id(stores, reply.nearest),
        also=tuple(with_own_id(stores, citation) for citation in reply.also),
    )


def _store_of(stores: Sequence[NamedIndex], doc: str) -> int:
    return ord(doc[0]) - _FIRST_MARK if stores[0].name else 0


def _bare(stores: Sequence[NamedIndex], hit: Hit) -> Hit:
    return replace(hit, doc=hit.doc[1:]) if stores[0].name else hit
