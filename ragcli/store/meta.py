"""Values that a store keeps by name: its generation, settings and rates (table ``meta``)."""

from __future__ import annotations

import sqlite3

import orjson

from ragcli.errors import StoreVersion


def get_meta(db: sqlite3.Connection, key: str, default: str = "") -> str:
    row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return default if row is None else str(row[0])


def set_meta(db: sqlite3.Connection, key: str, value: str) -> None:
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


def generation(db: sqlite3.Connection) -> int:
    """The generation that readers see; 0 before the first commit point."""
    return int(get_meta(db, "generation", "0"))


def check_fingerprint(db: sqlite3.Connection, wanted: dict[str, str]) -> None:
    """Refuse a store whose models or settings differ from those asked for; record them if new."""
    stored = get_meta(db, "fingerprint")
    if not stored:
        set_meta(db, "fingerprint", orjson.dumps(wanted, option=orjson.OPT_SORT_KEYS).decode())
        return
    found: dict[str, str] = orjson.loads(stored)
    for key in sorted(found.keys() | wanted.keys()):
        if found.get(key) != wanted.get(key):
            raise StoreVersion(
                f"the store was made with {key} {found.get(key)}, now it is {wanted.get(key)}",
                "use the former setting, or build it anew with: ragcli index --rebuild FOLDER",
            )
