"""A database in memory in which a query can read the tables that it names, and do nothing else."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from ragcli.ending import lost_in
from ragcli.errors import InputError
from ragcli.search.tables.read import TableContent
from ragcli.search.tables.sql_shape import check_select, names_in_quotes, texts_in
from ragcli.types.tables import CellValue

_MOST_TABLES = 16
_LONGEST_VALUE = 1_000_000
"""Bytes of a text that a query makes: SQLite looks at no clock while a function searches one."""
_STEPS = 2_000
"""Steps of SQLite between two looks at the clock."""

_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: _LONGEST_VALUE,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 1_000_000,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 20,
    sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 60,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 200,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 100_000,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
_FUNCTIONS = frozenset(
    "abs avg ceil ceiling char coalesce concat concat_ws count cume_dist date datetime"
    " dense_rank exp first_value floor glob group_concat hex ifnull iif instr"
    " json_group_array julianday lag last_value lead length like likelihood likely ln log"
    " log10 log2 lower ltrim max min mod nth_value ntile nullif percent_rank pi pow power"
    " quote rank replace round row_number rtrim sign sqrt string_agg strftime substr"
    " substring sum time timediff total trim trunc typeof unicode unixepoch unlikely upper".split()
)
_MISSING = "no such table: "

Row = tuple[CellValue, ...]


class QueryTimeout(InputError):
    """A query took longer than it may."""


class TableSandbox:
    """Runs queries; ``load`` gives the content of a table that a query names.

    Nothing but SELECT is allowed, of loaded tables and of queries over them, with functions that
    have no effects; no recursion, no file, no extension.
    """

    def __init__(self, load: Callable[[str], TableContent], seconds: float) -> None:
        self._load = load
        self._left = seconds
        self._until = 0.0
        self.names: list[str] = []
        """The names of the loaded tables, as queries have them."""
        self._db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._db.execute("PRAGMA temp_store = MEMORY")
        self._db.execute("PRAGMA trusted_schema = OFF")
        for limit, most in _LIMITS.items():
            self._db.setlimit(limit, most)
        self._db.set_progress_handler(self._is_late, _STEPS)

    def close(self) -> None:
        """Forget all tables."""
        self._db.close()

    def run(self, query: str, most: int) -> tuple[list[str], list[Row], bool]:
        """The columns and at most ``most`` rows of a query, and whether there are more.

        Raises InputError for what is no query, is not allowed, or names no table or column;
        QueryTimeout.
        """
        check_select(query)
        while (missing := self._missing(query)) is not None:
            self._add(missing)
        with self._guarded():
            cursor = self._db.execute(query)
            rows = [_values(row) for row in cursor.fetchmany(most + 1)]
            heads = [column[0] for column in cursor.description or ()]
            cursor.close()
        return heads, rows[:most], len(rows) > most

    def _missing(self, query: str) -> str | None:
        """The first table of a query that is not loaded; None if all are, and all columns exist."""
        try:
            with self._guarded():
                steps = self._db.execute(f"EXPLAIN {query}").fetchall()
        except _UnknownTable as error:
            return error.name
        # SQLite takes a name in double quotes that it does not know for a text.
        texts = {step[5] for step in steps if step[1] == "String8"}
        if unknown := texts.intersection(names_in_quotes(query)) - texts_in(query):
            raise _no_query(f"no such column: {min(unknown)}")
        return None

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Inside, queries are checked and have a time limit."""
        self._db.set_authorizer(self._allows)
        began = time.monotonic()
        self._until = began + self._left
        try:
            yield
        except (sqlite3.Error, sqlite3.Warning) as error:
            if stopped := lost_in({type(self)._is_late.__code__, type(self)._allows.__code__}):
                raise stopped from None
            raise self._told(error) from error
        finally:
            self._db.set_authorizer(None)
            self._left -= time.monotonic() - began
            self._until = 0.0

    def _told(self, error: Exception) -> InputError:
        text = str(error).partition(" with text ")[0]
        if text.startswith(_MISSING):
            return _UnknownTable(text.removeprefix(_MISSING).removeprefix("main."))
        if text == "interrupted":
            return QueryTimeout("the query takes too long", "ask for less: add WHERE")
        if "not authorized" in text or "prohibited" in text:
            return InputError(
                f"the query may not do that: {text}",
                "it can SELECT from tables, with common functions and without recursion",
            )
        return _no_query(text)

    def _is_late(self) -> bool:
        return bool(self._until) and time.monotonic() > self._until

    def _allows(
        self, action: int, one: str | None, two: str | None, _base: str | None, _by: str | None
    ) -> int:
        """Whether a part of a query is allowed (``sqlite3.Connection.set_authorizer``)."""
        allowed = (
            action == sqlite3.SQLITE_SELECT
            or (action == sqlite3.SQLITE_READ and one in self.names)
            or (action == sqlite3.SQLITE_FUNCTION and (two or "").casefold() in _FUNCTIONS)
        )
        return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY

    def _add(self, name: str) -> None:
        if len(self.names) >= _MOST_TABLES:
            raise InputError(f"the query names more than {_MOST_TABLES} tables", "name fewer")
        content = self._load(name)
        columns = ", ".join(map(_quoted, (column.name for column in content.columns)))
        self._db.execute(f"CREATE TABLE {_quoted(name)} ({columns})")
        self.names.append(name)
        places = ", ".join("?" for _ in content.columns)
        self._db.executemany(
            f"INSERT INTO {_quoted(name)} VALUES ({places})", zip(*content.values, strict=True)
        )


class _UnknownTable(InputError):
    """A query names a table that is not loaded yet."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no table {name[:200]!r}")
        self.name = name


def _no_query(text: str) -> InputError:
    return InputError(f"the query cannot be run: {text}", _hint(text))


def _hint(text: str) -> str:
    if text.startswith("no such column"):
        return "list the columns of a table: ragcli table show ID"
    if "one statement" in text:
        return "leave out what is behind the semicolon"
    if "syntax error" in text:
        return 'put names that are words of SQL, or ids of tables, in double quotes: "order"'
    return 'for example: SELECT town, people FROM "towns.csv" WHERE people > 1000'


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _values(row: Sequence[object]) -> Row:
    """A row of a result as values; bytes, which only a function makes, as text."""
    return tuple(
        cell.decode("utf-8", "replace") if isinstance(cell, bytes) else cell  # type: ignore[misc]
        for cell in row
    )
