"""Tables of stores: which there are, and what a query over them gives, with citations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import pairwise
from typing import Any

from ragcli.asking.answer_json import citation_json
from ragcli.asking.several import NamedIndex
from ragcli.mapping import Quotes
from ragcli.search.tables import NamedTables, QueryRows, TablePlace, Used, run_query
from ragcli.text.words import counted
from ragcli.types import Citation
from ragcli.types.tables import QueriedTable, ResultRow, StoredTable, TableResult, UsedRows

CITED_OF_MANY = 3
"""Rows of a table that are cited for a row of a result that joins many."""
MOST_CITED = 200


class TablesOf:
    """The tables of open stores; with several, ``names`` has a short name for the folder of each,
    with which the ids of its tables begin."""

    def __init__(self, stores: Sequence[NamedIndex], names: Mapping[str, str]) -> None:
        self._stores = stores
        self._tables = NamedTables([(names.get(one.name, ""), one.index) for one in stores])

    def listed(self) -> list[StoredTable]:
        """Every table, by store and document."""
        every = self._tables.listed()
        return [replace(table, store=self._stores[at].name) for at, table in every]

    def show(self, name: str, rows: int) -> TableResult:
        """The columns and the first rows of a table, given by its id or its name."""
        quoted = name.replace('"', '""')
        return self.query(f'SELECT * FROM "{quoted}"', rows)

    def query(self, query: str, rows: int) -> TableResult:
        """The first ``rows`` of a query. Raises InputError for what is no query over tables."""
        return _result(query, self._stores, run_query(self._tables, query, rows))


def table_result_json(found: TableResult) -> dict[str, Any]:
    """The result of a query, its citations as those of answers."""
    return {**asdict(found), "citations": [citation_json(one) for one in found.citations]}


def _result(query: str, stores: Sequence[NamedIndex], found: QueryRows) -> TableResult:
    cited = _Cited(stores, found)
    made = [
        ResultRow(values, tuple(map(cited.spans, used)), tuple(cited.numbers(used)))
        for values, used in zip(found.rows, found.used or [()] * len(found.rows), strict=True)
    ]
    tables = tuple(
        QueriedTable(place.id, name, len(content.spans), content.columns)
        for name, (place, content) in found.tables.items()
    )
    traced = found.used is not None
    note = "; ".join(_notes(found))
    return TableResult(
        query, found.columns, tuple(made), tables, tuple(cited.found), found.more, traced, note
    )


def _notes(found: QueryRows) -> Iterator[str]:
    for name, (_, content) in found.tables.items():
        for column in content.columns:
            if column.unread:
                cells = counted(column.unread, "cell")
                yield f"{cells} of {name}.{column.name} counted as empty: no {column.kind}"
        if content.left_out:
            yield f"{counted(content.left_out, 'column')} of {name} left out"


class _Cited:
    """Cites rows of tables, each once."""

    def __init__(self, stores: Sequence[NamedIndex], found: QueryRows) -> None:
        self.found: list[Citation] = []
        self._tables = found.tables
        self._quotes = [Quotes(store.index, store.name) for store in stores]
        self._known: dict[tuple[str, int], int] = {}

    def spans(self, used: Used) -> UsedRows:
        """The rows of a table as runs of numbers."""
        return UsedRows(self._place(used).id, tuple(runs(used.rows)), len(used.rows))

    def numbers(self, used: Sequence[Used]) -> Iterator[int]:
        """The citations of the rows behind a row of the result."""
        for one in used:
            rows = one.rows if one.first is None else (one.first, *one.rows)
            for row in list(dict.fromkeys(rows))[:CITED_OF_MANY]:
                if number := self._number(one, row):
                    yield number

    def _number(self, used: Used, row: int) -> int:
        """The number of the citation of a row; 0 when there are too many."""
        key = used.table, row
        if key not in self._known and len(self.found) < MOST_CITED:
            place, content = self._tables[used.table]
            self._known[key] = number = len(self.found) + 1
            cite = self._quotes[place.at].cite
            self.found.append(cite(place.doc, *content.spans[row], number))
        return self._known.get(key, 0)

    def _place(self, used: Used) -> TablePlace:
        return self._tables[used.table][0]


def runs(rows: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Rising numbers from 0 on as runs of numbers from 1 on.

    >>> list(runs([0, 1, 2, 7])), list(runs([]))
    ([(1, 3), (8, 8)], [])
    """
    if not rows:
        return
    first = rows[0]
    for row, after in pairwise(rows):
        if after != row + 1:
            yield first + 1, row + 1
            first = after
    yield first + 1, rows[-1] + 1
