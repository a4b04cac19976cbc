"""The commit point: what is pending becomes the next generation, all of it or nothing.

    gather -> aggregate -> fold folders -> embed names -> profiles -> hierarchy
           -> sweep -> derive -> flip

Everything happens in one transaction. The derived files of the next generation are complete on
disk before the transaction ends, so a reader never finds a generation without them.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from ragcli.enriching.profile_summaries import ModelSummaries
from ragcli.enriching.profiles import extractively, remake
from ragcli.indexing.contributions import Found, aggregate
from ragcli.indexing.folder_summaries import fold_folders, touched_folders
from ragcli.indexing.hierarchy_update import bring_in_line
from ragcli.models.model_set import ModelSet
from ragcli.search import derive
from ragcli.search.vector_cache import keep_vectors
from ragcli.stage_timer import Clock
from ragcli.store import derived, history
from ragcli.store.connection import shorten_log
from ragcli.store.hierarchy import ClusterWords, is_due, put_words
from ragcli.store.meta import generation, set_meta
from ragcli.store.profiles import TouchedProfiles
from ragcli.store.sweep import Sweeper
from ragcli.store.writer import StoreWriter, transaction
from ragcli.types import Event, Report

NOTHING: Found = {}


def commit(
    db: sqlite3.Connection,
    store: Path,
    tools: ModelSet,
    clock: Clock,
    report: Report,
    found: Found = NOTHING,
    summaries: ModelSummaries | None = None,
    words: ClusterWords | None = None,
) -> None:
    """Make the pending documents visible as a new generation; does nothing when there are none.

    ``found``: what a language model has found since in chunks, whose documents may stay as they
    are: such a document is taken away from the sums and added again (an upgrade in place).
    ``summaries``: a language model's, which take the place of the profiles that wait for them;
    ``words``: what one wrote of the hierarchy as it is, when nothing else has changed.
    """
    current = generation(db)
    if not (found or summaries or words or _is_pending(db, current + 1) or is_due(db)):
        return
    with transaction(db):
        # Without sound files of the generation before, everything is derived anew.
        notes = None if derive.problem(store, current) else derive.journal(db)
        with clock.stage("graph"):
            sweeper = Sweeper(db)
            touched = TouchedProfiles(db)
            aggregate(db, current + 1, found, touched, report)
            history.record(db, current + 1)
            StoreWriter(db).apply_moves()
            folders = touched_folders(db, current + 1)
            sweeper.bury(current + 1)
        with clock.stage("folders"):
            fold_folders(db, tools, sweeper, folders)
        with clock.stage("names"):
            _embed_names(db, tools, report)
        with clock.stage("profiles"):
            if summaries:
                touched.gather_waiting(summaries.marks)
            remake(db, tools, touched, report, summaries or extractively)
        with clock.stage("hierarchy"):
            if words:
                put_words(db, words)
            else:
                bring_in_line(db, tools, report)
        with clock.stage("derive"):
            sweeper.sweep()
            set_meta(db, "generation", str(current + 1))
            report(Event("derive", 0, 1))
            if notes:
                derive.update(store, db, current + 1, notes)
                notes.close()
            else:
                derive.build(store, db, current + 1)
    derived.prune(store, current + 1)
    shorten_log(db)


def _is_pending(db: sqlite3.Connection, pending: int) -> bool:
    row = db.execute(
        "SELECT EXISTS (SELECT 1 FROM documents WHERE born = ?)"
        " OR EXISTS (SELECT 1 FROM documents WHERE died = ?)"
        " OR EXISTS (SELECT 1 FROM moves) OR ? = 1",
        (pending, pending, pending),
    ).fetchone()
    return bool(row[0])


def _embed_names(db: sqlite3.Connection, tools: ModelSet, report: Report) -> None:
    """Vectors for names that are new or are now written another way."""
    rows = db.execute(
        "SELECT id, name FROM entities WHERE kind = 'name' AND vector IS NULL ORDER BY id"
    ).fetchall()
    report(Event("names", 0, len(rows)))
    keys = keep_vectors(StoreWriter(db), tools, [name for _, name in rows], report)
    db.executemany(
        "UPDATE entities SET vector = ? WHERE id = ?",
        [(key, row) for (row, _), key in zip(rows, keys, strict=True)],
    )
