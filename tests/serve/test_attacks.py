"""Requests over HTTP that no client sends: each is refused or dropped, and the server goes on."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from mcp_messages import Counting, batch, call, desk, endpoint, request, until

from ragcli.serve.desk import Desk
from ragcli.serve.http import _WAITING, ADDRESS, LoopbackServer

pytestmark = pytest.mark.timeout(120, func_only=True)

START = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
PING = json.dumps(request("ping")).encode()


def posted(data: bytes, more: bytes = b"") -> bytes:
    return START + more + b"Content-Length: %d\r\n\r\n" % len(data) + data


def sent(message: object) -> bytes:
    return posted(json.dumps(message).encode())


HEADS = {
    "garbage": b"\x00\xff\xfe garbage\r\n\r\n",
    "no version": b"POST /mcp\r\n\r\n",
    "version": b"POST /mcp HTTP/9.9\r\nHost: localhost\r\n\r\n",
    "bad version": b"POST /mcp HTTP/x.y\r\n\r\n",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 200 + b"\r\n",
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "long line": b"POST /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n",
    "long header": START + b"X: " + b"a" * 70_000 + b"\r\n\r\n",
    "many headers": START + b"X: y\r\n" * 5_000 + b"\r\n",
    "no colon": START + b"nonsense\r\n\r\n",
    "null in header": START + b"X: \x00\r\nContent-Length: 2\r\n\r\n{}",
    "folded header": START + b"X: a\r\n b\r\nContent-Length: 2\r\n\r\n{}",
    "two lengths": START + b"Content-Length: 2\r\nContent-Length: 900\r\n\r\n{}",
    "length in hex": START + b"Content-Length: 0x10\r\n\r\n",
    "length with sign": START + b"Content-Length: +2\r\n\r\n{}",
    "huge length": START + b"Content-Length: 99999999999999999999\r\n\r\n",
    "chunks": START + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "no host": b"POST /mcp HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}",
    "connect": b"CONNECT evil.example:443 HTTP/1.1\r\n\r\n",
    "trace": b"TRACE /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "other site": b"GET http://evil.example/mcp HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    "path": b"POST /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n",
}
BODIES = {
    "empty": b"",
    "null": b"null",
    "number": b"1e400",
    "deep": b"[" * 5_000 + b"]" * 5_000,
    "deep object": b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
    "no UTF-8": b'{"jsonrpc":"2.0","id":1,"method":"\xff"}',
    "surrogate": b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}',
    "BOM": b"\xef\xbb\xbf" + PING,
    "two messages": PING + PING,
    "long id": json.dumps(request("ping", id_="x" * 900_000)).encode(),
    "long method": json.dumps(request("x" * 900_000)).encode(),
    "wrong params": json.dumps({**request("tools/call"), "params": [1]}).encode(),
    "empty batch": b"[]",
    "batch of nothing": json.dumps([None] * 50).encode(),
    "batch of batches": json.dumps([[request("ping")]] * 50).encode(),
    "large batch": json.dumps([request("ping")] * 51).encode(),
    "argument": json.dumps(call(text={"a": [1] * 1000})).encode(),
}


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with served(desk()) as made:
        yield made


@contextmanager
def served(answering: Desk) -> Iterator[LoopbackServer]:
    with LoopbackServer(answering, 0) as made:
        thread = threading.Thread(target=made.serve_forever, args=(0.01,))
        thread.start()
        yield made
        made.shutdown()
        thread.join(60)


def connected(server: LoopbackServer) -> socket.socket:
    return socket.create_connection((ADDRESS, server.server_port), 20)


def reply(server: LoopbackServer, data: bytes) -> bytes:
    """What the server answers to bytes after which nothing comes."""
    with connected(server) as client:
        try:
            client.sendall(data)
            client.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: client.recv(65536), b""))
        except OSError:  # it has closed the connection before it had all
            return b""


def goes_on(server: LoopbackServer) -> None:
    begun = time.monotonic()
    assert b'"result"' in reply(server, posted(PING))
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize("name", HEADS)
def test_a_request_that_is_none_is_refused(server: LoopbackServer, name: str) -> None:
    answer = reply(server, HEADS[name])
    assert b'"result"' not in answer and b"Traceback" not in answer
    goes_on(server)


@pytest.mark.parametrize("name", BODIES)
def test_a_body_that_is_no_message_is_answered_with_an_error(
    server: LoopbackServer, name: str
) -> None:
    answer = reply(server, posted(BODIES[name]))
    assert answer.startswith(b"HTTP/1.1 ") and b"Traceback" not in answer
    refused = b'"error"' in answer or b'"isError":true' in answer
    assert refused or name == "long id"
    goes_on(server)


def test_slow_clients_keep_nobody_waiting(server: LoopbackServer) -> None:
    """A hundred that have sent half a request, and a hundred that read nothing."""
    clients = [connected(server) for _ in range(200)]
    for number, client in enumerate(clients):
        client.sendall(START[:40] if number % 2 else sent(call(text="hi")))
    goes_on(server)
    for client in clients:
        client.close()
    goes_on(server)


def test_batches_keep_no_ping_waiting_and_a_closed_connection_cancels_them() -> None:
    """Four batches of fifty, and more requests than may wait."""
    work = Counting()
    with served(Desk(endpoint(), work)) as server:
        clients = [connected(server) for _ in range(_WAITING)]
        for number, client in enumerate(clients):
            client.sendall(sent(batch(f"{number}-", 50)))
        until(lambda: len(work.begun) == 4 and not server.room._value)
        goes_on(server)
        assert b"HTTP/1.1 503" in reply(server, sent(request("tools/call")))
        for client in clients:
            client.close()
        until(lambda: server.room._value == _WAITING)
        for _ in range(4):
            work.gate.release()
        goes_on(server)
        assert len(work.begun) == 4
