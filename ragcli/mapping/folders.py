"""The map of a store or a folder: its parts, what sets each apart, and what says what it is."""

from __future__ import annotations

import datetime
import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ragcli.mapping.introductions import CODE, Introductions, title_of
from ragcli.mapping.quotes import Quotes
from ragcli.mapping.terms import apart, named
from ragcli.mapping.topics import topics
from ragcli.mapping.visible import visible_documents
from ragcli.search.search_index import SearchIndex
from ragcli.store.snapshot.shelf import NamedThing, ShelvedDocument
from ragcli.types import MapPart, WholeMap
from ragcli.types.document_ids import folder_of, path_of, suffixes_of

MOST_PARTS = 12

MOST_TITLES = 5

_COUNTED = 60
"""Documents of a part in which names are counted; of more, some at equal distances."""

_DATED = 0.2
"""The share of the documents whose fields, ids or titles must have a date."""

_DATE = re.compile(
    r"(?<!\d)((?:1[5-9]|20)\d\d)(?:[-_.]?(0[1-9]|1[0-2])(?:[-_.]?([0-3]\d))?)?(?!\d)"
)

_SHARED = 0.25
"""The share of the documents that name a person or a place of all of them."""

_COVERED = 0.5
"""The share of the documents that the largest folders must hold to be the parts."""


@dataclass(frozen=True, slots=True)
class _FolderPart:
    """Some documents under a name; ``named``: the name is that of a folder or a file."""

    name: str
    documents: list[ShelvedDocument]
    named: bool = True


def map_of_folder(index: SearchIndex, folder: str, quotes: Quotes) -> WholeMap:
    """The map of the documents in a folder; "" is the store, or the scope of the index."""
    everything = visible_documents(index)
    below = [one for one in everything if not folder or _inside(one.doc, folder)]
    shelves, more = _shelves(index, below, _common(below, folder))
    reading = Introductions(index, [below, *(shelf.documents for shelf in shelves)])
    counted = [_entities(index, shelf.documents) for shelf in shelves]
    names = _entities(index, below)
    terms = apart(names, min(len(below), _COUNTED), len(everything)) if folder else ()
    people, places = ((), ()) if _is_code(below) else _recurring(names, len(below))
    whole = reading.of_leading(below)
    n = quotes.add(whole.doc, whole.start, whole.end) if whole else 0
    parts = []
    for shelf, entities in zip(shelves, counted, strict=True):
        own = apart(entities, min(len(shelf.documents), _COUNTED), len(everything))
        said = reading.of(shelf.documents, own)
        cited = n if said and said == whole else 0
        if said and not cited:
            cited = quotes.add(said.doc, said.start, said.end)
        parts.append(_part(shelf, own, cited))
    made = WholeMap(folder, "folder" if folder else "store", len(below), types=_types(below))
    return replace(
        _with_dates(index, made, below),
        n=n,
        people=people,
        places=places,
        terms=terms,
        parts=tuple(parts),
        more=more,
    )


def _inside(doc: str, folder: str) -> bool:
    return doc.startswith((f"{folder}/", f"{folder}#"))


def _common(documents: Sequence[ShelvedDocument], folder: str) -> str:
    """The deepest folder that holds all documents."""
    if not documents:
        return folder
    folders = {folder_of(one.doc) for one in documents}
    common = posixpath.commonpath([f"/{one}" for one in folders])[1:]
    return common or folder


def _shelves(
    index: SearchIndex, documents: Sequence[ShelvedDocument], folder: str
) -> tuple[list[_FolderPart], int]:
    """The parts of a folder, the largest first, and the number of those left out.

    They are what stands in it; groups by topic if these are too many to show half of it.
    """
    held: dict[str, list[ShelvedDocument]] = defaultdict(list)
    for one in documents:
        held[_child(one.doc, folder)].append(one)
    shelves = sorted(
        (_FolderPart(name, found) for name, found in held.items()),
        key=lambda shelf: (-len(shelf.documents), shelf.name),
    )
    if len(shelves) <= MOST_PARTS:
        return sorted(shelves, key=lambda shelf: shelf.name), 0
    shown = shelves[:MOST_PARTS]
    held_in = (len(shelf.documents) for shelf in shown if shelf.name.endswith("/"))
    if sum(held_in) >= _COVERED * len(documents):
        return shown, len(shelves) - len(shown)
    return _by_topic(index, documents), 0


def _child(doc: str, folder: str) -> str:
    """The folder, with a slash, or the document in ``folder`` that a document is in."""
    rest = doc[len(folder) + 1 :] if folder else doc
    inner, slash, _ = path_of(rest).partition("/")
    if slash or path_of(rest) != rest:
        return f"{doc[: len(doc) - len(rest)]}{inner}/"
    return doc


def _by_topic(index: SearchIndex, documents: Sequence[ShelvedDocument]) -> list[_FolderPart]:
    by_row = {one.row: one for one in documents}
    groups = topics(index, list(by_row))
    return [
        _FolderPart("", [by_row[row] for row in sorted(group)], named=False) for group in groups
    ]


def _spread(documents: Sequence[ShelvedDocument], most: int) -> Sequence[ShelvedDocument]:
    """At most ``most`` documents at equal distances."""
    return documents[:: max(1, -(-len(documents) // most))]


def _entities(index: SearchIndex, documents: Sequence[ShelvedDocument]) -> list[NamedThing]:
    return index.snapshot.shelf.named_in([one.row for one in _spread(documents, _COUNTED)])


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


def _part(shelf: _FolderPart, terms: tuple[str, ...], n: int) -> MapPart:
    shown = _spread(shelf.documents, MOST_TITLES)
    titles = tuple(dict.fromkeys(title_of(one) for one in shown))
    name = shelf.name if shelf.named else ", ".join(terms[:3])
    if n and len(shelf.documents) == 1:  # the sentence says more than its words
        terms = ()
    return MapPart(name, len(shelf.documents), titles, terms, n)


def _types(documents: Sequence[ShelvedDocument]) -> tuple[tuple[str, int], ...]:
    """The suffixes of the files, the most frequent first; "" for none."""
    found = Counter(posixpath.splitext(path_of(one.doc))[1][1:].lower() for one in documents)
    return tuple(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def _with_dates(
    index: SearchIndex, made: WholeMap, documents: Sequence[ShelvedDocument]
) -> WholeMap:
    """The map with the first and the last date: of fields and names, if enough documents have one,
    else of files."""
    found = {one.row: one for one in index.snapshot.facts.dates()}
    told = sorted(filter(None, (found[one.row].date[:10] or _date_in(one) for one in documents)))
    if told and len(told) >= _DATED * len(documents):
        return replace(made, since=told[0], until=told[-1], dated=True)
    files = sorted(filter(None, (found[one.row].modified_ns for one in documents)))
    if not files:
        return made
    return replace(made, since=_day(files[0]), until=_day(files[-1]))


def _date_in(found: ShelvedDocument) -> str:
    """The date or the year in the id or the title of a document; "" for none.

    >>> _date_in(ShelvedDocument(1, "a/minutes-2019-06-18.md", "")), _date_in(
    ...     ShelvedDocument(1, "a/1984.txt", "Report 2022-23"))
    ('2019-06-18', '1984')
    """
    date = _DATE.search(f"{found.doc}\n{found.title}")
    return "-".join(filter(None, date.groups())) if date else ""


def _day(nanoseconds: int) -> str:
    return datetime.datetime.fromtimestamp(nanoseconds / 1e9, datetime.UTC).date().isoformat()
