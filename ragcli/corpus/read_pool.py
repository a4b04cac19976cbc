"""Reads files so that none can hurt: formats with a parser in processes that may be killed.

Plain text, Markdown, JSON Lines and text in unknown formats that is no mail are read in this
process, by code that takes linear time and refuses files and lines beyond a size. All other formats
are parsed by large libraries. A file that crashes its reader, or takes too much time, memory or
text, is a failure of that file alone.
"""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from itertools import islice
from typing import Any

from ragcli.corpus.read import is_plain, read
from ragcli.corpus.read_limits import MOST_TEXT, ReadLimits
from ragcli.corpus.read_worker import receive, send
from ragcli.errors import ReadError
from ragcli.text.terminal import harmless_line
from ragcli.types import ParsedDocument, Skipped, Source
from ragcli.worker_process import kill, pipes, start

Found = ParsedDocument | Skipped

_MOST_WORKERS = 4
# Files that are being read while one is chunked.
_AHEAD = 4
# Time between the end of a worker's replies and its end.
_LAST_SECONDS = 5
_CODE = (
    "import sys; sys.path[:] = eval(sys.argv[1]);from ragcli.corpus.read_worker import main; main()"
)


class ReadPool:
    """Reads files in their order, up to four at a time. Use it as a context manager.

    Nothing is started before the first file that needs it.
    """

    def __init__(self, limits: ReadLimits | None = None, workers: int = 1) -> None:
        self._limits = limits or ReadLimits()
        count = max(1, min(workers, _MOST_WORKERS))
        self._workers = [_Worker(self._limits) for _ in range(count)]
        self._idle: queue.LifoQueue[_Worker] = queue.LifoQueue()
        for worker in self._workers:
            self._idle.put(worker)
        self._threads = ThreadPoolExecutor(count, "read")

    def __enter__(self) -> ReadPool:
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in self._workers:
            worker.end()
        self._threads.shutdown()

    def each(self, sources: Iterable[Source]) -> Iterator[tuple[Source, Iterator[Found]]]:
        """Yield each file with its documents; iterating over these raises ReadError."""
        ahead: deque[tuple[Source, Callable[[], Iterator[Found]]]] = deque()
        coming = iter(sources)
        while True:
            ahead.extend((s, self._begin(s)) for s in islice(coming, _AHEAD - len(ahead)))
            if not ahead:
                return
            source, documents = ahead.popleft()
            yield source, documents()

    def _begin(self, source: Source) -> Callable[[], Iterator[Found]]:
        if is_plain(source):
            return lambda: _read_here(source)
        reading = self._threads.submit(self._read, source)
        return lambda: _found_before(*reading.result())

    def _read(self, source: Source) -> tuple[Sequence[Found], str]:
        worker = self._idle.get()
        try:
            return worker.read(source)
        finally:
            self._idle.put(worker)


def _read_here(source: Source) -> Iterator[Found]:
    try:
        yield from read(source)
    except MemoryError as error:
        raise ReadError(f"cannot read {source.id}: not enough memory") from error


def _found_before(found: Sequence[Found], problem: str) -> Iterator[Found]:
    """Yield what was found, then raise ReadError if there was a problem."""
    yield from found
    if problem:
        raise ReadError(problem)


