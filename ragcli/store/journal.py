"""Triggers that record which rows of some tables change during a commit.

Triggers see the effect of every statement, including cascades, so writers need not report changes.
The records are temporary tables of one connection and are removed with the transaction.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from ragcli.store import scratch


@dataclass(frozen=True, slots=True)
class Watched:
    """A table, its key columns, and the columns whose change matters.

    ``by_writer``: its writer makes the notes, because a row holds more than one key. ``former``: a
    column whose value before the change is noted, too.
    """

    table: str
    keys: tuple[str, ...]
    values: tuple[str, ...]
    by_writer: bool = False
    former: str = ""


class Journal:
    """Records the keys of inserted, deleted and changed rows, and whether each existed before."""

    def __init__(self, db: sqlite3.Connection, tables: Iterable[Watched]) -> None:
        """Start watching; inside a transaction, so that a rollback also removes the notes."""
        self._db = db
        self._tables = {w.table: w for w in tables}
        # Otherwise rows that INSERT OR REPLACE removes would not be noted.
        db.execute("PRAGMA recursive_triggers = ON")
        for watched in self._tables.values():
            self._watch(watched)

    def name(self, table: str) -> str:
        """The temporary table of a watched table's notes: its key columns, ``was``, 0 or 1, and
        the noted column, NULL if the row was not there."""
        return f"temp.{scratch.notes_of(table)}"

    def _watch(self, w: Watched) -> None:
        notes = scratch.notes_of(w.table)
        scratch.make_notes(self._db, w.table, w.keys, w.former)
        if w.by_writer:
            return
        changed = " OR ".join(f"old.{v} IS NOT new.{v}" for v in w.values)
        for event, row, was in (
            ("INSERT", "new", 0),
            ("DELETE", "old", 1),
            (f"UPDATE OF {', '.join(w.values)}", "new", 1),
        ):
            when = f"WHEN {changed}" if event.startswith("UPDATE") else ""
            same = " AND ".join(f"{k} = {row}.{k}" for k in w.keys)
            former = "" if not w.former else f", old.{w.former}" if was else ", NULL"
            # Not OR IGNORE: the policy of the statement that fires the trigger would win over it.
            # The first note of a row stays: it says whether the row existed before.
            self._db.execute(
                f"CREATE TEMP TRIGGER {notes}_{event[:6]} AFTER {event} ON main.{w.table} {when}"
                f" BEGIN INSERT INTO {notes} SELECT {', '.join(f'{row}.{k}' for k in w.keys)},"
                f" {was}{former} WHERE NOT EXISTS (SELECT 1 FROM {notes} WHERE {same}); END"
            )

    def close(self) -> None:
        """Stop watching and drop the notes."""
        for table, watched in self._tables.items():
            notes = scratch.notes_of(table)
            for event in () if watched.by_writer else ("INSERT", "DELETE", "UPDATE"):
                self._db.execute(f"DROP TRIGGER temp.{notes}_{event}")
            scratch.drop(self._db, notes)
        self._db.execute("PRAGMA recursive_triggers = OFF")
