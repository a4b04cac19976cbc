"""Roots: the folders and files that a store is built from.

A root below the folder that holds the store is also kept relative to the store, so that a project
that is moved or copied together with its store keeps working. ``home`` is the store's folder.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from ragcli.store.transaction import transaction


def roots(db: sqlite3.Connection, home: Path) -> list[str]:
    """Absolute paths of the roots, in order of first use; a root need not exist."""
    return [path for _, path in _located(db, home)]


def add_roots(db: sqlite3.Connection, home: Path, paths: Sequence[str]) -> None:
    """Remember roots that were given, and where those known already lie now."""
    with transaction(db):
        located = _located(db, home)
        for former, path in moved_roots(db, home):
            db.execute(
                "UPDATE OR IGNORE roots SET path = ? WHERE path = ?",
                (os.fsencode(path), os.fsencode(former)),
            )
            for source, file in db.execute("SELECT source, path FROM files").fetchall():
                new = os.fsencode(moved(os.fsdecode(file), [(former, path)]))
                if new != file:
                    db.execute("UPDATE files SET path = ? WHERE source = ?", (new, source))
        known = {path for _, path in located}
        for path in dict.fromkeys(paths):
            if path not in known:
                db.execute("INSERT OR IGNORE INTO roots (path) VALUES (?)", (os.fsencode(path),))
        for row, stored in db.execute("SELECT id, path FROM roots").fetchall():
            relative = _relative(os.fsdecode(stored), home)
            if relative is not None:
                db.execute(
                    "INSERT OR REPLACE INTO relative_roots VALUES (?, ?)",
                    (row, os.fsencode(relative)),
                )


def forget_root(db: sqlite3.Connection, home: Path, path: str) -> None:
    """Remove a root; its documents are the caller's to remove."""
    with transaction(db):
        for row, known in _located(db, home):
            if known == path:
                db.execute("DELETE FROM roots WHERE id = ?", (row,))


def replace_roots(db: sqlite3.Connection, paths: Sequence[str]) -> None:
    """Exchange all roots, in their order, for others that hold the same; none given: keep them.

    Where they lay beside the store is forgotten: it was another store's place.
    """
    with transaction(db):
        db.execute("DELETE FROM relative_roots")
        if not paths:
            return
        rows = [row for (row,) in db.execute("SELECT id FROM roots ORDER BY id")]
        for row, path in zip(rows, paths, strict=True):
            db.execute("UPDATE roots SET path = ? WHERE id = ?", (os.fsencode(path), row))
        # What files looked like there says nothing about those here.
        db.execute("UPDATE files SET mtime_ns = -1")


def moved_roots(db: sqlite3.Connection, home: Path) -> list[tuple[str, str]]:
    """(where it was, where it is) of roots that have moved with the store since the last run."""
    stored = {row: os.fsdecode(path) for row, path in db.execute("SELECT id, path FROM roots")}
    return [(stored[row], path) for row, path in _located(db, home) if stored[row] != path]


def moved(path: str, roots_: Sequence[tuple[str, str]]) -> str:
    """Where a file is now that ``roots_`` (see ``moved_roots``) have moved."""
    for former, now in roots_:
        if path == former or path.startswith(former.rstrip(os.sep) + os.sep):
            return now + path[len(former) :]
    return path


def _located(db: sqlite3.Connection, home: Path) -> list[tuple[int, str]]:
    """(row, path) of the roots: as seen from the store if something is there, else as given."""
    rows = db.execute(
        "SELECT r.id, r.path, l.path FROM roots r LEFT JOIN relative_roots l ON l.root = r.id"
        " ORDER BY r.id"
    ).fetchall()
    return [(row, _locate(os.fsdecode(path), near, home)) for row, path, near in rows]


def _locate(path: str, near: bytes | None, home: Path) -> str:
    if near is None:
        return path
    here = os.path.normpath(os.path.join(home.absolute(), os.fsdecode(near)))  # noqa: PTH118
    return path if not os.path.lexists(here) and os.path.lexists(path) else here


def _relative(path: str, home: Path) -> str | None:
    """A root's path as seen from the store; None when it does not lie beside the store."""
    store = home.absolute()
    project = str(store.parent)
    if path != project and not path.startswith(project.rstrip(os.sep) + os.sep):
        return None
    return os.path.relpath(path, store)
