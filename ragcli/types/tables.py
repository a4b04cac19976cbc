"""Tables of documents, and what a query over them gave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ragcli.types.answers import Citation

CellKind = Literal["text", "number", "date"]
CellValue = str | int | float | None
"""A value of a cell: dates are ISO 8601 texts; None is an empty cell."""


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column: ``name`` in queries, ``head`` as the document writes it ("" without one).

    Numbers are given without ``unit``, which all cells of the column share. ``unread`` counts the
    cells with words in a column of numbers or dates; a query sees them as empty.
    """

    name: str
    head: str
    kind: CellKind = "text"
    unit: str = ""
    unread: int = 0


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table of a document: its ``number``-th, from 1 on.

    ``id`` is the id of the document with the number (``guide.md#t2``), ``name`` a short one for
    queries; either is unique among the tables that were asked for, but a short name may be "".
    ``rows`` counts the rows below the head, ``heads`` are the names of the columns as the document
    writes them. ``about`` is the sentence that announces the table, or the heading above it.
    """

    id: str
    name: str
    doc: str
    number: int
    rows: int
    heads: tuple[str, ...]
    about: str = ""
    store: str = ""


@dataclass(frozen=True, slots=True)
class QueriedTable:
    """A table that a query has read: ``name`` as the query has it, and its columns."""

    id: str
    name: str
    rows: int
    columns: tuple[TableColumn, ...]


@dataclass(frozen=True, slots=True)
class UsedRows:
    """Rows of a table, as (first, last) counted from 1 below the head, and how many they are."""

    table: str
    spans: tuple[tuple[int, int], ...]
    count: int


@dataclass(frozen=True, slots=True)
class ResultRow:
    """A row of a result, the rows of tables that it is made from, and citations of some of them.

    ``cited`` are numbers of citations: of each row where the query keeps rows apart, of the first
    ones where it joins many.
    """

    values: tuple[CellValue, ...]
    used: tuple[UsedRows, ...] = ()
    cited: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TableResult:
    """What a query gave. ``more``: there are further rows than the limit lets through.

    ``traced`` says whether the rows of the tables that each row of the result is made from are
    known. ``note`` tells what people should know of the values.
    """

    query: str
    columns: tuple[str, ...]
    rows: tuple[ResultRow, ...]
    tables: tuple[QueriedTable, ...]
    citations: tuple[Citation, ...] = ()
    more: bool = False
    traced: bool = True
    note: str = ""
