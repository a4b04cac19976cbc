"""Several messages at a time over one stream: order, cancellation, and ends."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from mcp_messages import desk, request

from ragcli.serve.call import Call
from ragcli.serve.desk import WORKERS
from ragcli.serve.stdio import serve
from ragcli.serve.tool import Tool

# Seconds for each test itself: none may wait for ever.
pytestmark = pytest.mark.timeout(120, func_only=True)


class Gate:
    """A tool whose calls wait until they are let through, or cancelled."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.stopped: list[str] = []
        self.open = threading.Event()

    def run(self, call: Call, name: str) -> dict[str, Any]:
        self.begun.append(name)
        while not self.open.wait(0.005):
            if call.cancelled:
                self.stopped.append(name)
            call.check()
        return {"name": name}

    def tool(self) -> Tool:
        schema = {"name": {"type": "string"}}
        return Tool("wait", "Wait", "Waits.", schema, ("name",), self.run, str)


class Wire:
    """Both ends of a session."""

    def __init__(self, write: Any, read: Any) -> None:
        self._write, self._read = write, read

    def send(self, message: object) -> None:
        self._write.write(json.dumps(message).encode() + b"\n")
        self._write.flush()

    def wait(self, name: str, id_: object) -> None:
        self.send(request("tools/call", {"name": "wait", "arguments": {"name": name}}, id_))

    def cancel(self, id_: object) -> None:
        method = "notifications/cancelled"
        self.send({"jsonrpc": "2.0", "method": method, "params": {"requestId": id_}})

    def answer(self) -> Any:
        return json.loads(self._read.readline())

    def hang_up(self) -> None:
        self._write.close()

    def stop_reading(self) -> None:
        self._read.close()


@contextmanager
def session(gate: Gate) -> Iterator[Wire]:
    """A server in a thread; it must end when its input ends."""
    ours, theirs = os.pipe(), os.pipe()
    source, sink = os.fdopen(ours[0], "rb"), os.fdopen(theirs[1], "wb")
    write, read = os.fdopen(ours[1], "wb"), os.fdopen(theirs[0], "rb")
    thread = threading.Thread(target=serve, args=(source, sink, desk(gate.tool())))
    thread.start()
    try:
        yield Wire(write, read)
    finally:
        gate.open.set()
        write.close()
        thread.join(20)
        source.close()
        read.close()
        with suppress(BrokenPipeError):
            sink.close()
        assert not thread.is_alive()


def until(true: Callable[[], bool]) -> None:
    waiter = threading.Event()
    for _ in range(2000):
        if true():
            return
        waiter.wait(0.005)
    raise AssertionError("it never happened")


def test_several_requests_are_under_way_at_a_time() -> None:
    """A quick message is answered while they run."""
    gate = Gate()
    with session(gate) as wire:
        for number in range(WORKERS):
            wire.wait(str(number), number)
        until(lambda: len(gate.begun) == WORKERS)
        wire.send(request("ping", id_="quick"))
        assert wire.answer()["id"] == "quick"
        gate.open.set()
        assert {wire.answer()["id"] for _ in range(WORKERS)} == set(range(WORKERS))


def test_a_cancelled_request_stops_and_gets_no_answer() -> None:
    """The others go on; one that waits for its turn never begins."""
    gate = Gate()
    with session(gate) as wire:
        for number in range(WORKERS + 1):
            wire.wait(str(number), f"id {number}")
        until(lambda: len(gate.begun) == WORKERS)
        wire.cancel("id 1")
        until(lambda: gate.stopped == ["1"])
        until(lambda: len(gate.begun) == WORKERS + 1)
        wire.cancel(f"id {WORKERS}")
        until(lambda: gate.stopped == ["1", str(WORKERS)])
        gate.open.set()
        left = {f"id {n}" for n in range(WORKERS) if n != 1}
        assert {wire.answer()["id"] for _ in left} == left
        wire.send(request("ping", id_="last"))
        assert wire.answer()["id"] == "last"


@pytest.mark.parametrize("id_", [None, "unknown", 1.0, True, [[]], {}])
def test_a_cancellation_that_names_no_request_is_ignored(id_: object) -> None:
    gate = Gate()
    with session(gate) as wire:
        wire.wait("a", 1)
        until(lambda: gate.begun == ["a"])
        wire.cancel(id_)
        gate.open.set()
        assert wire.answer()["id"] == 1


def test_the_end_of_input_waits_for_what_is_under_way() -> None:
    """So `printf ... | ragcli serve` prints its answers."""
    gate = Gate()
    with session(gate) as wire:
        wire.wait("a", 1)
        until(lambda: gate.begun == ["a"])
        wire.hang_up()
        gate.open.set()
        assert wire.answer()["id"] == 1


def test_a_client_that_stops_reading_ends_nothing_with_a_traceback() -> None:
    """Its later messages are dropped."""
    gate = Gate()
    gate.open.set()
    with session(gate) as wire:
        wire.stop_reading()
        wire.send(request("ping"))
