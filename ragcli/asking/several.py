"""What differs when several stores are asked: one ranking of their hits, and ids that are unique.

Ids of documents are unique in one store only. So between retrieval and the answer each id carries a
mark of its store: one character that is in no word, so that no step reads it as part of a name. The
answer has the ids of the stores again, and names the store beside them. A store that is asked alone
and without a name needs no marks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from ragcli.config import Settings
from ragcli.papers import mode_called
from ragcli.retrieve import Helpers, Retrieval, retrieve_from, understand
from ragcli.search.search_index import SearchIndex
from ragcli.store.connection import FOLDER
from ragcli.text.asked_question import AskedQuestion
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
    stores: Sequence[NamedIndex], asked: AskedQuestion, settings: Settings, helpers: Helpers
) -> tuple[list[Retrieval], list[Hit]]:
    """What is found in each store, and the hits with marks: those to read, if it is answered."""
    found, hits = retrieve_from(
        [store.index for store in stores],
        asked,
        mode_called(settings.mode),
        settings.top_k,
        helpers,
        to_read=settings.answer != "none",
    )
    return found, [with_mark(stores, at, hit) for at, hit in hits]


def not_sought(
    stores: Sequence[NamedIndex], asked: AskedQuestion, settings: Settings, helpers: Helpers
) -> tuple[list[Retrieval], list[Hit]]:
    """As ``found_in``, for a question that is answered without passages."""
    first = understand(stores[0].index.snapshot, asked, helpers.encode)
    questions = [first, *(first.in_store(store.index.snapshot) for store in stores[1:])]
    return [Retrieval(question, settings.mode, (), ()) for question in questions], []


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


def names_of(folders: Sequence[Path]) -> list[str]:
    """A short name for each store: of its folder, or of the one that it is for.

    >>> names_of([Path("/a/work/.ragcli"), Path("/a/law"), Path("/b/law")])
    ['work', 'law', 'law-2']
    """
    found: list[str] = []
    for folder in folders:
        whole = folder.absolute()
        name = (whole.parent if whole.name == FOLDER else whole).name.replace(":", "_") or "store"
        number = 2
        own = name
        while own in found:
            own = f"{name}-{number}"
            number += 1
        found.append(own)
    return found
