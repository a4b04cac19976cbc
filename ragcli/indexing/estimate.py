"""index --dry-run: what a run would do and how long it would take."""

from __future__ import annotations

import time
from dataclasses import dataclass

from ragcli.config import Settings
from ragcli.corpus.chunk import chunk
from ragcli.corpus.read_limits import ReadLimits
from ragcli.corpus.scan import scan
from ragcli.extract.llm.job import mode_for
from ragcli.indexing.changes import FreshDocument, ReadPlan, plan, stream
from ragcli.indexing.checks import check_request, taking_over
from ragcli.indexing.prepare import chunk_settings, read_limits
from ragcli.indexing.request import IndexRequest
from ragcli.indexing.run_report import count_words
from ragcli.indexing.scan_plan import compare
from ragcli.models import BIG_MODEL_PARAMETERS
from ragcli.models.locate import llm_file
from ragcli.models.model_set import ModelSet
from ragcli.store.connection import FILE
from ragcli.store.documents import DocumentVersion
from ragcli.store.rebuild import FormerStore, former_store
from ragcli.store.writer import open_to_compare
from ragcli.types import Event, Report, Skipped

# Seconds for a word on two cores of a 2023 server, and for loading the models.
_DEFAULT_RATE = 0.00016
_LOADING = 8.0
_DEFAULT = "default rate, at the speed of this machine now"
# Seconds to chunk a word on that server when nothing else runs. Here chunking is timed, and a
# machine that is slower, or busy, makes the estimate longer in the same ratio, within limits.
_CHUNKING = 6e-6
_SLOWEST, _FASTEST = 20.0, 0.5
# Words that must be chunked for the ratio to mean anything.
_ENOUGH = 2000

# Calls of a language model per chunk, and seconds per call and 100 MB of its file on two cores.
# Big models are asked about everything that is proposed.
_CALLS = {"hybrid": 3.0, "light": 1.5}
_WRITING = 5.0
_SECONDS = {"hybrid": 0.3, "light": 10.0}
_BYTES_PER_WEIGHT = 0.65
_WRITER_BYTES = BIG_MODEL_PARAMETERS * _BYTES_PER_WEIGHT


@dataclass(frozen=True, slots=True)
class Estimate:
    """``seconds`` by the rate that ``calibration`` names."""

    files: int
    documents: int
    chunks: int
    tokens: int
    llm_calls: int
    seconds: float
    calibration: str
    skipped: tuple[Skipped, ...]


def estimate(request: IndexRequest, settings: Settings, report: Report) -> Estimate:
    """Read and chunk what a run would, without models and without writing."""
    models = ModelSet(settings)
    there = (request.store / FILE).is_file()
    former = former_store(request.store) if there else FormerStore()
    request = taking_over(request, former)
    check_request(request, models, former.mode)
    todo, versions, found_skipped, rate, calibration = _look(request, read_limits(settings))
    skipped = list(found_skipped)
    documents = chunks = tokens = words = 0
    chunking = 0.0
    offsets = models.offsets
    offsets("loads the tokenizer, which takes long once")
    for item in stream(todo.read, versions, read_limits(settings)):
        if isinstance(item, Skipped):
            skipped.append(item)
        elif isinstance(item, FreshDocument):
            # Chunks alone: summaries are not needed to count.
            began = time.perf_counter()
            made = chunk(item.document, offsets, chunk_settings(settings))
            chunking += time.perf_counter() - began
            documents += 1
            chunks += len(made)
            tokens += sum(c.tokens for c in made)
            words += count_words(item.document.text)
            report(Event("read", documents, 0))
    seconds = words * rate
    if words and calibration == _DEFAULT:
        seconds = (seconds + _LOADING) * (slowness(chunking / words) if words > _ENOUGH else 1)
    calls, asking = _asked(request, settings, chunks)
    return Estimate(
        files=len(todo.read),
        documents=documents,
        chunks=chunks,
        tokens=tokens,
        llm_calls=calls,
        seconds=seconds + asking,
        calibration=calibration,
        skipped=tuple(skipped),
    )


def slowness(seconds_per_word: float) -> float:
    """How many times longer than on the server of the default rate, by the time for chunking.

    >>> slowness(6e-6), slowness(3e-5), slowness(0.0)
    (1.0, 5.0, 0.5)
    """
    return round(min(max(seconds_per_word / _CHUNKING, _FASTEST), _SLOWEST), 3)


def _asked(request: IndexRequest, settings: Settings, fresh: int) -> tuple[int, float]:
    """Calls of a language model and their seconds, by the store's last run or by its size."""
    mode, waiting, kept, rate = request.mode, 0, 0.0, 0.0
    if not request.rebuild and (request.store / FILE).is_file():
        with open_to_compare(request.store) as store:
            mode = mode or store.meta.mode
            waiting = sum(store.findings.unread_by_document().values())
            rates = store.meta.rates
            kept, rate = rates.calls_per_chunk, rates.seconds_per_call
    mode = mode or settings.index_mode
    file = llm_file(settings.llm) if mode != "fast" else None
    if file is None:
        return 0, 0.0
    size = file.stat().st_size
    if mode == "auto":
        mode = mode_for(int(size / _BYTES_PER_WEIGHT))
    usual = _CALLS[mode] * (_WRITING if mode == "hybrid" and size > _WRITER_BYTES else 1.0)
    calls = round((waiting + fresh) * (kept or usual))
    return calls, calls * (rate or _SECONDS[mode] * size / 1e8)


def _look(
    request: IndexRequest, limits: ReadLimits
) -> tuple[ReadPlan, dict[str, DocumentVersion], tuple[Skipped, ...], float, str]:
    """The work, and the rate of the store's last run or the default one."""
    if request.rebuild or not (request.store / FILE).is_file():
        found = scan(request.paths, request.include, request.exclude)
        return plan(found, {}, {}), {}, found.skipped, _DEFAULT_RATE, _DEFAULT
    with open_to_compare(request.store) as store:
        versions = store.documents.newest()
        rate = store.meta.rates.seconds_per_word
        found, todo = compare(store, request, versions, limits)
    if rate:
        return todo, versions, found.skipped, rate, "rate of the last run"
    return todo, versions, found.skipped, _DEFAULT_RATE, _DEFAULT
