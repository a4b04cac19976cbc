"""Reads the findings of a store that is rebuilt; it may have another format, and may be damaged."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from ragcli.store.connection import FILE, connect
from ragcli.store.generations import LIVE
from ragcli.store.meta import generation


@dataclass(frozen=True, slots=True)
class FormerFindings:
    """The packed findings of a chunk with the ``text`` of document ``doc``."""

    doc: str
    text: str
    data: bytes


def former_findings(
    store: Path, wanted: Callable[[bytes, bytes], bool]
) -> list[FormerFindings] | None:
    """The findings of the committed chunks for which ``wanted(key, data)``.

    None if they cannot be read; the store may be rebuilt for that very reason.
    """
    query = (
        "SELECT d.doc, plain_text(c.text), plain_data(x.data), x.hash"
        " FROM chunks c JOIN documents d ON d.id = c.doc"
        f" JOIN extractions x ON x.hash = c.findings WHERE {LIVE} ORDER BY d.doc, c.ordinal"
    )
    try:
        with closing(connect(store / FILE, readonly=True)) as db:
            rows = db.execute(query, {"g": generation(db)})
            return [FormerFindings(*row) for *row, key in rows if wanted(key, row[2])]
    except sqlite3.Error:
        return None
