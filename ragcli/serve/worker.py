"""Answers requests in a process of its own, so that none can hang the server.

A pattern or a library that does not end would keep all threads of its process from running. Here it
keeps the other requests of the process waiting until its time is up. Then the process is killed,
and the others begin again in a new one. They may, since no request writes.

Each line of a pipe is a JSON object: ``{"n": 1, "message": ...}`` or ``{"cancel": 1}`` to the
process, ``{"n": 1, "note": ...}`` or ``{"n": 1, "answer": ...}`` from it.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from functools import partial
from itertools import count
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, BinaryIO

import orjson

from ragcli.config import Settings
from ragcli.serve.call import Call
from ragcli.serve.jsonrpc import INTERNAL, Json, RpcError, encoded, failed, id_of
from ragcli.serve.protocol import Endpoint
from ragcli.worker_process import kill, pipes, start

TOO_LATE = -32001
"""The code of clients for a request that has timed out."""

_CODE = "import sys; sys.path[:] = eval(sys.argv[1]); from ragcli.serve.worker import main; main()"
_POLL = 0.1
_TRIES = 3
"""Processes in which a request is tried, if those before were killed for another one."""


class EndpointProcess:
    """An endpoint in a process, which is started when a request needs it. Threads may share it."""

    def __init__(self, seconds: float, made_by: str, *arguments: Any) -> None:
        """``seconds``: the most for one request; ``made_by``: "module:function" that makes the
        endpoint from ``arguments``, which JSON can hold."""
        self._seconds = seconds
        self._started_with = (made_by, json.dumps(arguments))
        self._numbers = count(1)
        self._lock = threading.Lock()
        self._run: _OneProcess | None = None
        self._ended = False

    def answer(self, message: Any, call: Call) -> Json | None:
        """The answer to one message; an error if it takes too long."""
        for _ in range(_TRIES):
            run = self._running()
            if run is None or call.cancelled:
                return None
            answered, answer = self._ask(run, next(self._numbers), message, call)
            if answered:
                return answer
        return _failure(message, INTERNAL, "the process that answers has ended")

    def end(self) -> None:
        """Kill the process; what waits for it gets no answer."""
        with self._lock:
            self._ended = True
            if self._run is not None:
                self._run.kill()

    def _running(self) -> _OneProcess | None:
        with self._lock:
            if self._ended:
                return None
            if self._run is None or self._run.over:
                self._run = _OneProcess(start(_CODE, *self._started_with, isolated=False))
            return self._run

    def _ask(
        self, run: _OneProcess, number: int, message: Any, call: Call
    ) -> tuple[bool, Json | None]:
        """Whether the process has answered, and the answer."""
        replies = run.send(number, message)
        late = time.monotonic() + self._seconds
        cancelled = False
        while True:
            try:
                reply = replies.get(timeout=_POLL)
            except Empty:
                if time.monotonic() > late:
                    run.kill()
                    return True, _failure(message, TOO_LATE, self._too_late())
                if call.cancelled and not cancelled:
                    cancelled = True
                    run.cancel(number)
                continue
            if reply is None:
                return False, None
            if "answer" in reply:
                return True, reply["answer"]
            call.send(reply["note"])

    def _too_late(self) -> str:
        return (
            f"no answer within {self._seconds:g} s; ask for less, or let serve take longer with "
            "the setting serve_seconds"
        )


class _OneProcess:
    """One process, and the replies that are waited for; None is the last of each."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._requests, replies = pipes(process)
        self._lock = threading.Lock()
        self._waiting: dict[int, SimpleQueue[Any]] = {}
        self.over = False
        threading.Thread(target=self._read, args=(replies,), daemon=True, name="replies").start()

    def send(self, number: int, message: Any) -> SimpleQueue[Any]:
        """Send a request; returns where its replies come."""
        replies: SimpleQueue[Any] = SimpleQueue()
        with self._lock:
            self._waiting[number] = replies
            if self.over:
                replies.put(None)
        self._write({"n": number, "message": message})
        return replies

    def cancel(self, number: int) -> None:
        """Tell the process that the client has cancelled a request."""
        self._write({"cancel": number})

    def kill(self) -> None:
        """End the process, whatever it is doing."""
        with self._lock:
            self.over = True
        kill(self._process)

    def _write(self, given: Json) -> None:
        with self._lock:
            try:
                self._requests.write(encoded(given) + b"\n")
                self._requests.flush()
            except OSError:
                self.over = True  # the end of the replies ends what waits

    def _read(self, replies: BinaryIO) -> None:
        for line in replies:
            reply = orjson.loads(line)
            queue = self._waiting.get(reply["n"])
            if queue is not None:
                queue.put(reply)
            if "answer" in reply:
                self._waiting.pop(reply["n"], None)
        with self._lock:
            self.over = True
            for queue in self._waiting.values():
                queue.put(None)
        self._process.wait()


def _failure(message: Any, code: int, text: str) -> Json | None:
    id_ = id_of(message)
    return failed(id_, RpcError(code, text)) if id_ is not None else None


def endpoint_of(folders: Sequence[str], settings: Json) -> Endpoint:
    """The endpoint of some stores."""
    from ragcli.serve.resources import Resources
    from ragcli.serve.served import Served
    from ragcli.serve.tools import INSTRUCTIONS, Tools

    served = Served([Path(folder) for folder in folders])
    return Endpoint(Tools(served, Settings(**settings)).all(), Resources(served), INSTRUCTIONS)


def main() -> None:
    """Answer requests from standard input until it ends."""
    module, _, name = sys.argv[2].partition(":")
    endpoint: Endpoint = getattr(importlib.import_module(module), name)(*json.loads(sys.argv[3]))
    # Output of libraries goes to standard error.
    out, sys.stdout = sys.stdout.buffer, sys.stderr
    _WorkSide(endpoint, out).run(sys.stdin.buffer)


class _WorkSide:
    """The other side of a ``_OneProcess``."""

    def __init__(self, endpoint: Endpoint, out: BinaryIO) -> None:
        self._endpoint = endpoint
        self._out = out
        self._writing = threading.Lock()
        self._calls: dict[int, Call] = {}

    def run(self, requests: BinaryIO) -> None:
        for line in requests:
            given = orjson.loads(line)
            if "cancel" in given:
                if call := self._calls.get(given["cancel"]):
                    call.cancel()
                continue
            number = given["n"]
            call = self._calls[number] = Call(partial(self._tell, number))
            threading.Thread(
                target=self._work, args=(number, given["message"], call), daemon=True
            ).start()

    def _tell(self, number: int, note: Json) -> None:
        self._send({"n": number, "note": note})

    def _work(self, number: int, message: Any, call: Call) -> None:
        try:
            # Written before the number is put around it, so that a failure keeps the request's id.
            answer = encoded(self._endpoint.answer(message, call))
            self._send({"n": number, "answer": orjson.Fragment(answer)})
        finally:
            del self._calls[number]

    def _send(self, reply: Json) -> None:
        data = encoded(reply) + b"\n"
        with self._writing:
            self._out.write(data)
            self._out.flush()
