"""The commit point: what is pending becomes the next generation, all of it or nothing.

    gather -> aggregate -> fold folders -> embed names -> sweep -> derive -> flip

Everything happens in one transaction. The derived files of the next generation are complete on
disk before the transaction ends, so a reader never finds a generation without them.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from ragcli.corpus.sentences import sentences
from ragcli.extract.codec import unpack
from ragcli.graph import tree
from ragcli.graph.contribution import contribution
from ragcli.pipeline.clock import Clock
from ragcli.pipeline.tools import Tools, keep_vectors
from ragcli.search import lexical
from ragcli.search.derive import fill
from ragcli.store import derived, read
from ragcli.store.aggregate import Aggregates
from ragcli.store.connection import generation, set_meta
from ragcli.store.sweep import Sweeper
from ragcli.store.write import Writer, node_row, transaction
from ragcli.types import Chunk, Contribution, Event, Report


def commit(db: sqlite3.Connection, store: Path, tools: Tools, clock: Clock, report: Report) -> None:
    """Make the pending documents visible as a new generation; does nothing when there are none."""
    current = generation(db)
    if not _is_pending(db, current + 1):
        return
    with transaction(db):
        with clock.stage("graph"):
            sweeper = Sweeper(db)
            _aggregate(db, current + 1, report)
            sweeper.bury(current + 1)
        with clock.stage("folders"):
            _fold_folders(db, tools, sweeper)
        with clock.stage("names"):
            _embed_names(db, tools, report)
        with clock.stage("derive"):
            sweeper.sweep()
            set_meta(db, "generation", str(current + 1))
            report(Event("derive", 0, 1))
            derived.build(store, current + 1, lambda path: fill(path, db, current + 1))
    derived.prune(store, current + 1)
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _is_pending(db: sqlite3.Connection, pending: int) -> bool:
    row = db.execute(
        "SELECT EXISTS (SELECT 1 FROM documents WHERE born = ?)"
        " OR EXISTS (SELECT 1 FROM documents WHERE died = ?) OR ? = 1",
        (pending, pending, pending),
    ).fetchone()
    return bool(row[0])


def _aggregate(db: sqlite3.Connection, pending: int, report: Report) -> None:
    """Subtract what goes, add what comes: entities, relations and words."""
    dead = [r[0] for r in db.execute("SELECT id FROM documents WHERE died = ?", (pending,))]
    born = [r[0] for r in db.execute("SELECT id FROM documents WHERE born = ?", (pending,))]
    sums = Aggregates(db)
    for row in dead:
        chunks, gone = _stored(db, row)
        sums.subtract(gone)
        lexical.remove(db, _words(db, row, chunks))
    for done, row in enumerate(born):
        chunks, new = _stored(db, row)
        sums.add(new, [chunk_row for chunk_row, _ in chunks], _passage_rows(db, row))
        lexical.add(db, _words(db, row, chunks))
        if done % 64 == 0:
            report(Event("graph", done, len(born)))
    sums.flush()


def _stored(db: sqlite3.Connection, docrow: int) -> tuple[list[tuple[int, Chunk]], Contribution]:
    """A document's chunks with their rows, and what it adds to the graph."""
    rows = read.chunks_of(db, docrow)
    extractions = [
        unpack(read.blob(db, "extractions", key), c.text[c.owned - c.start :]) for _, c, key in rows
    ]
    title = _title(db, docrow)
    said = contribution([c for _, c, _ in rows], extractions, title)
    return [(row, c) for row, c, _ in rows], said


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


def _fold_folders(db: sqlite3.Connection, tools: Tools, sweeper: Sweeper) -> None:
    """Bring the nodes above the documents in line; those whose children stayed are kept."""
    leaves = [tree.Leaf(*row) for row in read.document_roots(db)]
    known = read.folder_nodes(db)
    wanted = {n.id: n for n in tree.folder_nodes(leaves, known, sentences)}
    sweeper.drop_nodes(sorted(known.keys() - wanted.keys()))
    new = [n for name, n in wanted.items() if name not in known]
    keys = keep_vectors(Writer(db), tools, [n.text for n in new])
    db.executemany(
        "INSERT INTO nodes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [node_row(n, None, key) for n, key in zip(new, keys, strict=True)],
    )


def _embed_names(db: sqlite3.Connection, tools: Tools, report: Report) -> None:
    """Vectors for names that are new or are now written another way."""
    rows = db.execute(
        "SELECT id, name FROM entities WHERE kind = 'name' AND vector IS NULL ORDER BY id"
    ).fetchall()
    report(Event("names", 0, len(rows)))
    keys = keep_vectors(Writer(db), tools, [name for _, name in rows])
    db.executemany(
        "UPDATE entities SET vector = ? WHERE id = ?",
        [(key, row) for (row, _), key in zip(rows, keys, strict=True)],
    )
