"""The map of a store or a folder: its parts, what sets each apart, and what says what it is."""

from __future__ import annotations

import posixpath
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from ragcli.mapping.dated import with_dates
from ragcli.mapping.introductions import CODE, Introduction, Introductions
from ragcli.mapping.leading import spread, title_of, visible_documents
from ragcli.mapping.quotes import Quotes
from ragcli.mapping.sections import sections_of
from ragcli.mapping.shelves import FolderPart, shelves
from ragcli.mapping.terms import apart, named, widespread
from ragcli.search.search_index import SearchIndex
from ragcli.store.snapshot.shelf import NamedThing, ShelvedDocument
from ragcli.text.words import fold
from ragcli.types import MapPart, WholeMap
from ragcli.types.document_ids import path_of, suffixes_of

_NAMING = 3
"""Terms that name a group of documents."""

_TITLES, _FEWEST_TITLES = 24, 4
"""Titles of all parts, and of each at least."""

_COUNTED = 60
"""Documents of a part in which names are counted; of more, some at equal distances."""

_WHOLE = (0, sys.maxsize)

DATA = {"csv", "tsv", "xlsx", "ods", "parquet"}
"""Suffixes of tables of data, whose cells are no names of what they are about."""

_SHARED = 0.25
"""The share of the documents that name a person or a place of all of them."""


def map_of_folder(index: SearchIndex, folder: str, quotes: Quotes) -> WholeMap:
    """The map of the documents in a folder; "" is the store, or the scope of the index."""
    everything = visible_documents(index)
    below = [one for one in everything if not folder or _inside(one.doc, folder)]
    held, more = shelves(index, below, folder)
    reading = Introductions(index, [below, *(shelf.documents for shelf in held)])
    form = index.snapshot.shelf.repeated_headings([one.row for one in spread(below, _COUNTED)])
    names = _entities(index, below, form)
    people, places = ((), ()) if _is_code(below) else _recurring(names, len(below))
    counted = min(len(below), _COUNTED)
    terms = apart(names, counted, len(everything)) if folder else widespread(names, counted)
    whole = reading.of_all(below, terms)
    n = quotes.add(whole.doc, whole.start, whole.end) if whole else 0
    made = WholeMap(folder, "folder" if folder else "store", len(below), types=_types(below))
    return replace(
        with_dates(index, made, below),
        n=n,
        people=people,
        places=places,
        terms=tuple(term for term in terms if term not in (*people, *places)),
        parts=tuple(_parts(index, held, reading, whole, quotes, form)),
        more=more,
    )


def _parts(
    index: SearchIndex,
    held: Sequence[FolderPart],
    reading: Introductions,
    whole: Introduction | None,
    quotes: Quotes,
    form: Collection[str],
) -> Iterator[MapPart]:
    """The parts, each with a sentence that says what it is; if there is none for any, and none for
    the ``whole``, each with one of a document in it. ``form``: headings that documents share."""
    own = [_terms(index, shelf, form) for shelf in held]
    said = [
        reading.of(shelf.documents, shelf.name, terms)
        for shelf, terms in zip(held, own, strict=True)
    ]
    if not whole and not any(said):
        said = [reading.example(shelf.documents) for shelf in held]
    total = sum(len(shelf.documents) for shelf in held)
    for shelf, terms, one in zip(held, own, said, strict=True):
        n = quotes.add(one.doc, one.start, one.end) if one and one != whole else 0
        titles = max(_FEWEST_TITLES, _TITLES * len(shelf.documents) // total)
        yield _part(index, shelf, terms, n, titles)


def _terms(index: SearchIndex, shelf: FolderPart, form: Collection[str]) -> tuple[str, ...]:
    """The terms that set a part apart."""
    names = _entities(index, shelf.documents, form)
    return apart(names, min(len(shelf.documents), _COUNTED), index.document_count)


def _inside(doc: str, folder: str) -> bool:
    return doc.startswith((f"{folder}/", f"{folder}#"))


def _entities(
    index: SearchIndex, documents: Sequence[ShelvedDocument], form: Collection[str]
) -> list[NamedThing]:
    """The names and nouns of some documents, of those of running text if there are any, but for
    the headings of a ``form``."""
    texts = [one for one in documents if not suffixes_of(one.doc) & DATA] or documents
    found = index.snapshot.shelf.named_in([one.row for one in spread(texts, _COUNTED)])
    return [one for one in found if fold(one.name) not in form]


def _is_code(documents: Sequence[ShelvedDocument]) -> bool:
    """Whether most documents are programs, whose names are no people."""
    return 2 * sum(bool(suffixes_of(one.doc) & CODE) for one in documents) > len(documents)


def _recurring(
    found: Sequence[NamedThing], documents: int
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The people and the places that a good part of ``documents`` name."""
    least = max(2, _SHARED * min(documents, _COUNTED))
    several = [one for one in found if one.documents >= least]
    return named(several, ("PERSON",), 3), named(several, ("LOC",), 3)


def _part(
    index: SearchIndex, shelf: FolderPart, terms: tuple[str, ...], n: int, most: int
) -> MapPart:
    shown = spread(shelf.documents, most)
    titles = tuple(dict.fromkeys(_title(index, one) for one in shown))
    if not n and len(shelf.documents) == 1:
        titles += tuple(one.name for one in sections_of(index, shown[0].doc, _WHOLE)[:most])
    name = shelf.name or ", ".join(terms[:_NAMING])
    terms = terms if shelf.name else terms[_NAMING:]
    if n and len(shelf.documents) == 1:  # the sentence says more than its words
        terms = ()
    return MapPart(name, len(shelf.documents), titles, terms, n)


def _title(index: SearchIndex, found: ShelvedDocument) -> str:
    """The title of a document, else the heading that it begins with, else its name."""
    headings = [] if found.title else index.snapshot.shelf.headings(found.doc)[:1]
    return next((one.path for one in headings if not one.start), title_of(found))


def _types(documents: Sequence[ShelvedDocument]) -> tuple[tuple[str, int], ...]:
    """The suffixes of the files, the most frequent first; "" for none."""
    found = Counter(posixpath.splitext(path_of(one.doc))[1][1:].lower() for one in documents)
    return tuple(sorted(found.items(), key=lambda item: (-item[1], item[0])))
