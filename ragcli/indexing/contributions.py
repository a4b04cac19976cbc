"""Bringing the sums in line: what goes is subtracted, what comes is added.

A document's contribution follows from its own text, extractions and findings. When a language
model has read more of it while the text stayed, it is taken away as it was and added as it is now.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from ragcli.extract.codec import unpack, unpack_findings
from ragcli.graph.contribution import contribution
from ragcli.search import lexical
from ragcli.store import read
from ragcli.store.entity_sums import EntitySums
from ragcli.store.profiles import TouchedProfiles
from ragcli.store.sweep import loosen
from ragcli.types import Chunk, Contribution, Event, Report

# chunk row -> hash of what a language model found there (in the table extractions), or None
Found = Mapping[int, bytes | None]


def aggregate(
    db: sqlite3.Connection, pending: int, found: Found, touched: TouchedProfiles, report: Report
) -> None:
    """Entities, relations, words and what is said, for all that changes with a generation.

    ``found`` are findings that chunks have from now on, of pending documents or of those that
    stay as they are.
    """
    dead = [r[0] for r in db.execute("SELECT id FROM documents WHERE died = ?", (pending,))]
    born = [r[0] for r in db.execute("SELECT id FROM documents WHERE born = ?", (pending,))]
    again = sorted(set(_changed(db, found)) - set(born) - set(dead))
    touched.gather([*dead, *again])
    sums = EntitySums(db)
    for row in dead:
        chunks, gone = _stored(db, row)
        sums.subtract(gone)
        lexical.remove(db, _words(db, row, chunks))
    for row in again:
        sums.subtract(_stored(db, row)[1])
        _clear(db, row)
    _loosen(db, found)
    db.executemany(
        "UPDATE chunks SET findings = ? WHERE id = ?", [(key, row) for row, key in found.items()]
    )
    for done, row in enumerate([*born, *again]):
        chunks, new = _stored(db, row)
        sums.add(new, [chunk_row for chunk_row, _ in chunks], _passage_rows(db, row))
        if done < len(born):
            lexical.add(db, _words(db, row, chunks))
        if done % 64 == 0:
            report(Event("graph", done, len(born) + len(again)))
    sums.flush()
    touched.gather([*born, *again])


def _changed(db: sqlite3.Connection, found: Found) -> list[int]:
    """Document rows with a chunk whose findings are others than they were."""
    rows: dict[int, None] = {}
    for chunk, key in found.items():
        doc, before = db.execute(
            "SELECT doc, findings FROM chunks WHERE id = ?", (chunk,)
        ).fetchone()
        if before != key:
            rows[doc] = None
    return list(rows)


def _clear(db: sqlite3.Connection, docrow: int) -> None:
    """Delete what hangs on a document's chunks and passages and is about to be added anew."""
    for table in ("chunk_entities", "descriptions", "statements"):
        db.execute(
            f"DELETE FROM {table} WHERE chunk IN (SELECT id FROM chunks WHERE doc = ?)", (docrow,)
        )
    db.execute(
        "DELETE FROM passage_entities WHERE passage IN (SELECT id FROM passages WHERE doc = ?)",
        (docrow,),
    )


def _loosen(db: sqlite3.Connection, found: Found) -> None:
    """Leave the findings that others take the place of to the sweep."""
    for chunk in found:
        loosen(db, "SELECT findings FROM chunks WHERE id = ? AND findings IS NOT NULL", (chunk,))


def _stored(db: sqlite3.Connection, docrow: int) -> tuple[list[tuple[int, Chunk]], Contribution]:
    """A document's chunks with their rows, and what it adds to the graph."""
    rows = read.chunks_of(db, docrow)
    extractions = [
        unpack(read.blob(db, "extractions", key), c.text[c.owned - c.start :]) for _, c, key in rows
    ]
    chunks = [(row, c) for row, c, _ in rows]
    found = [unpack_findings(d) if d else None for d in read.findings_of(db, docrow)]
    said = contribution([c for _, c in chunks], extractions, _title(db, docrow), found)
    return chunks, said


def _title(db: sqlite3.Connection, docrow: int) -> str:
    row = db.execute("SELECT title FROM documents WHERE id = ?", (docrow,)).fetchone()
    return str(row[0])


def _passage_rows(db: sqlite3.Connection, docrow: int) -> list[int]:
    """Rows of a document's passages, in the order of ``read.chunks_of``."""
    rows = db.execute(
        "SELECT p.id FROM passages p JOIN chunks c ON c.id = p.chunk"
        " WHERE p.doc = ? ORDER BY c.ordinal, p.id",
        (docrow,),
    )
    return [row for (row,) in rows]


def _words(
    db: sqlite3.Connection, docrow: int, chunks: list[tuple[int, Chunk]]
) -> list[tuple[int, str, str]]:
    """(passage row, title, text) of a document's passages, as the lexical index takes them."""
    title = _title(db, docrow)
    by_row = dict(chunks)
    passages = db.execute(
        'SELECT id, chunk, start, "end" FROM passages WHERE doc = ?', (docrow,)
    ).fetchall()
    out = []
    for row, chunk, start, end in passages:
        c = by_row[chunk]
        out.append((row, f"{title}\n{c.heading}", c.text[start - c.start : end - c.start]))
    return out
