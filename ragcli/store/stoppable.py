"""SQLite connections that pass on Ctrl-C and SIGTERM from the functions that SQLite calls.

SQLite replaces an exception in such a function with an error of its own. Callers take some of those
errors for damage and go on, so the signal would be lost.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, TypeVar, cast

from ragcli.ending import lost_in
from ragcli.store.live_views import live_rows_only
from ragcli.store.packing import SQL_FUNCTIONS

_CALLED_BY_SQLITE = SQL_FUNCTIONS | {live_rows_only.__code__}


def _raise_lost() -> None:
    if stopped := lost_in(_CALLED_BY_SQLITE):
        raise stopped


_Method = TypeVar("_Method", bound=Callable[..., Any])


def _stoppable(method: _Method) -> _Method:
    """Let a method of a cursor raise what a signal raised in a function that SQLite called."""

    @wraps(method)
    def called(*args: Any) -> Any:
        try:
            return method(*args)
        except sqlite3.Error:
            _raise_lost()
            raise

    return cast("_Method", called)


class _StoppableCursor(sqlite3.Cursor):
    execute = _stoppable(sqlite3.Cursor.execute)
    executemany = _stoppable(sqlite3.Cursor.executemany)
    executescript = _stoppable(sqlite3.Cursor.executescript)
    fetchone = _stoppable(sqlite3.Cursor.fetchone)
    fetchmany = _stoppable(sqlite3.Cursor.fetchmany)
    fetchall = _stoppable(sqlite3.Cursor.fetchall)

    def __iter__(self) -> Iterator[Any]:  # type: ignore[override]
        try:
            yield from iter(super().__next__, None)  # no row is None
        except sqlite3.Error:
            _raise_lost()
            raise


class StoppableConnection(sqlite3.Connection):
    """A connection whose statements end with KeyboardInterrupt or SystemExit after a signal."""

    def cursor(self, factory: Any = _StoppableCursor) -> Any:
        """Return a cursor that is stoppable, too."""
        return super().cursor(factory)

    def execute(self, *args: Any) -> Any:
        """Execute a statement with a new cursor, which is returned."""
        return self.cursor().execute(*args)

    def executemany(self, *args: Any) -> Any:
        """Execute a statement with each of several rows of parameters."""
        return self.cursor().executemany(*args)

    def executescript(self, *args: Any) -> Any:
        """Execute several statements."""
        return self.cursor().executescript(*args)
