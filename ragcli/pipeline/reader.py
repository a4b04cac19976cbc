"""Which language model reads the chunks, if any, and how: by the run's mode or the store's own."""

from __future__ import annotations

import sqlite3
import time
from typing import TYPE_CHECKING

from ragcli.config import INDEX_MODES
from ragcli.errors import ConfigError, ModelError
from ragcli.extract.llm.job import Method, mode_for
from ragcli.models.locate import llm_file
from ragcli.pipeline.describing import Outcome, Show, describe
from ragcli.pipeline.language import open_llm
from ragcli.pipeline.summaries import summaries_by
from ragcli.pipeline.tools import Tools
from ragcli.store.connection import get_meta, set_meta
from ragcli.store.replies import Remembering
from ragcli.types import Report

if TYPE_CHECKING:
    from ragcli.models.completion import Completer


class Reader:
    """Reads all chunks that wait for it with one model; ``summaries``: of what it has read."""

    def __init__(self, db: sqlite3.Connection, model: Remembering, method: Method) -> None:
        self.summaries = summaries_by(model)
        self._db = db
        self._model = model
        self._method = method

    def read(self, show: Show, report: Report, minutes: float | None = None) -> Outcome:
        """See ``describe``; ``minutes`` are counted from now."""
        deadline = None if minutes is None else time.monotonic() + 60 * minutes
        began = time.monotonic()
        outcome = describe(self._db, self._model, self._method, show, report, deadline)
        outcome.calls, outcome.tokens = self._model.calls, self._model.tokens
        if outcome.calls:  # for the next --dry-run
            spent = time.monotonic() - began
            set_meta(self._db, "calls_per_chunk", str(outcome.calls / max(outcome.done, 1)))
            set_meta(self._db, "seconds_per_call", str(spent / outcome.calls))
        return outcome


def choose_reader(db: sqlite3.Connection, mode: str, tools: Tools) -> Reader | None:
    """The reader for a run in ``mode`` ("": the store's own, for a new one the setting's).

    The mode stays with the store. None: no model is to be asked, or with ``--llm none`` not now.
    Raises ConfigError for an unknown mode, ModelError when a model is needed and none is there.
    """
    settings = tools.settings
    mode = mode or get_meta(db, "mode") or settings.index_mode
    if mode not in INDEX_MODES:
        raise ConfigError(f"unknown extraction mode {mode!r}", f"choose: {', '.join(INDEX_MODES)}")
    file = llm_file(settings.llm) if mode != "fast" else None
    if file is None and mode in ("light", "hybrid") and settings.llm != "none":
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
    return Reader(db, Remembering(model, db), method_of(mode, model, settings.entity_types))


def method_of(mode: str, model: Completer, types: str) -> Method:
    """How ``model`` is to be asked in ``mode``; ``types`` as the setting gives them."""
    kinds = tuple(dict.fromkeys(k for t in types.split(",") if (k := t.strip().lower())))
    if not kinds:
        raise ConfigError("entity_types names none", "leave the setting out for the usual ones")
    known = model.parameters, model.context, model.fingerprint, model.count_tokens
    return Method(mode, kinds, *known)
