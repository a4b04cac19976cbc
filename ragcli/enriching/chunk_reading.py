"""Chooses the language model that reads the chunks, and how, by the mode of the run or store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragcli.config import INDEX_MODES, Settings
from ragcli.enriching.additions import Additions, Show
from ragcli.enriching.cluster_naming import ClusterNamer
from ragcli.enriching.conversations import Conversations
from ragcli.enriching.describing import DescribeOutcome, describe, job_of, unread
from ragcli.enriching.profile_summaries import ModelSummaries, look_through, sum_up, summaries_by
from ragcli.errors import ConfigError, ModelError
from ragcli.extract.llm.job import Method, mode_for
from ragcli.models.locate import llm_file
from ragcli.models.model_set import ModelSet
from ragcli.models.open_llm import open_llm
from ragcli.store.findings import ChunkFindings
from ragcli.store.replies import Recalling, Remembering
from ragcli.store.writer import StoreWriter
from ragcli.types import Report, silent

if TYPE_CHECKING:
    from ragcli.models.completion import Completer


READING = ("light", "hybrid")
"""Modes in which a language model reads the chunks."""


@dataclass(frozen=True, slots=True)
class WaitingWork:
    """What waits for a language model: chunks by document, and profiles."""

    chunks: Mapping[str, int]
    profiles: int = 0


class ChunkReader:
    """Reads all waiting chunks with one model, and summarises profiles with many fragments."""

    def __init__(self, store: StoreWriter, model: Remembering, method: Method) -> None:
        self.model = model
        self._store = store
        self._method = method
        self._summaries = summaries_by(model)

    def read(
        self, models: ModelSet, show: Show, report: Report, deadline: float | None = None
    ) -> DescribeOutcome:
        """See ``describe`` and ``sum_up``; both ask nothing more after ``deadline``."""

        def show_findings(found: Sequence[ChunkFindings]) -> None:
            show(Additions(findings=found))

        def show_summaries(summaries: ModelSummaries) -> None:
            show(Additions(summaries=summaries))

        outcome = describe(self._store, self.model, self._method, show_findings, report, deadline)
        if self._summaries:
            outcome.profiles = sum_up(
                self._store, models, self._summaries, show_summaries, report, deadline
            )
        outcome.calls, outcome.tokens = self.model.calls, self.model.tokens
        return outcome

    def waiting(self) -> WaitingWork:
        """What ``read`` would ask about."""
        rows = [row for wanted in unread(self._store, self._method) for row in wanted.rows]
        chunks = self._store.findings.by_document(rows)
        if self._summaries is None:
            return WaitingWork(chunks)
        return WaitingWork(chunks, self._store.profiles.waiting(self._summaries.marks))


def sweep_replies(store: StoreWriter, models: ModelSet) -> int | None:
    """Delete replies that no prompt uses any more; returns how many, or None when unknown.

    A reply is in use when reading the current chunks, summarising profiles or naming clusters would
    ask for it. To find out, all prompts are made again and answered from kept replies only. This is
    conclusive only for a model that has read the whole store; otherwise nothing is deleted.
    """
    mode, file = store.meta.mode, llm_file(models.settings.llm)
    if mode not in READING or file is None:
        return None
    kept = Recalling(open_llm(file, models.settings), store.replies)
    method = method_of(mode, kept, models.settings)
    if ChunkReader(store, kept, method).waiting() != WaitingWork({}):
        return None
    chunks = store.findings.newest_chunks()
    talks = Conversations(kept, ((row, job_of(store, method, row)) for row in chunks))
    for _ in talks.go(lambda: False):
        pass
    if summaries := summaries_by(kept):
        look_through(store, models, summaries)
        summaries.ask(silent)
    ClusterNamer(store, kept, again=True).write(lambda _: None, silent)
    return kept.forget_others()


def what_waits(store: StoreWriter, settings: Settings) -> WaitingWork:
    """What an update in the store's own mode would ask a language model; writes nothing.

    Without a model: every chunk without findings. With ``--llm none``: nothing.
    """
    mode = store.meta.mode
    if mode not in READING or settings.llm == "none":
        return WaitingWork({})
    file = llm_file(settings.llm)
    if file is None:
        return WaitingWork(store.findings.unread_by_document())
    model = open_llm(file, settings)
    method = method_of(mode, model, settings)
    return ChunkReader(store, Remembering(model, store.replies), method).waiting()


def choose_chunk_reader(store: StoreWriter, mode: str, models: ModelSet) -> ChunkReader | None:
    """The reader for a run in ``mode`` ("": the store's mode, or that of the settings).

    The store remembers the mode. None when no model reads the chunks in this run.
    Raises what ``choose_model`` does.
    """
    mode, model = choose_model(mode or store.meta.mode, models)
    store.meta.mode = mode
    if model is None:
        return None
    method = method_of(mode, model, models.settings)
    return ChunkReader(store, Remembering(model, store.replies), method)


def choose_model(mode: str, models: ModelSet) -> tuple[str, Completer | None]:
    """The mode that a run works in, and the model that reads the chunks, if one does.

    ``mode`` "": that of the settings. Raises ConfigError for an unknown mode or no types of
    entities, ModelError when a model is needed and none is there or it cannot be used.
    """
    settings = models.settings
    mode = mode or settings.index_mode
    if mode not in INDEX_MODES:
        raise ConfigError(f"unknown extraction mode {mode!r}", f"choose: {', '.join(INDEX_MODES)}")
    file = llm_file(settings.llm) if mode != "fast" else None
    if file is None and mode in READING and settings.llm != "none":
        raise ModelError(
            f"mode {mode} needs a language model",
            'name a GGUF file with --llm, or run: pip install "ragcli[smollm2]"',
        )
    if file is None:
        return ("fast" if mode == "auto" else mode), None
    model = open_llm(file, settings)
    if mode == "auto":
        mode = mode_for(model.parameters)
    method_of(mode, model, settings)
    return mode, model


def method_of(mode: str, model: Completer, settings: Settings) -> Method:
    """The method by which ``model`` reads chunks in ``mode``. Raises ConfigError without types."""
    types = settings.entity_types
    kinds = tuple(dict.fromkeys(k for t in types.split(",") if (k := t.strip().lower())))
    if not kinds:
        raise ConfigError("entity_types is empty", "remove the setting to use the default types")
    known = model.parameters, model.context, model.fingerprint, model.count_tokens
    return Method(mode, kinds, *known, settings.light_instructions)
