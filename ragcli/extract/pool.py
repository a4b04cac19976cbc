"""Extraction in worker processes: texts in, packed extractions out.

A worker holds one spaCy pipeline. It leaves when its parent is gone, however that died.
"""

from __future__ import annotations

import multiprocessing as mp
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import cache
from multiprocessing.connection import wait
from types import TracebackType

from ragcli.corpus.sentences import sentences
from ragcli.extract.codec import pack
from ragcli.extract.nlp import SpacyExtractor
from ragcli.models.nlp import load_english

Extract = Callable[[list[str]], list[bytes]]

# Texts that travel to a worker at a time; at about 5 kB each this is half a second of work.
_PER_TASK = 8

_worker_extract: Extract | None = None


@cache
def make_extractor(spacy_path: str) -> Extract:
    """An extractor for this process, loaded once."""
    extractor = SpacyExtractor(load_english(spacy_path), sentences)
    return lambda texts: [pack(extractor(text)) for text in texts]


class ExtractorPool:
    """Extracts in ``workers`` processes, or in this one when there is but one.

    Nothing is loaded before the first text comes. Use as a context manager.
    """

    def __init__(self, spacy_path: str, workers: int) -> None:
        self._path = spacy_path
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None
        self._here: Extract | None = None

    def __enter__(self) -> ExtractorPool:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def submit(self, texts: Sequence[str]) -> Callable[[], list[bytes]]:
        """Start extracting; call the returned function for the results, in order."""
        if not texts:
            return list
        if self._workers <= 1:
            if self._here is None:
                self._here = make_extractor(self._path)
            results = self._here(list(texts))
            return lambda: results
        if self._pool is None:
            context = mp.get_context("spawn")
            self._pool = ProcessPoolExecutor(self._workers, context, _start, (self._path,))
        with _interrupts_held():
            return self._submit(texts)

    def _submit(self, texts: Sequence[str]) -> Callable[[], list[bytes]]:
        assert self._pool is not None
        tasks = [list(texts[at : at + _PER_TASK]) for at in range(0, len(texts), _PER_TASK)]
        futures = [self._pool.submit(_work, task) for task in tasks]
        return lambda: [packed for future in futures for packed in future.result()]


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Ctrl-C reaches every process of a terminal's group; only the parent shall answer it.

    A process started while SIGINT is ignored ignores it, too, from its very first instruction.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    former = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, former)


def _start(spacy_path: str) -> None:
    global _worker_extract
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    _worker_extract = make_extractor(spacy_path)


def _leave_with_parent() -> None:
    parent = mp.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _work(texts: list[str]) -> list[bytes]:
    assert _worker_extract is not None, "worker used before its initializer ran"
    return _worker_extract(texts)
