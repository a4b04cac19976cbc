"""index: scan -> read -> chunk -> extract -> summarise -> embed -> write -> commit.

``update`` runs the same steps over what changed; ``index`` is an update of an empty store. Each
document is written in one transaction and stays pending until the commit point. When a run is
killed, its pending documents stay, and the next run continues after them.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from ragcli.config import Settings
from ragcli.corpus.read_limits import ReadLimits
from ragcli.ending import ending_in_order
from ragcli.enriching.additions import Additions
from ragcli.enriching.chunk_reading import choose_chunk_reader
from ragcli.enriching.cluster_naming import NamingOutcome, choose_cluster_namer
from ragcli.enriching.describing import DescribeOutcome
from ragcli.enriching.findings import are_recorded, attach, carry_over, keep_recorded, take_back
from ragcli.enriching.recorded_extractions import match
from ragcli.errors import InputError
from ragcli.extract.pool import ExtractorPool
from ragcli.indexing.changes import (
    FinishedSource,
    FreshDocument,
    MovedRecord,
    ReadFailure,
    ReadPlan,
    stream,
)
from ragcli.indexing.checks import check_request, taking_over
from ragcli.indexing.commit import CommitContext, commit
from ragcli.indexing.document_worker import tasks_of
from ragcli.indexing.early_start import begun_models
from ragcli.indexing.prepare import (
    Item,
    Prepared,
    batches,
    chunk_settings,
    prepare,
    read_limits,
    texts_of,
)
from ragcli.indexing.ray_engine import each_worked
from ragcli.indexing.request import IndexRequest
from ragcli.indexing.run_report import RunReport, count_words
from ragcli.indexing.scan_plan import dropped_patterns, scan_for_changes
from ragcli.models.model_set import ModelSet
from ragcli.search.kept_vectors import carry_vectors
from ragcli.search.vector_cache import EmbedQueue
from ragcli.stage_timer import StageTimer
from ragcli.store.connection import FILE, create, make_folder, remove_if_empty
from ragcli.store.content_keys import text_hash, unknown
from ragcli.store.documents import DocumentVersion, NewDocument
from ragcli.store.findings import ChunkFindings
from ragcli.store.former_findings import FormerFindings, former_findings
from ragcli.store.hierarchy import ClusterWords
from ragcli.store.lock import writer_lock
from ragcli.store.rebuild import FormerStore, abandon, begin, finish, former_store
from ragcli.store.writer import StoreWriter, open_writer
from ragcli.types import Event, IndexResult, Report, Skipped, silent

# Passages that are embedded and written together; also the most work that a killed run loses.
BATCH = 256
# Batches that are being extracted and embedded while another is read and chunked.
AHEAD = 2
# Bytes of files that this process extracts itself: in the second or two that this takes, worker
# processes would hardly have loaded the pipeline.
LITTLE = 150_000


def index(request: IndexRequest, settings: Settings, report: Report = silent) -> IndexResult:
    """Update a store from its folders; create it if there is none.

    Raises InputError (nothing to index), StoreLocked, StoreVersion, StoreDamaged, ModelError.
    """
    with closing(begun_models(request, settings)) as models:
        return index_with(models, request, report)


def index_with(models: ModelSet, request: IndexRequest, report: Report = silent) -> IndexResult:
    """The same with models that the caller closes."""
    folder = request.store
    there = (folder / FILE).is_file()
    if not request.paths and not there:
        raise InputError("nothing to index: no path given and no store here")
    former = former_store(folder) if there else FormerStore()
    check_request(taking_over(request, former), models, former.mode)
    make_folder(folder)
    with writer_lock(folder), _nothing_left_behind(folder, there):
        if there and request.rebuild:
            return _rebuild(request, models, report)
        # Without paths there is a store, or the rest of one, which must not become an empty store.
        if request.paths:
            create(folder)
        with open_writer(folder) as writer:
            writer.clear_drafts()
            return _Run(writer, request, models, report).result()


@contextmanager
def _nothing_left_behind(store: Path, there: bool) -> Iterator[None]:
    """When a run fails before a new store holds anything, remove what was made for it."""
    try:
        yield
    except Exception:
        if not there:
            remove_if_empty(store)
        raise


def _rebuild(request: IndexRequest, models: ModelSet, report: Report) -> IndexResult:
    """Build a new store beside the old one, which readers see until the new one is complete."""
    former = former_store(request.store)
    try:
        draft = begin(request.store, former, models.embedder_print, carry_vectors)
        with open_writer(draft, request.store) as writer:
            run = _Run(writer, taking_over(request, former), models, report)
            run.former = former_findings(request.store, are_recorded)
            result = run.result()
        report(Event("swap", 0, 1))
        finish(request.store, draft)
    except Exception:
        abandon(request.store)
        raise
    return result


class _Run:
    """The state of one run: its store, its models, and its report."""

    def __init__(
        self, store: StoreWriter, request: IndexRequest, models: ModelSet, report: Report
    ) -> None:
        self._store = store
        self._request = request
        self._models = models
        self._report = report
        self._clock = StageTimer()
        self._done = RunReport()
        self._described = DescribeOutcome()
        self._words = NamingOutcome()
        self.former: list[FormerFindings] | None = []
        """Recorded findings of the store that is rebuilt; None if they cannot be read."""

    def result(self) -> IndexResult:
        """Run all steps."""
        self._store.meta.check_fingerprint(self._models.prints())
        with self._clock.stage("scan"):
            versions = self._store.documents.newest()
            if dropped := dropped_patterns(self._store, self._request):
                self._done.notes.append(dropped)
            limits = read_limits(self._models.settings)
            seen, todo = scan_for_changes(self._store, self._request, versions, limits)
        self._done.missing_roots = seen.missing
        reader = choose_chunk_reader(self._store, self._request.mode, self._models)
        self._done.unchanged = todo.unchanged
        self._done.skipped += seen.skipped
        self._store.sources.left_out(seen.skipped, whole=not self._request.only)
        self._done.failed_before += todo.stopped
        self._remove(todo.gone, versions)
        models = self._models
        work = self._work_here if self._request.engine == "local" else self._work_on_cluster
        with closing(work(todo, versions, limits)) as done:
            for batch in done:
                self._write(batch)
                self._progress(batch, todo)
        self._store.hierarchy.ask_for(self._request.hierarchy, self._request.hierarchy_by)
        # A missing model for the hierarchy must be reported before hours of asking.
        namer = choose_cluster_namer(self._store, reader.model if reader else None, models)
        self._commit(Additions(self._recorded()))
        minutes = self._request.minutes
        deadline = None if minutes is None else time.monotonic() + 60 * minutes
        with ending_in_order():
            if reader is not None:
                with self._clock.stage("describe"):
                    self._described = reader.read(models, self._commit, self._report, deadline)
            if namer is not None:
                with self._clock.stage("words"):
                    self._words = namer.write(self._show_words, self._report, deadline)
        self._done.remember(self._store, self._clock)
        return self._done.result(self._store, self._clock, self._described, self._words)

    def _work_here(
        self, todo: ReadPlan, versions: dict[str, DocumentVersion], limits: ReadLimits
    ) -> Generator[list[Item]]:
        """Read, chunk, extract and embed on this machine; batches to write."""
        models = self._models
        if not versions and not self._request.rebuild:  # no text has a vector yet
            models.expect(sum(source.size for source in todo.read))
        with (
            ExtractorPool(
                str(models.spacy_path), self._workers(todo), self._report, models.pipelines
            ) as pool,
            EmbedQueue(self._store, models, self._report) as queue,
        ):
            ready = self._prepared(stream(todo.read, versions, limits, todo.shard))
            yield from self._computed(batches(ready, BATCH), pool, queue)

    def _work_on_cluster(
        self, todo: ReadPlan, versions: dict[str, DocumentVersion], limits: ReadLimits
    ) -> Generator[list[Item]]:
        """Let workers read, chunk, extract and embed; batches to write, with their content kept."""
        tasks = list(tasks_of(todo, versions, limits))
        models = self._models
        address = self._request.address
        with closing(each_worked(tasks, models.settings, models.prints(), address)) as results:
            while True:
                with self._clock.stage("cluster"):
                    worked = next(results, None)
                if worked is None:
                    return
                self._store.extractions.keep(worked.extractions)
                self._store.vectors.keep(worked.vectors)
                yield worked.items

    def _workers(self, todo: ReadPlan) -> int:
        """As set, else 1 for little text, which this process extracts sooner while it embeds."""
        little = sum(source.size for source in todo.read) <= LITTLE
        return 1 if little and not self._models.settings.workers else self._models.workers

    def _commit(self, additions: Additions) -> None:
        commit(CommitContext(self._store, self._models, self._clock, self._report), additions)

    def _show_words(self, words: ClusterWords) -> None:
        self._commit(Additions(words=words))

    def _recorded(self) -> list[ChunkFindings]:
        """Assign findings that need no model; returns those of unchanged documents."""
        carry_over(self._store)
        self._take_back()
        if self._request.extractions is None:
            return []
        with self._clock.stage("recorded"):
            found = match(self._store, self._request.extractions)
            self._done.unmatched = found.unmatched
            return attach(self._store, keep_recorded(self._store, found.findings))

    def _take_back(self) -> None:
        """Give chunks the recorded findings that the store before a rebuild had for their text."""
        again = "run: ragcli update --extractions FILE"
        if self.former is None:
            self._done.notes.append(
                "the former store cannot be read; if it had recorded extractions, " + again
            )
            return
        kept, lost = take_back(self._store, self.former)
        if kept:
            attach(self._store, keep_recorded(self._store, kept))
        if lost:
            self._done.notes.append(
                f"{lost} chunks with recorded extractions have another text now and lost them; "
                + again
            )

    def _remove(self, sources: Sequence[str], versions: dict[str, DocumentVersion]) -> None:
        gone = set(sources)
        by_source: dict[str, list[DocumentVersion]] = {}
        for version in versions.values():
            if version.source in gone:
                by_source.setdefault(version.source, []).append(version)
        for source in sources:
            self._drop(by_source.get(source, ()))
            self._store.sources.forget(source)

    def _drop(self, gone: Iterable[DocumentVersion]) -> None:
        for version in gone:
            self._store.documents.remove(version.doc)
            self._done.removed[version.doc] = version.sha256

    def _prepared(
        self, items: Iterable[FreshDocument | ReadFailure | Skipped | MovedRecord | FinishedSource]
    ) -> Iterator[Item]:
        """Read and chunk. The time between two items of the stream counts as reading."""
        stream_ = iter(items)
        while True:
            with self._clock.stage("read"):
                item = next(stream_, None)
            if item is None:
                return
            if isinstance(item, FreshDocument):
                with self._clock.stage("chunk"):
                    ready = prepare(
                        item, self._models.offsets, chunk_settings(self._models.settings)
                    )
                yield ready
            else:
                yield item

    def _computed(
        self, stream_: Iterable[list[Item]], pool: ExtractorPool, queue: EmbedQueue
    ) -> Iterator[list[Item]]:
        """Each batch when its extractions and vectors are stored.

        They are computed beside reading and chunking, a few batches ahead.
        """
        waiting: deque[tuple[list[Item], Callable[[], None]]] = deque()
        for batch in stream_:
            waiting.append((batch, self._begin(batch, pool, queue)))
            if len(waiting) > AHEAD:
                ended, wait = waiting.popleft()
                wait()
                yield ended
        for ended, wait in waiting:
            wait()
            yield ended

    def _begin(
        self, batch: Sequence[Item], pool: ExtractorPool, queue: EmbedQueue
    ) -> Callable[[], None]:
        """Start to extract and to embed; call the result to wait and to keep what is new."""
        units, texts = texts_of(batch)
        embedded = queue.submit(texts)
        extracted = self._extract(units, pool)

        def wait() -> None:
            extracted()
            with self._clock.stage("embed"):
                embedded()

        return wait

    def _extract(self, texts: Sequence[str], pool: ExtractorPool) -> Callable[[], None]:
        """Start extracting texts without a kept extraction; call the result to keep new ones."""
        keys = [text_hash(self._models.extractor_print, t) for t in texts]
        todo = unknown(keys, self._store.extractions.known(keys))
        with self._clock.stage("extract"):
            pending = pool.submit([texts[i] for i in todo])

        def collect() -> None:
            with self._clock.stage("extract"):
                packed = dict(zip((keys[i] for i in todo), pending(), strict=True))
            self._store.extractions.keep(packed)

        return collect

    def _write(self, batch: list[Item]) -> None:
        """Write the documents of a batch, each in a transaction of its own."""
        with self._clock.stage("write"):
            for item in batch:
                if isinstance(item, Prepared):
                    self._add(item)
                elif isinstance(item, ReadFailure):
                    self._fail(item)
                elif isinstance(item, Skipped):
                    self._done.skipped.append(item)
                    self._store.sources.unread(item)
                elif isinstance(item, MovedRecord):
                    self._store.documents.move(item.version.row, item.line)
                elif isinstance(item, FinishedSource):
                    self._close(item)

    def _fail(self, failure: ReadFailure) -> None:
        sources, found = self._store.sources, (failure.doc, failure.error)
        known = sources.has_failed_before(failure.doc, failure.source)
        (self._done.failed_before if known else self._done.failed).append(found)
        sources.failed(failure.doc, failure.source, failure.error)

    def _close(self, done: FinishedSource) -> None:
        self._drop(done.gone)
        self._done.unchanged += done.same
        if done.complete:
            self._store.sources.saw(done.source, done.failed)

    def _add(self, ready: Prepared) -> None:
        document = ready.fresh.document
        models = self._models
        self._store.documents.add(
            NewDocument(
                document,
                ready.fresh.source.id,
                len(document.text),
                ready.chunks,
                [text_hash(models.extractor_print, u) for u in ready.units],
                [[text_hash(models.embedder_print, t) for t in p] for p in ready.passages],
                ready.nodes,
                [text_hash(models.embedder_print, t) for t in ready.node_texts],
                ready.fresh.source.mtime_ns,
            )
        )
        self._done.words += count_words(document.text)
        if ready.fresh.known:
            self._done.changed += 1
        else:
            self._done.added[document.id] = document.sha256

    def _progress(self, batch: Sequence[Item], todo: ReadPlan) -> None:
        self._done.bytes += sum(
            item.source.size for item in batch if isinstance(item, FinishedSource)
        )
        total = sum(source.size for source in todo.read)
        self._report(Event("index", self._done.bytes, total, f"{self._done.words} words"))
