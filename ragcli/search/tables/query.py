"""Asks a query of the tables that it names, and tells the rows behind each row of the result."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

import orjson

from ragcli.errors import InputError
from ragcli.search.tables.named import NamedTables, TablePlace
from ragcli.search.tables.read import TableContent, read_table
from ragcli.search.tables.sandbox import Row, TableSandbox
from ragcli.search.tables.sql_shape import QueryShape, shape_of

SECONDS = 5.0
"""Seconds that a query may take, without the time to load its tables."""
MOST_ROWS = 1_000_000
"""Rows of all tables of a query."""


@dataclass(frozen=True, slots=True)
class Used:
    """Rows of a table, counted from 0, that make a row of a result: ``first`` is the one to show
    first, that of the least or the greatest value."""

    table: str
    rows: tuple[int, ...]
    first: int | None = None


@dataclass(frozen=True, slots=True)
class QueryRows:
    """The result of a query; ``used`` has an item for each row, None where the rows of the tables
    cannot be told. ``tables`` are those that were read, by their names in the query."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    used: tuple[tuple[Used, ...], ...] | None
    tables: dict[str, tuple[TablePlace, TableContent]]
    more: bool


def run_query(tables: NamedTables, query: str, most: int, seconds: float = SECONDS) -> QueryRows:
    """The first rows of a query, at most ``most``. Raises the errors of ``TableSandbox.run``."""
    found: dict[str, tuple[TablePlace, TableContent]] = {}
    left = MOST_ROWS

    def load(name: str) -> TableContent:
        nonlocal left
        place = tables.place(name)
        left -= place.block.rows
        if left < 0:
            raise InputError(f"the tables have more than {MOST_ROWS:,} rows")
        content = read_table(tables.snapshot(place), place.row, place.doc, place.block)
        found[name] = place, content
        return content

    with closing(TableSandbox(load, seconds)) as sandbox:
        columns, rows, more = sandbox.run(query, most)
        shape = shape_of(query)
        used = _traced(sandbox, query, shape, rows, most) if shape else None
    return QueryRows(tuple(columns), tuple(rows), used, found, more)


def _traced(
    sandbox: TableSandbox, query: str, shape: QueryShape, rows: Sequence[Row], most: int
) -> tuple[tuple[Used, ...], ...] | None:
    """The rows of tables behind each row; None where the query with their numbers differs."""
    names = [_loaded(sandbox, name) for name, _ in shape.sources]
    if "" in names:
        return None
    try:
        again = sandbox.run(shape.traced(query), most)[1]
    except InputError:
        return None  # two tables may have one name, or time is over
    width = len(rows[0]) if rows else 0
    if [row[:width] for row in again] != list(rows):
        return None
    return tuple(tuple(_used(names, row[width:])) for row in again)


def _loaded(sandbox: TableSandbox, name: str) -> str:
    """The loaded table with a name in any case; "" for none."""
    return next((one for one in sandbox.names if one.casefold() == name.casefold()), "")


def _used(names: Sequence[str], numbers: Row) -> list[Used]:
    """The rows of tables, from the columns that ``QueryShape.traced`` adds: firsts, then rows."""
    count = len(names)
    found: list[Used] = []
    for name, first, rows in zip(names, numbers[:count], numbers[count:], strict=True):
        listed = orjson.loads(rows) if isinstance(rows, str) else [rows]
        kept = tuple(sorted({int(row) - 1 for row in listed if row is not None}))
        found.append(Used(name, kept, int(first) - 1 if first is not None else None))
    return found
