"""HTTP on the loopback interface: what is answered, and what a page of another site cannot do."""

from __future__ import annotations

import base64
import http.client
import json
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from mcp_messages import META, TOOL, VERSION, call, desk, request, stateless

from ragcli.errors import ConfigError, InputError
from ragcli.serve.call import Call
from ragcli.serve.http import ADDRESS, LoopbackServer
from ragcli.serve.tool import Tool

# Seconds for each test itself: none may wait for ever.
pytestmark = pytest.mark.timeout(120, func_only=True)

Answer = tuple[int, dict[str, str], Any]


class Waiting:
    """A tool that waits until its call is cancelled."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.cancelled = threading.Event()

    def run(self, call: Call) -> dict[str, Any]:
        self.begun.set()
        for _ in range(2000):
            if call.cancelled:
                self.cancelled.set()
            call.check()
            threading.Event().wait(0.005)
        return {}

    def tool(self) -> Tool:
        return Tool("wait", "Wait", "Waits.", {}, (), self.run, str)


@pytest.fixture
def waiting() -> Waiting:
    return Waiting()


@pytest.fixture
def server(waiting: Waiting) -> Iterator[LoopbackServer]:
    with LoopbackServer(desk(TOOL, waiting.tool()), 0) as made:
        thread = threading.Thread(target=made.serve_forever, args=(0.01,))
        thread.start()
        yield made
        made.shutdown()
        thread.join(60)


def names(message: Any) -> dict[str, str]:
    """The headers that a stateless message needs."""
    params = message["params"]
    found = {"MCP-Protocol-Version": params["_meta"][VERSION], "Mcp-Method": message["method"]}
    name = params.get("name", params.get("uri"))
    return found | ({"Mcp-Name": name} if name else {})


def post(server: LoopbackServer, message: object, method: str = "POST", **headers: str) -> Answer:
    """Status, headers and body of the answer; ``A_B`` sends the header ``A-B``, "" sends none."""
    data = message if isinstance(message, bytes) else json.dumps(message).encode()
    sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    path = sent.pop("path", "/mcp")
    connection = http.client.HTTPConnection(ADDRESS, server.server_port, timeout=20)
    connection.request(method, path, data, {n: v for n, v in sent.items() if v})
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    kind = answer.headers.get_content_type()
    body = json.loads(text) if text and kind == "application/json" else text.decode()
    return answer.status, dict(answer.headers), body


def test_it_listens_on_the_loopback_interface_only(server: LoopbackServer) -> None:
    assert server.server_address[0] == "127.0.0.1"
    assert server.url == f"http://127.0.0.1:{server.server_port}/mcp"


def test_a_stateless_request_is_answered(server: LoopbackServer) -> None:
    """Its headers repeat what the message says."""
    message = stateless("tools/call", 5, name="shout", arguments={"text": "hi"})
    status, headers, body = post(server, message, **names(message))
    assert status == 200 and headers["Content-Type"] == "application/json"
    assert body["id"] == 5 and body["result"]["structuredContent"] == {"said": "HI"}
    assert body["result"]["resultType"] == "complete"
    assert "Mcp-Session-Id" not in headers


def test_older_clients_are_answered_without_a_session(server: LoopbackServer) -> None:
    """After the handshake they name their revision; before 2025-06-18 they name none."""
    _, headers, body = post(server, request("initialize", {"protocolVersion": "2025-06-18"}))
    assert body["result"]["protocolVersion"] == "2025-06-18" and "Mcp-Session-Id" not in headers
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert post(server, note, MCP_Protocol_Version="2025-06-18")[::2] == (202, "")
    for version in ("2025-06-18", "2025-11-25", ""):
        status, _, body = post(server, call(text="hi"), MCP_Protocol_Version=version)
        assert status == 200 and body["result"]["structuredContent"] == {"said": "HI"}
    assert post(server, request("never/heard"))[0] == 200
    both = [request("ping", id_=1), request("ping", id_=2)]
    assert [a["id"] for a in post(server, both)[2]] == [1, 2]
    assert post(server, both, MCP_Protocol_Version="2025-06-18")[0] == 400


@pytest.mark.parametrize(
    "wrong",
    [
        {"MCP_Protocol_Version": ""},
        {"MCP_Protocol_Version": "2025-11-25"},
        {"Mcp_Method": ""},
        {"Mcp_Method": "tools/list"},
        {"Mcp_Name": ""},
        {"Mcp_Name": "other"},
        {"Mcp_Name": "=?base64?###?="},
    ],
)
def test_headers_that_differ_from_the_message_are_refused(
    server: LoopbackServer, wrong: dict[str, str]
) -> None:
    """Something between may have decided by the headers."""
    message = stateless("tools/call", 5, name="shout", arguments={"text": "hi"})
    right = {name.replace("-", "_"): value for name, value in names(message).items()}
    for name in wrong:
        right = {k: v for k, v in right.items() if k.lower() != name.lower()}
    status, _, body = post(server, message, **right, **wrong)
    assert status == 400 and body["error"]["code"] == -32020 and body["id"] == 5


def test_a_name_that_is_not_ascii_comes_in_base64(server: LoopbackServer) -> None:
    message = stateless("resources/read", 5, uri="made:première")
    coded = base64.b64encode("made:première".encode()).decode()
    headers = {**names(message), "Mcp-Name": f"=?base64?{coded}?="}
    status, _, body = post(server, message, **headers)
    # It was compared and found equal: what is wrong is that there is no such resource.
    assert status == 400 and body["error"]["code"] == -32602


@pytest.mark.parametrize(
    ("message", "headers", "status", "code"),
    [
        (b"{nonsense", {}, 400, -32700),
        (b"[" * 5000, {}, 400, -32700),
        ({"id": 1}, {}, 400, -32600),
        ({"jsonrpc": "2.0", "id": [[1]], "method": "ping"}, {}, 400, -32600),
        (request("ping"), {"MCP-Protocol-Version": "1900-01-01"}, 400, -32022),
        (stateless("no/method"), names(stateless("no/method")), 404, -32601),
        (
            request("tools/list", {"_meta": {**META, VERSION: "1900-01-01"}}),
            {"MCP-Protocol-Version": "1900-01-01", "Mcp-Method": "tools/list"},
            400,
            -32022,
        ),
        (
            request("tools/list"),
            {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"},
            400,
            -32602,
        ),
    ],
)
def test_errors_have_the_status_of_the_protocol(
    server: LoopbackServer, message: object, headers: dict[str, str], status: int, code: int
) -> None:
    found, _, body = post(server, message, **headers)
    assert (found, body["error"]["code"]) == (status, code)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 403),
        ({"Host": "evil.example:8765"}, 403),
        ({"Host": "127.0.0.1.evil.example"}, 403),
        ({"Host": "[::1"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost.evil.example"}, 403),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": ""}, 415),
        ({"Accept": "text/html"}, 406),
        ({"path": "/"}, 404),
        ({"path": "/mcp/other"}, 404),
        ({"Content-Length": "9999999"}, 413),
        ({"Content-Length": "9" * 5000}, 413),
        ({"Content-Length": "-1"}, 411),
        ({"Origin": "http://localhost:6274"}, 200),
        ({"Host": "localhost"}, 200),
        ({"Host": "[::1]:8765"}, 200),
        ({"Accept": ""}, 200),
    ],
)
def test_other_sites_and_other_kinds_of_requests_are_refused(
    server: LoopbackServer, headers: dict[str, str], status: int
) -> None:
    """A browser on this machine sends the name of the site as Host or Origin."""
    found, _, body = post(server, request("ping"), **headers)
    assert found == status
    assert ("result" in body) == (status == 200)


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS", "PATCH"])
def test_only_post_is_allowed(server: LoopbackServer, method: str) -> None:
    status, headers, _ = post(server, b"", method)
    assert status == 405 and headers["Allow"] == "POST"
    assert "Access-Control-Allow-Origin" not in headers


def test_a_secret_keeps_other_users_of_the_machine_out(server: LoopbackServer) -> None:
    server.token = "long secret"
    assert post(server, request("ping"))[0] == 401
    assert post(server, request("ping"), Authorization="Bearer long secre")[0] == 401
    assert post(server, request("ping"), Authorization="Bearer \xe9")[0] == 401
    assert post(server, request("ping"), Authorization="Bearer long secret")[0] == 200


def test_progress_comes_as_a_stream_of_events(server: LoopbackServer) -> None:
    """The response is its last event."""
    meta = {**META, "progressToken": "t"}
    params = {"name": "shout", "arguments": {"text": "hi"}, "_meta": meta}
    message = request("tools/call", params, 9)
    status, headers, text = post(server, message, **names(message))
    assert status == 200 and headers["Content-Type"] == "text/event-stream"
    events = [json.loads(e.partition("data: ")[2]) for e in text.split("\n\n") if e]
    assert [e["params"]["progress"] for e in events[:-1]] == [1.0, 2.0]
    assert events[-1]["id"] == 9 and events[-1]["result"]["structuredContent"] == {"said": "HI"}
    # A client that cannot read events gets the response alone.
    _, headers, body = post(server, message, **names(message), Accept="application/json")
    assert headers["Content-Type"] == "application/json" and body["id"] == 9


def test_a_closed_connection_cancels_its_request(server: LoopbackServer, waiting: Waiting) -> None:
    """Nobody waits for the result any more."""
    data = json.dumps(request("tools/call", {"name": "wait"})).encode()
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(data)}\r\n\r\n"
    )
    with socket.create_connection((ADDRESS, server.server_port)) as client:
        client.sendall(head.encode() + data)
        assert waiting.begun.wait(20)
    assert waiting.cancelled.wait(20)
    assert post(server, request("ping"))[0] == 200


def test_one_connection_carries_several_requests(server: LoopbackServer) -> None:
    connection = http.client.HTTPConnection(ADDRESS, server.server_port, timeout=20)
    for number in range(3):
        data = json.dumps(request("ping", id_=number)).encode()
        connection.request("POST", "/mcp", data, {"Content-Type": "application/json"})
        assert json.loads(connection.getresponse().read())["id"] == number
    connection.close()


def test_an_occupied_port_is_an_error_with_a_hint(
    server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ragcli.cli import serve

    with pytest.raises(InputError, match="cannot listen on port"):
        serve._listen(desk(), server.server_port)
    monkeypatch.setenv(serve.TOKEN, "line\nbreak")
    with pytest.raises(ConfigError, match="printable"):
        serve._listen(desk(), 0)


def test_a_body_that_is_shorter_than_told_is_refused(server: LoopbackServer) -> None:
    """The client went away in the middle; the server goes on."""
    head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    with socket.create_connection((ADDRESS, server.server_port)) as client:
        client.sendall(f"{head}Content-Length: 100\r\n\r\n{{".encode())
        client.shutdown(socket.SHUT_WR)
        assert client.recv(100).startswith(b"HTTP/1.1 400")
    assert post(server, request("ping"))[0] == 200
