"""The tables of open stores, by id and by name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from posixpath import basename, split, splitext

from ragcli.errors import InputError
from ragcli.search.scoped_index import ScopedIndex
from ragcli.search.search_index import SearchIndex
from ragcli.search.tables.read import heads_of, identifier
from ragcli.store.snapshot import Snapshot
from ragcli.store.snapshot.tables import TableBlock
from ragcli.text.words import one_line
from ragcli.types.document_ids import parts_of
from ragcli.types.tables import StoredTable

_NUMBERED = re.compile(r"(?s:(?P<doc>.*))#t(?P<number>[1-9]\d{0,5})", re.IGNORECASE)
_SHORT = re.compile(r"(?P<name>.*)_(?P<number>[1-9]\d{0,5})")
_SHOWN = 5
"""Tables that a message names."""


@dataclass(frozen=True, slots=True)
class TablePlace:
    """Where a table is: its store, its document, and its block there."""

    id: str
    at: int
    row: int
    doc: str
    number: int
    block: TableBlock


@dataclass(frozen=True, slots=True)
class _TableHome:
    """A document of a store that may have tables; ``names`` are short ones for queries."""

    at: int
    row: int
    doc: str
    names: tuple[str, ...]
    shown: str


class NamedTables:
    """The tables of some documents of stores, each with its name ("" for a single one)."""

    def __init__(self, stores: Sequence[tuple[str, SearchIndex]]) -> None:
        self.stores = stores

    def snapshot(self, place: TablePlace) -> Snapshot:
        """The open store of a table."""
        return self.stores[place.at][1].snapshot

    def listed(self) -> Iterator[tuple[int, StoredTable]]:
        """Every table with a row, with the place of its store, by store and place."""
        counts = Counter(name for document in self._documents for name in document.names)
        found = self._tables(self._documents)
        for document in self._documents:
            places = found.get((document.at, document.row), [])
            for place in places:
                number = f"_{place.number}" if len(places) > 1 else ""
                name = next((name for name in document.names if counts[name] == 1), "")
                yield document.at, self._stored(place, name and name + number)

    def _about(self, place: TablePlace) -> str:
        """The sentence that announces a table, or the heading above it."""
        snapshot = self.snapshot(place)
        if lead := place.block.lead:
            return one_line(snapshot.documents.text(place.doc, *lead))
        return snapshot.tables.heading(place.row, place.block.start)

    def place(self, given: str) -> TablePlace:
        """The table with an id or a name. Raises InputError for none, and for several."""
        found = self._with_id(given) or self._with_name(given)
        if len(found) == 1:
            return found[0]
        if not found:
            raise InputError(
                f"there is no table {given[:200]!r}", "list the tables: ragcli table list"
            )
        named = ", ".join(f'"{place.id}"' for place in found[:_SHOWN])
        raise InputError(f"{len(found)} tables are called {given[:200]!r}", f"say which: {named}")

    def _with_id(self, given: str) -> list[TablePlace]:
        """The table with an id, or the tables of a document with that id."""
        numbered = _NUMBERED.fullmatch(given)
        found = self._places(shown=given)
        if found or not numbered:
            return found
        return _numbered(self._places(shown=numbered["doc"]), numbered["number"])

    def _with_name(self, given: str) -> list[TablePlace]:
        """The tables with a short name."""
        found = self._places(name=given.casefold())
        if numbered := _SHORT.fullmatch(given.casefold()):
            found += _numbered(self._places(name=numbered["name"]), numbered["number"])
        return found

    def _places(self, *, shown: str = "", name: str = "") -> list[TablePlace]:
        """The tables of the documents with an id, or with a short name."""
        wanted = [one for one in self._documents if one.shown == shown or name in one.names]
        return [place for places in self._tables(wanted).values() for place in places]

    @cached_property
    def _documents(self) -> list[_TableHome]:
        return [
            _TableHome(at, row, doc, short_names(doc), f"{store}:{doc}" if store else doc)
            for at, (store, index) in enumerate(self.stores)
            for doc, row in sorted((doc, row) for row, doc in _rows(index))
        ]

    def _tables(self, documents: Sequence[_TableHome]) -> dict[tuple[int, int], list[TablePlace]]:
        """The tables of documents that have a row, by the document's store and row."""
        known = {(one.at, one.row): one for one in documents}
        found: dict[tuple[int, int], list[TablePlace]] = {}
        for at, (_, index) in enumerate(self.stores):
            rows = [row for which, row in known if which == at]
            for row, blocks in index.snapshot.tables.of_documents(rows):
                one = known[at, row]
                found[at, row] = [
                    TablePlace(f"{one.shown}#t{n}", at, row, one.doc, n, block)
                    for n, block in enumerate(blocks, 1)
                    if block.rows
                ]
        return found

    def _stored(self, place: TablePlace, short: str) -> StoredTable:
        snapshot, block = self.snapshot(place), place.block
        heads = tuple(heads_of(snapshot, place.doc, block))
        return StoredTable(
            place.id, short, place.doc, place.number, block.rows, heads, self._about(place)
        )


def _numbered(places: Sequence[TablePlace], number: str) -> list[TablePlace]:
    return [place for place in places if place.number == int(number)]


def _rows(index: SearchIndex) -> list[tuple[int, str]]:
    """(row, id) of the documents of an index."""
    every = index.snapshot.facts.ids()
    if not isinstance(index, ScopedIndex):
        return every
    wanted = set(index.documents.tolist())
    return [(row, doc) for row, doc in every if row in wanted]


def short_names(doc: str) -> tuple[str, ...]:
    """Names for a document's tables in queries: that of its file, or of the sheet in it, and the
    same with what holds it.

    >>> short_names("data/Big planets.csv"), short_names("a/b.xlsx#Sales 2020")
    (('big_planets', 'data_big_planets'), ('sales_2020', 'b_sales_2020'))
    """
    *outer, last = parts_of(doc)
    folder, file = split(last) if not outer else (basename(outer[-1]), last)
    names = [identifier(splitext(name)[0]) for name in (basename(folder), file)]
    return tuple(dict.fromkeys("_".join(filter(None, part)) for part in (names[1:], names)))
