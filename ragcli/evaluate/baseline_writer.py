"""Texts that a language model writes for the baselines of ``eval``, all before the first search."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ragcli.config import Settings
from ragcli.errors import ModelError
from ragcli.models.locate import llm_file
from ragcli.models.open_llm import open_llm
from ragcli.papers.modes import PROMPTS
from ragcli.store.replies import Remembering, replies_in
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Event, Report

if TYPE_CHECKING:
    from ragcli.models.completion import Completer
    from ragcli.papers.graphrag import GraphRag
    from ragcli.retrieve import Helpers
    from ragcli.search.search_index import SearchIndex

WRITTEN = "written.sqlite"
"""The file of replies for evaluations, separate from the store's replies, which are swept."""


@contextmanager
def assistant(
    store: Path, modes: Sequence[str], settings: Settings
) -> Iterator[Remembering | None]:
    """The model for those of ``modes`` that need one; None if none does."""
    if not (wanted := [mode for mode in modes if mode in PROMPTS]):
        yield None
        return
    with remembered_model(store, f"mode {wanted[0]} needs a language model", settings) as model:
        yield model


@contextmanager
def remembered_model(store: Path, why: str, settings: Settings) -> Iterator[Remembering]:
    """The language model of the settings, with a cache of its replies.

    The cache is a file beside the store, for the next run, or in memory if nothing can be written.
    Raises ModelError with the message ``why`` if there is no language model.
    """
    file = llm_file(settings.llm)
    if file is None:
        raise ModelError(why, 'name a GGUF file with --llm, or run: pip install "ragcli[smollm2]"')
    with replies_in(_kept(store)) as replies:
        yield Remembering(open_llm(file, settings), replies)


@contextmanager
def graphrag(
    store: Path, modes: Sequence[str], index: SearchIndex, settings: Settings, helpers: Helpers
) -> Iterator[GraphRag | None]:
    """The GraphRAG baseline if it is one of ``modes``, with the model that answers, if one does.

    Replies are cached as those of the other baselines.
    """
    if "graphrag" not in modes:
        yield None
        return
    # The other baselines need neither communities nor answers.
    from ragcli.asking.ask import answerer
    from ragcli.papers.graphrag import GraphRag

    _, llm = answerer(settings)
    if llm is None:
        yield GraphRag(index, helpers)
        return
    with replies_in(_kept(store)) as replies:
        yield GraphRag(index, helpers, Remembering(llm, replies))


def _kept(store: Path) -> Path | None:
    """The file of cached replies; None if nothing can be written there."""
    return store / WRITTEN if os.access(store, os.W_OK) else None


def write_ahead(
    helper: Completer, modes: Sequence[str], asked: Sequence[AskedQuestion], report: Report
) -> float:
    """Generate all texts for ``modes`` in batches, and return the seconds it took.

    Strategies then find these texts in the cache of ``helper``, so their times exclude writing.
    """
    began = time.monotonic()
    prompts = [PROMPTS[mode](q) for mode in modes if mode in PROMPTS for q in asked]
    for done, _ in enumerate(helper.complete(prompts)):
        report(Event("write", done, len(prompts)))
    report(Event("write", len(prompts), len(prompts)))
    return time.monotonic() - began
