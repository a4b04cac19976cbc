"""The commit point: what is pending becomes the next generation, all of it or nothing.

    gather -> aggregate -> fold folders -> embed names -> profiles -> hierarchy
           -> sweep -> derive -> publish

Everything happens in one transaction. The files of the next generation, vectors and derived ones,
are complete on disk before the transaction ends, so a reader never finds a generation without them.
"""

from __future__ import annotations

from dataclasses import dataclass

from ragcli.enriching.additions import NOTHING, Additions
from ragcli.enriching.profiles import extractively, remake
from ragcli.indexing.contributions import bring_sums_in_line
from ragcli.indexing.folder_summaries import fold_folders, touched_folders
from ragcli.indexing.hierarchy_update import bring_in_line
from ragcli.indexing.restoring import restorer
from ragcli.models.model_set import ModelSet
from ragcli.search import derive
from ragcli.search.vector_cache import keep_codes
from ragcli.stage_timer import StageTimer
from ragcli.store import derived
from ragcli.store.writer import StoreWriter
from ragcli.types import Event, Report


@dataclass(frozen=True, slots=True)
class CommitContext:
    """What all commits of a run share."""

    store: StoreWriter
    models: ModelSet
    clock: StageTimer
    report: Report


def commit(context: CommitContext, additions: Additions = NOTHING) -> None:
    """Make the pending documents visible as a new generation; does nothing when there are none."""
    store, clock, report = context.store, context.clock, context.report
    if not (additions or store.has_changes()):
        return
    new = store.generation + 1
    restore = restorer(store, context.models)
    if not store.is_first() and derive.vector_problem(store.folder, new - 1):
        derive.mend_vectors(store, restore)
    with store.durable_transaction():
        notes = derive.journal(store)
        touched = store.profiles.touched()
        with clock.stage("graph"):
            store.begin_sweep()
            bring_sums_in_line(store, additions.findings, touched, report)
            store.record_history()
            store.documents.apply_moves()
            folders = touched_folders(store.documents.pending())
            store.documents.bury()
        with clock.stage("folders"):
            fold_folders(store, context.models, folders)
        with clock.stage("names"):
            _embed_names(context)
        with clock.stage("profiles"):
            if additions.summaries:
                touched.gather_waiting(additions.summaries.marks)
            remake(store, context.models, touched, report, additions.summaries or extractively)
        with clock.stage("hierarchy"):
            if additions.words:
                store.hierarchy.put_words(additions.words)
            else:
                kept = derive.kept_vectors(store, new - 1, notes)
                bring_in_line(store, context.models, kept, report)
        with clock.stage("derive"):
            store.sweep()
            store.publish(new)
            report(Event("derive", 0, 1))
            derive.derive_current(store, notes, restore)
    derived.prune(store.folder, new)
    store.shorten_log()


def _embed_names(context: CommitContext) -> None:
    """Embed names that are new or whose spelling changed."""
    names = context.store.names.without_vector()
    context.report(Event("names", 0, len(names)))
    keys = keep_codes(context.store, context.models, list(names.values()), context.report)
    context.store.names.set_vectors(names, keys)
