"""merge: check the shards -> copy their documents -> commit -> move the store to its place.

The store is built beside its place, in ``NAME.merging``. When a merge is stopped, the shards are as
they were, there is no store at its place, and the next merge begins again.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from ragcli.config import Settings
from ragcli.corpus.shard import Shard, is_divided
from ragcli.enriching.cluster_naming import NamingOutcome, check_writer
from ragcli.enriching.describing import DescribeOutcome
from ragcli.errors import InputError, StoreError, StoreVersion
from ragcli.indexing.commit import CommitContext, commit
from ragcli.indexing.run_report import RunReport
from ragcli.models.model_set import ModelSet
from ragcli.search.kept_vectors import carry_vectors
from ragcli.stage_timer import StageTimer
from ragcli.store.connection import FILE, create, make_folder, merge_draft, remove_files
from ragcli.store.derived import DERIVED, VECTORS
from ragcli.store.durable import sync
from ragcli.store.fresh_vectors import remove_fresh
from ragcli.store.lock import writer_lock
from ragcli.store.merging import ShardFacts, copy_shards, copy_values, facts_of
from ragcli.store.writer import open_writer
from ragcli.text.words import counted
from ragcli.types import Event, IndexResult, Report, silent

# Shards that a message names.
_NAMED = 10


@dataclass(frozen=True, slots=True)
class MergeRequest:
    """The ``shards`` to merge into the new ``store``.

    ``roots``: the folders on this machine, in the order of the shards' own (none: those).
    ``partial``: some shards may be missing. ``hierarchy``, ``hierarchy_by``: as of an index.
    """

    shards: tuple[Path, ...]
    store: Path
    roots: tuple[Path, ...] = ()
    partial: bool = False
    hierarchy: bool = False
    hierarchy_by: str = ""


def merge(request: MergeRequest, settings: Settings, report: Report = silent) -> IndexResult:
    """Make one store of all shards of a folder; it equals one that was indexed at once.

    No text of a document is read, analysed or embedded again. Raises InputError (not all shards,
    or of other folders), StoreError, StoreVersion (other models or settings), ModelError.
    """
    models = ModelSet(settings)
    _check_place(request.store)
    shards = [facts_of(folder) for folder in request.shards]
    for shard in shards:
        _check_shard(shard)
    shards.sort(key=lambda shard: Shard.parse(shard.shard).number)
    done = RunReport()
    done.notes += _check_set(shards, partial=request.partial)
    _check_alike(shards, models.prints())
    roots = _roots(shards, request.roots)
    check_writer(request.hierarchy_by, settings)
    draft = merge_draft(request.store)
    make_folder(draft)
    # Not before the lock is held: the draft may be that of a merge in another process.
    with writer_lock(draft), _removed_if_stopped(draft):
        result = _Merge(request, shards, roots, models, report, done).into(draft)
    with _removed_if_stopped(draft):
        report(Event("swap", 0, 1))
        _move(draft, request.store)
    return result


@contextmanager
def _removed_if_stopped(draft: Path) -> Iterator[None]:
    """Remove a draft after an error, Ctrl-C or SIGTERM."""
    try:
        yield
    except (Exception, KeyboardInterrupt, SystemExit):
        shutil.rmtree(draft, ignore_errors=True)
        raise


def _check_place(store: Path) -> None:
    if (store / FILE).exists():
        raise InputError(f"{store} already contains a store", "name another place with --store")
    if store.exists() and (not store.is_dir() or any(store.iterdir())):
        raise InputError(f"{store} is not an empty folder", "name another place with --store")


def _check_shard(shard: ShardFacts) -> None:
    if not shard.shard:
        raise InputError(
            f"{shard.folder} is not a shard",
            "make shards with: ragcli index FOLDER --shard I/N --store DIR",
        )
    if not shard.finished:
        raise StoreError(
            f"the shard in {shard.folder} is not finished",
            f"finish it on its machine with: ragcli update --store {shard.folder}",
        )


def _check_set(shards: Sequence[ShardFacts], *, partial: bool) -> list[str]:
    """Raise InputError unless each shard is there once; returns notes for the user."""
    if not shards:
        raise InputError("no shard given", "name the stores that index --shard has made")
    places = [Shard.parse(shard.shard) for shard in shards]
    total = places[0].of
    for shard, place in zip(shards, places, strict=True):
        if place.of != total:
            raise InputError(
                f"{shards[0].folder} is shard {places[0]}, {shard.folder} is shard {place}",
                "all shards must be made with the same number of shards",
            )
    for place, count in Counter(places).items():
        if count > 1:
            both = [str(s.folder) for s in shards if s.shard == str(place)]
            raise InputError(f"shard {place} is given {count} times: {', '.join(both)}")
    notes = []
    if missing := sorted({*range(1, total + 1)} - {place.number for place in places}):
        named = ", ".join(map(str, missing[:_NAMED])) + (" ..." if missing[_NAMED:] else "")
        lack = f"{len(missing)} of {total} shards missing: {named}"
        if not partial:
            raise InputError(lack, "name all shards, or merge what is there with --partial")
        notes.append(f"{lack}; ragcli update reads their documents from the folder")
    if len({shard.scanned for shard in shards}) > 1:
        notes.append(
            "the shards saw different files: the folder changed between their runs, or its copies"
            " differ; ragcli update reads what has changed"
        )
    return notes


def _check_alike(shards: Sequence[ShardFacts], prints: dict[str, str]) -> None:
    """Raise StoreVersion or InputError if shards differ from the settings or one another."""
    for shard in shards:
        for name in sorted(shard.prints.keys() | prints.keys()):
            if shard.prints.get(name) != prints.get(name):
                raise StoreVersion(
                    f"{shard.folder} was built with {name} {shard.prints.get(name)},"
                    f" but now it is {prints.get(name)}",
                    "use the same settings and version for all shards and for merge",
                )
    first = shards[0]
    for shard in shards[1:]:
        for name, one, other in (
            ("--include and --exclude", first.patterns, shard.patterns),
            ("--mode", first.mode, shard.mode),
        ):
            if one != other:
                raise InputError(
                    f"{first.folder} and {shard.folder} were made with different {name}:"
                    f" {one} and {other}",
                    "make all shards with the same options",
                )


def _roots(shards: Sequence[ShardFacts], given: Sequence[Path]) -> list[str]:
    """The folders of the new store. Raises InputError if the shards have different ones."""
    first = shards[0]
    for shard in shards[1:]:
        # Ids of documents below a further root begin with its name.
        names = [[Path(root).name for root in s.raw_roots[1:]] for s in (first, shard)]
        if len(first.raw_roots) != len(shard.raw_roots) or names[0] != names[1]:
            raise InputError(
                f"{first.folder} and {shard.folder} have different folders:"
                f" {', '.join(first.raw_roots)} and {', '.join(shard.raw_roots)}",
                "make all shards from the same folders, in the same order",
            )
    if given:
        if len(given) != len(first.raw_roots):
            raise InputError(
                f"the shards were built from {counted(len(first.raw_roots), 'folder')},"
                f" {len(given)} given",
                f"give --root once for each of: {', '.join(first.raw_roots)}",
            )
        return [str(path.absolute()) for path in given]
    for found in ([s.roots for s in shards], [s.raw_roots for s in shards]):
        if len(set(found)) == 1:
            return list(found[0])
    raise InputError(
        f"the folder has different places: {', '.join(sorted({s.raw_roots[0] for s in shards}))}",
        "name the folder on this machine with --root",
    )


@dataclass(frozen=True, slots=True)
class _Merge:
    request: MergeRequest
    shards: Sequence[ShardFacts]
    roots: list[str]
    models: ModelSet
    report: Report
    done: RunReport

    def into(self, draft: Path) -> IndexResult:
        """Build the store in a folder, in place of what a stopped merge has left there."""
        remove_files(draft)
        remove_fresh(draft)
        for place in (DERIVED, VECTORS):
            shutil.rmtree(draft / place, ignore_errors=True)
        create(draft)
        clock = StageTimer()
        with open_writer(draft, self.request.store.absolute()) as store:
            store.meta.check_fingerprint(self.models.prints())
            with clock.stage("merge"):
                copy_values(store, self.shards)
                store.sources.add_roots(self.roots)
                if self.request.roots or all(shard.at_home for shard in self.shards):
                    store.sources.confirm()
                copy_shards(store, self.shards, self.roots, carry_vectors, self.report)
            if len(self.shards) < Shard.parse(self.shards[0].shard).of:
                store.sources.distrust([s for s in store.sources.files() if is_divided(s)])
            pending = store.documents.newest()
            self.done.added.update({doc: version.sha256 for doc, version in pending.items()})
            store.hierarchy.ask_for(self.request.hierarchy or None, self.request.hierarchy_by)
            commit(CommitContext(store, self.models, clock, self.report))
            store.sweep_all()
            rates = [shard.rate for shard in self.shards if shard.rate]
            store.meta.keep_run(clock.stages, sum(rates) / len(rates) if rates else 0.0)
            failures = store.sources.failures()
            result = self.done.result(store, clock, DescribeOutcome(), NamingOutcome())
        notes = result.notes
        if failures:
            unread = counted(len(failures), "document")
            notes += (f"{unread} cannot be read; ragcli inspect docs lists them",)
        return replace(result, notes=notes)


def _move(draft: Path, store: Path) -> None:
    """Move the finished store to its place, in one step."""
    (draft / "lock").unlink(missing_ok=True)
    if store.exists():
        store.rmdir()  # Windows replaces no folder; it is empty.
    os.rename(draft, store)  # noqa: PTH104
    sync(store.absolute().parent)
