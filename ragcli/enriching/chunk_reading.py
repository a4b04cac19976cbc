"""Which language model reads the chunks, if any, and how: by the run's mode or the store's own."""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ragcli.config import INDEX_MODES, Settings
from ragcli.enriching.cluster_naming import ClusterNamer
from ragcli.enriching.conversations import Conversations
from ragcli.enriching.describing import DescribeOutcome, describe, job_of, unread
from ragcli.enriching.profile_summaries import ModelSummaries, look_through, sum_up, summaries_by
from ragcli.errors import ConfigError, ModelError
from ragcli.extract.llm.job import Method, mode_for
from ragcli.models.locate import llm_file
from ragcli.models.model_set import ModelSet
from ragcli.models.open_llm import open_llm
from ragcli.store.meta import get_meta, set_meta
from ragcli.store.profiles import waiting
from ragcli.store.replies import Recalling, Remembering
from ragcli.types import Report, silent

if TYPE_CHECKING:
    from ragcli.models.completion import Completer


READING = ("light", "hybrid")
"""Modes in which a language model reads the chunks."""


class Commit(Protocol):
    """Makes findings (chunk row -> hash), or a model's summaries, a part of what readers see."""

    def __call__(
        self, found: Mapping[int, bytes], summaries: ModelSummaries | None = None
    ) -> None: ...


@dataclass(frozen=True, slots=True)
class WaitingWork:
    """What waits for a language model: chunks by document, and profiles."""

    chunks: Mapping[str, int]
    profiles: int = 0


class ChunkReader:
    """Reads all chunks that wait for it with one model, and sums up what was said of a thing."""

    def __init__(self, db: sqlite3.Connection, model: Remembering, method: Method) -> None:
        self.model = model
        self._db = db
        self._method = method
        self._summaries = summaries_by(model)

    def read(
        self, tools: ModelSet, commit: Commit, report: Report, deadline: float | None = None
    ) -> DescribeOutcome:
        """See ``describe`` and ``sum_up``; both ask nothing more after ``deadline``."""
        began = time.monotonic()
        outcome = describe(self._db, self.model, self._method, commit, report, deadline)
        if self.model.calls:  # for the next --dry-run
            spent = time.monotonic() - began
            set_meta(self._db, "calls_per_chunk", str(self.model.calls / max(outcome.done, 1)))
            set_meta(self._db, "seconds_per_call", str(spent / self.model.calls))
        if self._summaries:

            def show(summaries: ModelSummaries) -> None:
                commit({}, summaries)

            outcome.profiles = sum_up(self._db, tools, self._summaries, show, report, deadline)
        outcome.calls, outcome.tokens = self.model.calls, self.model.tokens
        return outcome

    def waiting(self) -> WaitingWork:
        """What ``read`` would ask about."""
        rows = [row for wanted in unread(self._db, self._method) for row in wanted.rows]
        marks = self._summaries.marks if self._summaries else None
        return WaitingWork(_by_document(self._db, rows), waiting(self._db, marks) if marks else 0)


def sweep_replies(db: sqlite3.Connection, tools: ModelSet) -> int | None:
    """Delete kept replies that no prompt can use any more; how many, or None when nobody can tell.

    A reply is in use while reading the chunks as they are now, summing up what is said in them, or
    naming the hierarchy's clusters would ask for it: the model is asked all of it again, and
    replies only from what is kept. That tells something only of a model that has read the whole
    store: another one's are not touched.
    """
    mode, file = get_meta(db, "mode"), llm_file(tools.settings.llm)
    if mode not in READING or file is None:
        return None
    kept = Recalling(open_llm(file, tools.settings), db)
    method = method_of(mode, kept, tools.settings.entity_types)
    if ChunkReader(db, kept, method).waiting() != WaitingWork({}):
        return None
    rows = db.execute(
        "SELECT c.id FROM chunks c JOIN documents d ON d.id = c.doc WHERE d.died IS NULL"
    ).fetchall()
    talks = Conversations(kept, ((row, job_of(db, method, row)) for (row,) in rows))
    for _ in talks.go(lambda: False):
        pass
    if summaries := summaries_by(kept):
        look_through(db, tools, summaries)
        summaries.ask(silent)
    ClusterNamer(db, kept, again=True).write(lambda _: None, silent)
    return kept.forget_others()


def what_waits(db: sqlite3.Connection, settings: Settings) -> WaitingWork:
    """What an update in the store's own mode would ask a language model about; writes nothing.

    Without a model at hand: every chunk that nobody has read. Nothing with ``--llm none``.
    """
    mode = get_meta(db, "mode")
    if mode not in READING or settings.llm == "none":
        return WaitingWork({})
    file = llm_file(settings.llm)
    if file is None:
        query = "SELECT c.id FROM chunks c JOIN documents d ON d.id = c.doc"
        rows = db.execute(f"{query} WHERE d.died IS NULL AND c.findings IS NULL")
        return WaitingWork(_by_document(db, [row for (row,) in rows]))
    model = open_llm(file, settings)
    method = method_of(mode, model, settings.entity_types)
    return ChunkReader(db, Remembering(model, db), method).waiting()


def _by_document(db: sqlite3.Connection, chunks: Sequence[int]) -> dict[str, int]:
    query = "SELECT d.doc FROM chunks c JOIN documents d ON d.id = c.doc WHERE c.id = ?"
    return dict(Counter(db.execute(query, (row,)).fetchone()[0] for row in chunks))


def choose_chunk_reader(db: sqlite3.Connection, mode: str, tools: ModelSet) -> ChunkReader | None:
    """The reader for a run in ``mode`` ("": the store's own, for a new one the setting's).

    The mode stays with the store. None: no model is to be asked, or with ``--llm none`` not now.
    Raises ConfigError for an unknown mode, ModelError when a model is needed and none is there.
    """
    settings = tools.settings
    mode = mode or get_meta(db, "mode") or settings.index_mode
    if mode not in INDEX_MODES:
        raise ConfigError(f"unknown extraction mode {mode!r}", f"choose: {', '.join(INDEX_MODES)}")
    file = llm_file(settings.llm) if mode != "fast" else None
    if file is None and mode in READING and settings.llm != "none":
        raise ModelError(
            f"mode {mode} needs a language model",
            'name a GGUF file with --llm, or run: pip install "ragcli[smollm2]"',
        )
    if file is None:
        set_meta(db, "mode", "fast" if mode == "auto" else mode)
        return None
    model = open_llm(file, settings)
    if mode == "auto":
        mode = mode_for(model.parameters)
    set_meta(db, "mode", mode)
    return ChunkReader(db, Remembering(model, db), method_of(mode, model, settings.entity_types))


def method_of(mode: str, model: Completer, types: str) -> Method:
    """How ``model`` is to be asked in ``mode``; ``types`` as the setting gives them."""
    kinds = tuple(dict.fromkeys(k for t in types.split(",") if (k := t.strip().lower())))
    if not kinds:
        raise ConfigError("entity_types names none", "leave the setting out for the usual ones")
    known = model.parameters, model.context, model.fingerprint, model.count_tokens
    return Method(mode, kinds, *known)
