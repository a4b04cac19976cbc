"""Whether a store was made where it lies, so that the folders that it names may be read.

A store can come with a folder from another person. It can name any folders, and the next update
would read them. So a run records the place and the owner of the store that it writes. Elsewhere,
folders outside of the project must be named once. A bundle has no place: all its folders must be.
"""

from __future__ import annotations

import os
import sqlite3
from hashlib import sha256
from pathlib import Path

from ragcli.store.meta import get_meta, set_meta

_PLACE, _ALL = "place", "unconfirmed roots"


def is_at_home(db: sqlite3.Connection, home: Path) -> bool:
    """Whether the last run wrote the store in this folder, for the same owner."""
    return get_meta(db, _PLACE) == _place(db, home)


def unconfirmed(db: sqlite3.Connection, home: Path, roots: list[str]) -> list[str]:
    """Those of the store's roots that an update may not read yet."""
    if get_meta(db, _ALL):
        return roots
    if is_at_home(db, home):
        return []
    project = Path(os.path.realpath(home)).parent
    return [root for root in roots if not Path(os.path.realpath(root)).is_relative_to(project)]


def confirm(db: sqlite3.Connection, home: Path) -> None:
    """Let updates read all roots of a store in this folder."""
    set_meta(db, _PLACE, _place(db, home))
    set_meta(db, _ALL, "")


def distrust(db: sqlite3.Connection) -> None:
    """Let updates read no root before a person has named it."""
    set_meta(db, _PLACE, "")
    set_meta(db, _ALL, "1")


def _place(db: sqlite3.Connection, home: Path) -> str:
    """A hash, so that a store that is passed on does not reveal where it was."""
    _, _, file = db.execute("PRAGMA main.database_list").fetchone()
    owner = Path(file).stat().st_uid
    return sha256(b"%d " % owner + os.fsencode(os.path.realpath(home))).hexdigest()
