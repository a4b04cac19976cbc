"""Runs extraction in worker processes: texts in, packed extractions out.

A small amount of text is extracted in this process, because starting a worker takes longer. The
result is the same, because each text is read by itself in one thread. A worker has one English
pipeline. It exits when its parent has ended for any reason.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING

from ragcli.extract.codec import pack
from ragcli.extract.mentions import Extractor
from ragcli.models.english_pipeline import reader
from ragcli.models.pipeline_output import Read, Reading
from ragcli.types import Event, Report, silent

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

Extract = Callable[[list[str]], list[bytes]]
Pipelines = tuple[tuple[str, str], ...]
"""(code of a language, folder of its spaCy pipeline)."""

# Texts per task of a worker; at about 5 kB each this is half a second of work.
_PER_TASK = 8
# A run extracts this many characters without a worker: that takes as long as starting one.
_HERE_CHARS = 30_000
# Progress is reported for batches of at least this many texts.
_MANY = 512

_worker_extract: Extract | None = None


@cache
def make_extractor(spacy_path: str, pipelines: Pipelines = ()) -> Extract:
    """Return the extractor of this process; it is loaded once."""
    others = {code: _LateReader(path, code) for code, path in pipelines}
    extractor = Extractor(reader(spacy_path), others)
    return lambda texts: [pack(extractor(text)) for text in texts]


class _LateReader:
    """The pipeline of a language, loaded at its first text: most workers never see one."""

    def __init__(self, path: str, language: str) -> None:
        self._path, self._language = path, language
        self._read: Read | None = None

    def __call__(self, text: str) -> Reading:
        self._read = self._read or reader(self._path, self._language)
        return self._read(text)


class ExtractorPool:
    """Extracts in ``workers`` processes, or in this one for one worker or a small amount of text.

    Nothing is loaded before the first text. Use it as a context manager.
    """

    def __init__(
        self, spacy_path: str, workers: int, report: Report = silent, pipelines: Pipelines = ()
    ) -> None:
        """``pipelines`` read other languages than English; ``report`` receives events of stage
        "extract" for large batches."""
        self._path = spacy_path
        self._pipelines = tuple(pipelines)
        self._workers = workers
        self._report = report
        self._pool: ProcessPoolExecutor | None = None
        self._here: Extract | None = None
        self._chars = 0

    def __enter__(self) -> ExtractorPool:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def submit(self, texts: Sequence[str]) -> Callable[[], list[bytes]]:
        """Start extracting; the returned function waits and returns the results in order."""
        if not texts:
            return list
        self._chars += sum(map(len, texts))
        if self._workers <= 1 or (self._pool is None and self._chars <= _HERE_CHARS):
            if self._here is None:
                self._here = make_extractor(self._path, self._pipelines)
            results = self._gathered(map(self._here, _tasks(texts)), len(texts))
            return lambda: results
        with _interrupts_held(), _main_module_hidden():
            return self._submit(texts)

    def _submit(self, texts: Sequence[str]) -> Callable[[], list[bytes]]:
        if self._pool is None:
            self._pool = _started(self._path, self._workers, self._pipelines)
        futures = [self._pool.submit(_work, task) for task in _tasks(texts)]
        return lambda: self._gathered((future.result() for future in futures), len(texts))

    def _gathered(self, parts: Iterable[list[bytes]], total: int) -> list[bytes]:
        """Return all parts as one list; report progress for a large batch (one huge document)."""
        results: list[bytes] = []
        for part in parts:
            results += part
            if total > _MANY:
                self._report(Event("extract", len(results), total))
        return results


def _tasks(texts: Sequence[str]) -> list[list[str]]:
    return [list(texts[at : at + _PER_TASK]) for at in range(0, len(texts), _PER_TASK)]


def _started(spacy_path: str, workers: int, pipelines: Pipelines) -> ProcessPoolExecutor:
    # Imported here because a run with little text does not need it.
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    return ProcessPoolExecutor(workers, get_context("spawn"), _start, (spacy_path, pipelines))


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Ignore SIGINT while processes start, so that only the parent reacts to Ctrl-C.

    Ctrl-C reaches every process of the terminal's group. A process that is started while SIGINT is
    ignored also ignores it, from its first instruction.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    former = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, former)


@contextmanager
def _main_module_hidden() -> Iterator[None]:
    """Keep workers from importing the caller's script, which may have no ``__main__`` guard.

    ``multiprocessing`` passes the file of ``__main__`` to a spawned process. A script that calls
    ``ragcli.index`` at its top level would index again in each worker. The pool starts its
    processes when work is submitted.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _start(spacy_path: str, pipelines: Pipelines) -> None:
    global _worker_extract
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    _worker_extract = make_extractor(spacy_path, pipelines)


def _leave_with_parent() -> None:
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _work(texts: list[str]) -> list[bytes]:
    assert _worker_extract is not None, "worker used before its initializer has run"
    return _worker_extract(texts)
