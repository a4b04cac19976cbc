"""Requests are answered in a process of their own, which no request can hang for long."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from mcp_messages import Counting, batch, call, endpoint, request, until

from ragcli.serve.call import Call
from ragcli.serve.desk import WORKERS, Desk
from ragcli.serve.worker import TOO_LATE, EndpointProcess

pytestmark = [pytest.mark.timeout(120, func_only=True), pytest.mark.slow]

HERE = str(Path(__file__).parent)
HANG = request("tools/call", {"name": "hang"}, "hang")
WAIT = request("tools/call", {"name": "wait", "_meta": {"progressToken": "t"}}, "wait")


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> Iterator[EndpointProcess]:
    monkeypatch.syspath_prepend(HERE)
    made = EndpointProcess(3, "slow_tools:endpoint", "an argument")
    yield made
    made.end()


def said(answer: Any) -> Any:
    return answer["result"]["structuredContent"]["said"]


def test_a_process_answers_and_tells_of_progress(worker: EndpointProcess) -> None:
    told: list[Any] = []
    message = call(text="hi")
    message["params"]["_meta"] = {"progressToken": 7}
    assert said(worker.answer(message, Call(told.append))) == "HI"
    assert [note["params"]["progressToken"] for note in told] == [7, 7]
    for text, why in (("break", "ZeroDivisionError"), ("unwritable", "not JSON")):
        answer = worker.answer(call(text=text), Call())
        assert answer is not None and why in answer["error"]["message"]


def test_what_hangs_is_ended_and_the_others_are_answered(worker: EndpointProcess) -> None:
    """A pattern that does not end holds every thread of its process; pings do not wait for it."""
    desk = Desk(endpoint(), worker)
    worker.answer(call(text="warm"), Call())
    hanging = desk.begin(HANG, Call())
    time.sleep(0.5)
    begun = time.monotonic()
    assert desk.begin(request("ping"), Call()).result() == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert time.monotonic() - begun < 1
    other = desk.begin(call(text="hi"), Call())
    error = hanging.result(60)["error"]
    assert error["code"] == TOO_LATE and "serve_seconds" in error["message"]
    assert said(other.result(60)) == "HI"


def test_a_cancelled_call_stops_in_the_process(worker: EndpointProcess) -> None:
    begun = threading.Event()
    waiting = Call(lambda _note: begun.set())
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(worker.answer, WAIT, waiting)
        assert begun.wait(60)
        waiting.cancel()
        assert coming.result(2.5) is None
    assert said(worker.answer(call(text="hi"), Call())) == "HI"


def test_an_ended_worker_answers_no_more(worker: EndpointProcess) -> None:
    with ThreadPoolExecutor(1) as pool:
        begun = threading.Event()
        coming = pool.submit(worker.answer, WAIT, Call(lambda _note: begun.set()))
        assert begun.wait(60)
        worker.end()
        assert coming.result(20) is None
    assert worker.answer(call(text="hi"), Call()) is None


def test_batches_of_several_clients_take_turns() -> None:
    """A single request waits for one message of each batch, not for all of them."""
    work = Counting()
    desk = Desk(endpoint(), work)
    coming = [desk.begin(batch(name, 5), Call()) for name in "abcd"]
    until(lambda: len(work.begun) == WORKERS)
    single = desk.begin(request("tools/call", id_="single"), Call())
    for _ in range(2 * WORKERS):
        work.gate.release()
    assert single.result(20) == "single"
    assert work.begun.index("single") <= 2 * WORKERS
    for _ in range(20):
        work.gate.release()
    assert [x.result(20) for x in coming] == [[f"{a}{n}" for n in range(5)] for a in "abcd"]


def test_what_has_not_begun_of_a_cancelled_batch_never_begins() -> None:
    work, cancelled = Counting(), Call()
    coming = Desk(endpoint(), work).begin(batch("a", 50), cancelled)
    until(lambda: work.begun == ["a0"])
    cancelled.cancel()
    work.gate.release()
    assert coming.result(20) is None and work.begun == ["a0"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_sigterm_ends_the_server_and_its_process(sample_store: Path) -> None:
    """While a request is under way."""
    command = [sys.executable, "-m", "ragcli", "serve", "--store", str(sample_store)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin and server.stdout
        server.stdin.write(
            b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search",'
            b'"arguments":{"query":"radar"}}}\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n'
        )
        server.stdin.flush()
        assert b'"id":2' in server.stdout.readline()
        server.send_signal(signal.SIGTERM)
        assert server.wait(30) == 128 + signal.SIGTERM
