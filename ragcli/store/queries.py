"""Reads the answers to queries in the shapes that the parts of a store need."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

T = TypeVar("T")
Values = Sequence[Any] | Mapping[str, Any]

_AT_ONCE = 400
"""Placeholders in one statement; SQLite allows more."""


class Queries:
    """Queries over one connection: a part of a writer, or of a snapshot."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def _all(self, query: str, values: Values = ()) -> list[Any]:
        """All rows."""
        return self._db.execute(query, values).fetchall()

    def _first(self, query: str, values: Values = ()) -> Any:
        """The first row; None without one."""
        return self._db.execute(query, values).fetchone()

    def _value(self, query: str, values: Values = ()) -> Any:
        """The first value of the first row; None without a row."""
        return next(iter(self._first(query, values) or ()), None)

    def _column(self, query: str, values: Values = ()) -> list[Any]:
        """The first value of every row."""
        return [row[0] for row in self._db.execute(query, values)]

    def _records(self, kind: Callable[..., T], query: str, values: Values = ()) -> list[T]:
        """A record of every row."""
        return [kind(*row) for row in self._db.execute(query, values)]

    def _record(self, kind: Callable[..., T], query: str, values: Values = ()) -> T | None:
        """A record of the first row; None without one."""
        row = self._first(query, values)
        return None if row is None else kind(*row)


def marks(values: Iterable[object]) -> str:
    """A question mark for each value, for a list in a query."""
    return ",".join("?" for _ in values)


def parts(values: Sequence[T]) -> Iterator[Sequence[T]]:
    """The values in parts that fit into one statement."""
    for at in range(0, len(values), _AT_ONCE):
        yield values[at : at + _AT_ONCE]
