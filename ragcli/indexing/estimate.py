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
from ragcli.enriching.describing import mean_cost, unread
from ragcli.enriching.reading_cost import (
    NO_COST,
    SAMPLE,
    ChunkCost,
    ModelSpeed,
    measure_speed,
    prompt_cost,
    usual_share,
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
from ragcli.models.reading_habits import kept_habit
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
    prompts and replies) and ``llm_seconds`` are what that takes, at the speed that
    ``llm_calibration`` names.
    """

    files: int
    documents: int
    chunks: int
    tokens: int
    llm_chunks: int
    llm_calls: int
    llm_tokens: int
    llm_seconds: float
    llm_calibration: str
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
    documents = tokens = words = 0
    chunking = 0.0
    fresh = _FreshChunks()
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
            fresh.add(made)
            tokens += sum(c.tokens for c in made)
            words += count_words(item.document.text)
            report(Event("read", documents, 0))
    seconds = words * rate
    if words and calibration == _DEFAULT:
        seconds = (seconds + _LOADING) * (slowness(chunking / words) if words > _ENOUGH else 1)
    asked = _asked(request, models, fresh)
    return Estimate(
        files=len(todo.read),
        documents=documents,
        chunks=fresh.count,
        tokens=tokens,
        llm_chunks=asked.chunks,
        llm_calls=round(asked.cost.calls),
        llm_tokens=round(asked.cost.tokens),
        llm_seconds=asked.seconds,
        llm_calibration=asked.calibration,
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


class _FreshChunks:
    """Chunks that are not in a store yet: how many, and some of them at equal distances."""

    def __init__(self) -> None:
        self.count = 0
        self.sample: list[Chunk] = []
        self._step = 1

    def add(self, chunks: Sequence[Chunk]) -> None:
        """Count more; each time that the sample is full, every second one leaves it."""
        for one in chunks:
            if self.count % self._step == 0:
                self.sample.append(one)
            self.count += 1
            if len(self.sample) > SAMPLE:
                self.sample = self.sample[::2]
                self._step *= 2


@dataclass(frozen=True, slots=True)
class _AskedWork:
    """What a language model is asked: chunks, what they cost, its speed, and whether that is known
    from an earlier run."""

    chunks: int = 0
    cost: ChunkCost = NO_COST
    speed: ModelSpeed | None = None
    from_a_run: bool = False

    @property
    def seconds(self) -> float:
        """The time for all."""
        return self.cost.seconds(self.speed) if self.speed else 0.0

    @property
    def calibration(self) -> str:
        """The speed, and where it is known from."""
        if self.speed is None:
            return ""
        if self.from_a_run:
            return f"it {self.speed}, as in its last run"
        return f"it {self.speed} in a trial now"


def _asked(request: IndexRequest, models: ModelSet, fresh: _FreshChunks) -> _AskedWork:
    """Count what waits in the store, and fresh chunks."""
    there = not request.rebuild and (request.store / FILE).is_file()
    with open_to_compare(request.store) if there else nullcontext() as store:
        mode, model = choose_model(request.mode or (store.meta.mode if store else ""), models)
        if model is None:
            return _AskedWork()
        method = method_of(mode, model, models.settings)
        habit = kept_habit(method.by)
        share = habit.share if habit else usual_share(method)
        waiting = unread(store, method) if store else []
        old = sum(len(w.rows) for w in waiting)
        cost = mean_cost(store, method, waiting, share).times(old) if store else NO_COST
    if fresh.count:
        cost += prompt_cost(_jobs(models, method, fresh.sample), method, share).times(fresh.count)
    if not old + fresh.count:
        return _AskedWork()
    if habit:
        speed = ModelSpeed(habit.read_speed, habit.write_speed)
        return _AskedWork(old + fresh.count, cost, speed, True)
    return _AskedWork(old + fresh.count, cost, measure_speed(model))


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