class _Worker:
    """A process that reads one file after another; it is started when a file needs it."""

    def __init__(self, limits: ReadLimits) -> None:
        self._limits = limits
        self._process: subprocess.Popen[bytes] | None = None
        self._ended = False
        self._lock = threading.Lock()

    def read(self, source: Source) -> tuple[list[Found], str]:
        """Return the documents of a file, and why there are no more, "" if these are all."""
        process = self._started()
        late = threading.Event()

        def stop() -> None:
            late.set()
            kill(process)

        clocks = [_begun(self._limits.clock_seconds, stop)]

        def give_time() -> None:
            clocks[0].cancel()
            clocks[:] = [_begun(self._limits.ocr_clock_seconds, stop)]

        found: list[Found] = []
        try:
            return found, self._exchange(source, process, found, give_time)
        except (EOFError, OSError):
            code = _exit_code(process)
            return found, self._reason(code, source, late.is_set())
        except OverflowError:
            self._stop(process)
            return found, self._limits.too_long
        except (KeyError, TypeError, ValueError) as error:
            self._stop(process)
            return found, f"cannot read {source.id}: its reader failed: {harmless_line(str(error))}"
        finally:
            clocks[0].cancel()

    def _exchange(
        self,
        source: Source,
        process: subprocess.Popen[bytes],
        found: list[Found],
        give_time: Callable[[], None],
    ) -> str:
        """Send a request and collect the replies; returns the problem, "" for none.

        Scanned pages take longer: ``give_time`` is called when the first one is read.
        """
        requests, replies = pipes(process)
        send(requests, _request(source, self._limits))
        left = MOST_TEXT
        scanned = False
        while True:
            (kind, content), size = receive(replies, left)
            left -= size
            if kind == "document":
                found.append(_document(source, content))
            elif kind == "skipped":
                found.append(replace(Skipped(**content), reason=harmless_line(content["reason"])))
            elif kind == "scans" and not scanned:
                scanned = True
                give_time()
            elif kind == "failed":
                return harmless_line(str(content))
            elif kind == "memory":
                self._stop(process)  # what is left of its memory may be in pieces
                return self._limits.too_large
            elif kind == "done":
                return ""
            else:
                raise ValueError("an unknown reply")

    def _reason(self, code: int, source: Source, late: bool) -> str:
        """Say why a process has ended; ``code`` is its exit code."""
        if late or (sys.platform != "win32" and code == -signal.SIGXCPU):
            return self._limits.too_slow
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return f"cannot read {source.id}: its reader crashed ({how})"

    def _started(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._ended:
                raise ReadError("the run has ended")
            if self._process is None or self._process.poll() is not None:
                self._process = _process()
            return self._process

    def _stop(self, process: subprocess.Popen[bytes]) -> None:
        kill(process)
        process.wait()

    def end(self) -> None:
        """End the process for good, whatever it is doing."""
        with self._lock:
            self._ended = True
            if self._process is not None:
                kill(self._process)
                self._process.wait()


def _process() -> subprocess.Popen[bytes]:
    """Start a worker."""
    return start(_CODE, errors=subprocess.DEVNULL)


def _begun(seconds: float, stop: Callable[[], None]) -> threading.Timer:
    clock = threading.Timer(seconds, stop)
    clock.daemon = True
    clock.start()
    return clock


def _exit_code(process: subprocess.Popen[bytes]) -> int:
    """Return the exit code of a worker that has closed its pipe.

    One that dies closes the pipe a moment before it has an exit code; only one that lives on is
    killed.
    """
    try:
        return process.wait(_LAST_SECONDS)
    except subprocess.TimeoutExpired:
        kill(process)
        return process.wait()


def _request(source: Source, limits: ReadLimits) -> dict[str, Any]:
    return asdict(limits) | {
        "id": source.id,
        "path": os.fsencode(source.path).decode("latin-1"),
        "real": os.fsencode(source.real).decode("latin-1"),
        "size": source.size,
        "mtime_ns": source.mtime_ns,
    }


def _document(source: Source, content: Any) -> ParsedDocument:
    """The document that a worker sent; ValueError if it is not one of this file."""
    if not isinstance(content, dict):
        raise ValueError("not a document")
    document = ParsedDocument(**{name: _tuples(value) for name, value in content.items()})
    if not all(isinstance(content[name], str) for name in ("id", "sha256", "title", "text")):
        raise ValueError("not a document")
    if document.id != source.id and not document.id.startswith(f"{source.id}#"):
        raise ValueError(f"{document.id!r} is not a document of {source.id}")
    return document


def _tuples(value: Any) -> Any:
    """JSON has lists where records have tuples."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
