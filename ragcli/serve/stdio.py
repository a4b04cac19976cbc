"""Messages over standard input and output: one JSON-RPC message per line.

A client can have several requests under way that open the store, and cancel one. Responses come in
the order in which they are ready.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any, Protocol

from ragcli.serve.call import Call
from ragcli.serve.desk import Desk, is_work, several
from ragcli.serve.jsonrpc import (
    LONGEST_MESSAGE,
    Json,
    RpcError,
    encoded,
    failed,
    id_of,
    parse,
    too_long,
    valid_id,
)

# Requests that may be under way or wait before no more are read.
_WAITING = 64


class LineSource(Protocol):
    """The binary stream of requests."""

    def readline(self, limit: int, /) -> bytes: ...


class LineSink(Protocol):
    """The binary stream for responses."""

    def write(self, data: bytes, /) -> Any: ...
    def flush(self) -> None: ...


def serve(source: LineSource, sink: LineSink, desk: Desk) -> None:
    """Answer messages until the source ends, then wait for the requests under way."""
    _StdioSession(sink, desk).run(source)


def _lines(source: LineSource) -> Iterator[bytes | None]:
    """The lines of a stream that are not blank; None for one that is too long."""
    while line := source.readline(LONGEST_MESSAGE + 2):
        if len(line) <= LONGEST_MESSAGE + 1:
            if line.strip():
                yield line
            continue
        while line and not line.endswith(b"\n"):
            line = source.readline(LONGEST_MESSAGE)
        yield None


class _StdioSession:
    def __init__(self, sink: LineSink, desk: Desk) -> None:
        self._sink = sink
        self._desk = desk
        self._writing = threading.Lock()
        self._gone = False
        self._calls: dict[Any, Call] = {}
        self._room = threading.BoundedSemaphore(_WAITING)

    def run(self, source: LineSource) -> None:
        try:
            for line in _lines(source):
                if self._gone:
                    break
                self._take(line)
            for _ in range(_WAITING):
                self._room.acquire()
        except BaseException:
            for call in list(self._calls.values()):
                call.cancel()
            raise

    def _take(self, line: bytes | None) -> None:
        """Answer a line, now or later."""
        try:
            if line is None:
                raise too_long()
            message = parse(line)
        except RpcError as error:
            self._send(failed(None, error))
            return
        call = Call(self._send)
        if isinstance(message, dict) and message.get("method") == "notifications/cancelled":
            self._cancel(message.get("params"))
        elif is_work(message):
            self._room.acquire()
            ids = [id_ for m in several(message) if valid_id(id_ := id_of(m))]
            self._calls.update(dict.fromkeys(ids, call))
            coming = self._desk.begin(message, call)
            coming.add_done_callback(lambda done: self._finish(done, call, ids))
        else:
            self._send(self._desk.begin(message, call).result())

    def _finish(self, done: Future[Any], call: Call, ids: list[Any]) -> None:
        for id_ in ids:
            if self._calls.get(id_) is call:
                del self._calls[id_]
        try:
            self._send(done.result())
        finally:
            self._room.release()

    def _cancel(self, params: Any) -> None:
        """Cancel a request that is under way; what names none is ignored, as the protocol asks."""
        id_ = params.get("requestId") if isinstance(params, dict) else None
        call = self._calls.get(id_) if valid_id(id_) else None
        if call is not None:
            call.cancel()

    def _send(self, message: Json | list[Json] | None) -> None:
        if message is None or self._gone:
            return
        data = encoded(message) + b"\n"
        with self._writing:
            try:
                self._sink.write(data)
                self._sink.flush()
            except (BrokenPipeError, ValueError):  # the client has closed the stream
                self._gone = True
