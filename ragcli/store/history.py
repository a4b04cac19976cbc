"""The changes of each generation: documents added, changed and removed, names gained and lost.

A commit deletes the rows of removed documents. The history keeps a hash and a count for each, so
that any two generations can be compared. The digest excludes the history, because stores of equal
content may have different histories.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ragcli.errors import InputError
from ragcli.store import scratch
from ragcli.store.generations import BORN, DIES, LIVE, NEWEST
from ragcli.store.meta import begins_after, generation, now
from ragcli.store.snapshot import Snapshot
from ragcli.store.transaction import transaction


@dataclass(frozen=True, slots=True)
class Change:
    """A document in an older and in a newer generation; "" and 0 where it is absent."""

    doc: str
    former_sha256: str
    sha256: str
    former_chunks: int
    chunks: int
    at: str


def note_names(db: sqlite3.Connection) -> None:
    """Record which entities in the temporary table ``touched`` are names, before a change.

    The first record in a transaction is kept. In an empty store every name is gained, so nothing
    is recorded.
    """
    if generation(db):
        scratch.ensure(db, "former_names")
        db.execute(
            "INSERT OR IGNORE INTO former_names SELECT e.key, e.name, e.kind = 'name'"
            " FROM touched t JOIN entities e ON e.id = t.id"
        )


def record(db: sqlite3.Connection) -> None:
    """Record the changes of the pending generation, before the ended documents are deleted."""
    pending = generation(db) + 1
    documents: dict[str, list[tuple[str, int]]] = {}
    for side, which in enumerate((DIES, BORN)):
        rows = db.execute(
            "SELECT doc, sha256, (SELECT count(*) FROM chunks c WHERE c.doc = d.id)"
            f" FROM documents d WHERE {which}",
            {"pending": pending},
        )
        for doc, sha256, chunks in rows:
            documents.setdefault(doc, [("", 0), ("", 0)])[side] = (sha256, chunks)
    at = now()
    db.executemany(
        "INSERT OR REPLACE INTO history VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (pending, doc, old[0], new[0], old[1], new[1], at)
            for doc, (old, new) in documents.items()
        ],
    )
    if generation(db):
        _record_names(db, pending)


def _record_names(db: sqlite3.Connection, pending: int) -> None:
    if not scratch.exists(db, "former_names"):
        return
    db.execute(
        "INSERT OR REPLACE INTO name_history"
        " SELECT ?, f.key, coalesce(e.name, f.name), f.was = 0"
        " FROM former_names f LEFT JOIN entities e ON e.key = f.key"
        " WHERE f.was <> (coalesce(e.kind, '') = 'name')",
        (pending,),
    )
    scratch.drop(db, "former_names")


def go_on_from_other(db: sqlite3.Connection) -> None:
    """Continue the history of the attached store ``other``, which this store replaces.

    The changes of the current generation become the difference of the two stores. If the other
    history is damaged, only this store's own history is kept.
    """
    try:
        with transaction(db):
            db.execute("DELETE FROM history")
            db.execute("DELETE FROM name_history")
            db.execute("INSERT INTO history SELECT * FROM other.history")
            db.execute("INSERT INTO name_history SELECT * FROM other.name_history")
            db.execute("DELETE FROM meta WHERE key = 'begins_after'")
            db.execute("INSERT INTO meta SELECT * FROM other.meta WHERE key = 'begins_after'")
            _record_difference(db, generation(db))
    except sqlite3.DatabaseError as error:
        absent = "no such" in str(error) or "columns but" in str(error)
        if isinstance(error, sqlite3.OperationalError) and not absent:
            raise


def _record_difference(db: sqlite3.Connection, at: int) -> None:
    """Record the differences from the attached store as generation ``at``."""
    documents = (
        "SELECT doc, sha256, (SELECT count(*) FROM {0}.chunks c WHERE c.doc = d.id) AS chunks"
        " FROM {0}.documents d WHERE "
    )
    after = documents.format("main") + NEWEST
    before = documents.format("other") + LIVE
    (former,) = db.execute("SELECT value FROM other.meta WHERE key = 'generation'").fetchone()
    db.execute(
        f"WITH after AS ({after}), before AS ({before}) INSERT INTO main.history"
        " SELECT :at, a.doc, coalesce(b.sha256, ''), a.sha256, coalesce(b.chunks, 0), a.chunks,"
        "  :time FROM after a LEFT JOIN before b ON b.doc = a.doc"
        "  WHERE b.doc IS NULL OR b.sha256 <> a.sha256"
        " UNION ALL SELECT :at, b.doc, b.sha256, '', b.chunks, 0, :time"
        "  FROM before b WHERE b.doc NOT IN (SELECT doc FROM after)",
        {"at": at, "time": now(), "g": int(former)},
    )
    names = "SELECT key, name FROM {}.entities WHERE kind = 'name'"
    for won, here, there in ((1, "main", "other"), (0, "other", "main")):
        db.execute(
            "INSERT INTO main.name_history"
            f" SELECT ?, key, name, ? FROM ({names.format(here)})"
            f" WHERE key NOT IN (SELECT key FROM ({names.format(there)}))",
            (at, won),
        )


def interval(snapshot: Snapshot, old: int | None, new: int | None) -> tuple[int, int]:
    """The two generations to compare: by default the current one and the one before ``new``.

    Raises InputError when the store has no such generation.
    """
    current, unknown = snapshot.generation, begins_after(snapshot.db)
    if new is None:
        new = current
    if old is None:
        old = max(new - 1, 0) if new - 1 > unknown else 0
    for wanted in (old, new):
        if wanted != 0 and not unknown < wanted <= current:
            first = f"0 and {unknown + 1}" if unknown else "0"
            raise InputError(
                f"no generation {wanted}: the store has {first} to {current}",
                "the current one: ragcli inspect stats",
            )
    return old, new


def diff(snapshot: Snapshot, old: int, new: int) -> Iterator[dict[str, Any]]:
    """What changes from generation ``old`` to ``new``: documents by id, then names.

    A removed document and an added one of equal content count as renamed.
    """
    db = snapshot.db
    turned = old > new
    changes = list(_net(db, min(old, new), max(old, new)))
    if turned:
        changes = [
            Change(c.doc, c.sha256, c.former_sha256, c.chunks, c.former_chunks, c.at)
            for c in changes
        ]
    yield from _documents(changes)
    for name, won in _names(db, min(old, new), max(old, new)):
        yield {"change": "gained" if won != turned else "lost", "entity": name}


def _net(db: sqlite3.Connection, old: int, new: int) -> Iterator[Change]:
    """The former and the new state of each document that differs between the generations."""
    rows = db.execute(
        "SELECT doc, former_sha256, sha256, former_chunks, chunks, at FROM history"
        " WHERE generation > ? AND generation <= ? ORDER BY doc, generation",
        (old, new),
    )
    spans: dict[str, tuple[Change, Change]] = {}
    for change in (Change(*row) for row in rows):
        first, _ = spans.get(change.doc, (change, change))
        spans[change.doc] = (first, change)
    for first, last in spans.values():
        if first.former_sha256 != last.sha256:
            yield replace(
                last, former_sha256=first.former_sha256, former_chunks=first.former_chunks
            )


def _documents(changes: list[Change]) -> Iterator[dict[str, Any]]:
    gone: dict[str, list[Change]] = {}
    for change in changes:
        if not change.sha256:
            gone.setdefault(change.former_sha256, []).append(change)
    former: dict[str, Change] = {}
    for change in changes:
        if not change.former_sha256 and gone.get(change.sha256):
            former[change.doc] = gone[change.sha256].pop(0)
    left = {change.doc for change in former.values()}
    for c in changes:
        if c.doc not in left:
            before = former.get(c.doc, c)
            yield {
                "change": "renamed" if c.doc in former else _kind(c),
                "doc": c.doc,
                "former": before.doc if c.doc in former else "",
                "chunks": c.chunks,
                "former_chunks": before.former_chunks,
                "sha256": c.sha256,
                "at": c.at,
            }


def _kind(change: Change) -> str:
    if not change.sha256:
        return "removed"
    return "changed" if change.former_sha256 else "added"


def _names(db: sqlite3.Connection, old: int, new: int) -> list[tuple[str, bool]]:
    """(name, whether it was gained) for names in only one of the two generations, sorted."""
    if old == 0:
        return sorted((name, True) for name in _present(db, new).values())
    rows = db.execute(
        "SELECT key, name, won FROM name_history WHERE generation > ? AND generation <= ?"
        " ORDER BY key, generation",
        (old, new),
    )
    net: dict[str, tuple[str, int, int]] = {}
    for key, name, won in rows:
        net[key] = (name, net.get(key, (name, won, won))[1], won)
    return sorted((name, bool(last)) for name, first, last in net.values() if first == last)


def _present(db: sqlite3.Connection, at: int) -> dict[str, str]:
    """Names by key in generation ``at``: the current ones with all later changes undone."""
    if not at:
        return {}
    names = dict(db.execute("SELECT key, name FROM entities WHERE kind = 'name'"))
    rows = db.execute(
        "SELECT key, name, won FROM name_history WHERE generation > ? ORDER BY generation DESC",
        (at,),
    )
    for key, name, won in rows:
        if won:
            names.pop(key, None)
        else:
            names[key] = name
    return names
