"""Roots: the folders and files that a store is built from.

For a root below the folder that contains the store, the path relative to the store is also kept, so
that a project can be moved or copied together with its store. ``home`` is the store's folder.
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
    """Add given roots, and update the current paths of known roots."""
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
    """Remove a root; the caller removes its documents."""
    with transaction(db):
        for row, known in _located(db, home):
            if known == path:
                db.execute("DELETE FROM roots WHERE id = ?", (row,))


def replace_roots(db: sqlite3.Connection, paths: Sequence[str]) -> None:
    """Replace all roots, in their order, with folders of the same content; none given: keep them.

    The relative paths are deleted, because they belong to the location of the exported store.
    """
    with transaction(db):
        db.execute("DELETE FROM relative_roots")
        if not paths:
            return
        rows = [row for (row,) in db.execute("SELECT id FROM roots ORDER BY id")]
        for row, path in zip(rows, paths, strict=True):
            db.execute("UPDATE roots SET path = ? WHERE id = ?", (os.fsencode(path), row))
        # Sizes and times of the files there do not apply to the files here.
        db.execute("UPDATE files SET mtime_ns = -1")


def moved_roots(db: sqlite3.Connection, home: Path) -> list[tuple[str, str]]:
    """(old path, new path) of roots that have moved with the store since the last run."""
    stored = {row: os.fsdecode(path) for row, path in db.execute("SELECT id, path FROM roots")}
    return [(stored[row], path) for row, path in _located(db, home) if stored[row] != path]


def moved(path: str, roots_: Sequence[tuple[str, str]]) -> str:
    """The current path of a file after ``roots_`` (see ``moved_roots``) have moved."""
    for former, now in roots_:
        if is_below(path, former):
            return now + path[len(former) :]
    return path


def from_here(path: str, here: str, project: str) -> str:
    """Return an absolute path as a person in the folder ``here`` writes it.

    It is relative inside ``here``, and inside the folder ``project`` if ``here`` is in there, too;
    otherwise it stays absolute.

    >>> from_here("/home/a/notes/b.md", "/home/a", "/home/a")
    'notes/b.md'
    >>> from_here("/home/a/b.md", "/home/a/notes", "/home/a"), from_here("/srv/b.md", "/", "/srv")
    ('../b.md', '/srv/b.md')
    """
    for folder in (here, project):
        is_top = os.path.dirname(folder) == folder  # noqa: PTH120
        if not is_top and is_below(path, folder) and is_below(here, folder):
            return os.path.relpath(path, here)
    return path


def is_below(path: str, folder: str) -> bool:
    """Whether a path is the folder, or in it."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _located(db: sqlite3.Connection, home: Path) -> list[tuple[int, str]]:
    """(row, path) of the roots: relative to the store if that path exists, otherwise as given."""
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
    """A root's path relative to the store; None if it is not below the store's parent folder."""
    store = home.absolute()
    project = str(store.parent)
    return os.path.relpath(path, store) if is_below(path, project) else None
