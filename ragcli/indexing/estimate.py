"""index --dry-run: what a run would do and how long it would take."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass

from ragcli.config import Settings
from ragcli.corpus.chunk import chunk
from ragcli.corpus.read_limits import ReadLimits
from ragcli.corpus.scan import scan
from ragcli.corpus.shard import WHOLE, Shard
from ragcli.enriching.chunk_reading import choose_model, method_of
from ragcli.enriching.describing import job_of, rates_of, unread
from ragcli.enriching.reading_cost import (
    NO_COST,
    SAMPLE,
    ChunkCost,
    ModelSpeed,
    measure_speed,
    prompt_cost,
)
from ragcli.extract.codec import unpack
from ragcli.extract.llm.job import Job, Method, job
from ragcli.extract.pool import make_extractor
from ragcli.indexing.changes import FreshDocument, ReadPlan, plan, stream
from ragcli.indexing.checks import check_request, taking_over
from ragcli.indexing.prepare import chunk_settings, read_limits
from ragcli.indexing.request import IndexRequest
from ragcli.indexing.run_report import count_words
from ragcli.indexing.scan_plan import compare
from ragcli.models.model_set import ModelSet
from ragcli.store.connection import FILE
from ragcli.store.documents import DocumentVersion
from ragcli.store.rebuild import FormerStore, former_store
from ragcli.store.writer import open_to_compare
from ragcli.types import Chunk, Event, Report, Skipped

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


@dataclass(frozen=True, slots=True)
class Estimate:
    """``seconds`` by the rate that ``calibration`` names, with those of a language model.

    ``llm_chunks``: chunks that one reads, new and waiting ones; ``llm_calls``, ``llm_tokens`` (of
    prompts and replies) and ``llm_seconds`` are what that takes.
    """

    files: int
    documents: int
    chunks: int
    tokens: int
    llm_chunks: int
    llm_calls: int
    llm_tokens: int
    llm_seconds: float
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
    fresh: list[Chunk] = []
    offsets = models.offsets
    offsets("loads the tokenizer, which takes long once")
    for item in stream(todo.read, versions, read_limits(settings), todo.shard):
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
            # One of each document, so that they are of all kinds.
            fresh += made[len(made) // 2 :][: len(fresh) < SAMPLE]
            words += count_words(item.document.text)
            report(Event("read", documents, 0))
    seconds = words * rate
    if words and calibration == _DEFAULT:
        seconds = (seconds + _LOADING) * (slowness(chunking / words) if words > _ENOUGH else 1)
    asked = _asked(request, models, chunks, fresh)
    return Estimate(
        files=len(todo.read),
        documents=documents,
        chunks=chunks,
        tokens=tokens,
        llm_chunks=asked.chunks,
        llm_calls=round(asked.chunks * asked.each.calls),
        llm_tokens=round(asked.chunks * (asked.each.read + asked.each.written)),
        llm_seconds=asked.seconds,
        seconds=seconds + asked.seconds,
        calibration=calibration,
        skipped=tuple(skipped),
    )


def slowness(seconds_per_word: float) -> float:
    """How many times longer than on the server of the default rate, by the time for chunking.

    >>> slowness(6e-6), slowness(3e-5), slowness(0.0)
    (1.0, 5.0, 0.5)
    """
    return round(min(max(seconds_per_word / _CHUNKING, _FASTEST), _SLOWEST), 3)


@dataclass(frozen=True, slots=True)
class _AskedWork:
    """What a language model is asked: chunks, the cost of one, and the seconds for all."""

    chunks: int = 0
    each: ChunkCost = NO_COST
    seconds: float = 0.0


def _asked(
    request: IndexRequest, models: ModelSet, fresh: int, sample: Sequence[Chunk]
) -> _AskedWork:
    """Count what waits in the store and ``fresh`` new chunks, some of which are the ``sample``."""
    there = not request.rebuild and (request.store / FILE).is_file()
    with open_to_compare(request.store) if there else nullcontext() as store:
        mode, model = choose_model(request.mode or (store.meta.mode if store else ""), models)
        if model is None:
            return _AskedWork()
        method = method_of(mode, model, models.settings.entity_types)
        waiting = unread(store, method) if store else []
        chunks = sum(len(w.rows) for w in waiting) + fresh
        if not chunks:
            return _AskedWork()
        if store and (rates := rates_of(store, method)):
            each = ChunkCost(rates.calls, rates.read, rates.written)
            speed = ModelSpeed(rates.read_speed, rates.write_speed)
        else:
            jobs = [job_of(store, method, w.rows[0]) for w in waiting[:SAMPLE]] if store else []
            each = prompt_cost([*jobs, *_jobs(models, method, sample)], method)
            speed = measure_speed(model)
    return _AskedWork(chunks, each, chunks * each.seconds(speed))


def _jobs(models: ModelSet, method: Method, chunks: Sequence[Chunk]) -> list[Job]:
    """The conversations about chunks that are not in a store yet."""
    texts = [c.text[c.owned - c.start :] for c in chunks]
    extractions = make_extractor(str(models.spacy_path))(texts)
    return [
        job(method, text, c.heading, unpack(data, text))
        for c, text, data in zip(chunks, texts, extractions, strict=True)
    ]


def _look(
    request: IndexRequest, limits: ReadLimits
) -> tuple[ReadPlan, dict[str, DocumentVersion], tuple[Skipped, ...], float, str]:
    """The work, and the rate of the store's last run or the default one."""
    if request.rebuild or not (request.store / FILE).is_file():
        found = scan(request.paths, request.include, request.exclude)
        shard = Shard.parse(request.shard) if request.shard else WHOLE
        todo = plan(shard.part_of(found), {}, {})
        todo.shard = shard
        return todo, {}, found.skipped, _DEFAULT_RATE, _DEFAULT
    with open_to_compare(request.store) as store:
        versions = store.documents.newest()
        rate = store.meta.seconds_per_word
        found, todo = compare(store, request, versions, limits)
    if rate:
        return todo, versions, found.skipped, rate, "rate of the last run"
    return todo, versions, found.skipped, _DEFAULT_RATE, _DEFAULT
