"""Messages over HTTP on the loopback interface: each is a POST to ``/mcp``.

Every request is complete: there are no sessions and no streams beyond the answer to one request.
An answer is one JSON object, or a stream of events if the request asks for progress. A client that
closes the connection cancels its request.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import os
import selectors
import socket
import socketserver
import threading
from collections.abc import Mapping
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Empty, Queue
from typing import Any
from urllib.parse import urlsplit

from ragcli.serve.call import Call
from ragcli.serve.desk import Desk, is_work
from ragcli.serve.jsonrpc import (
    INTERNAL,
    INVALID_PARAMS,
    INVALID_REQUEST,
    LONGEST_MESSAGE,
    NO_METHOD,
    PARSE,
    RpcError,
    encoded,
    failed,
    id_of,
    parse,
    too_long,
    valid_id,
)
from ragcli.serve.protocol import (
    STATELESS,
    UNSUPPORTED_VERSION,
    VERSION_KEY,
    VERSIONS,
    check_meta,
    is_stateless,
    unsupported,
)
from ragcli.version import VERSION

ADDRESS = "127.0.0.1"
PATH = "/mcp"
HEADER_MISMATCH = -32020
# Requests that may wait before no more are taken.
_WAITING = 64
# Seconds that a client has for sending a request, and between two checks of the connection.
_PATIENCE = 30
_POLL = 0.1
_LOCAL = {"127.0.0.1", "localhost", "::1"}
# Which parameter the header Mcp-Name repeats.
_NAMES = {"tools/call": "name", "resources/read": "uri", "prompts/get": "name"}
_STATUS = {
    PARSE: 400,
    INVALID_REQUEST: 400,
    INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    UNSUPPORTED_VERSION: 400,
    NO_METHOD: 404,
}
# The revision whose clients may send batches, and need not name their revision.
_WITH_BATCHES = "2025-03-26"


class LoopbackServer(ThreadingHTTPServer):
    """A server on the loopback interface; ``token`` is a secret that clients must send, or ""."""

    daemon_threads = True
    # The library keeps five; the connections of a burst beyond them try again after a second.
    request_queue_size = 128
    # On Windows this would let a second program take the port as well.
    allow_reuse_address = os.name != "nt"

    def __init__(self, desk: Desk, port: int, token: str = "") -> None:
        super().__init__((ADDRESS, port), _McpHandler)
        self.desk = desk
        self.token = token
        self.room = threading.BoundedSemaphore(_WAITING)

    def server_bind(self) -> None:
        """Bind without asking a name server for the name of this machine, as the library does."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = ADDRESS, self.server_address[1]

    @property
    def url(self) -> str:
        """Where clients find it."""
        return f"http://{ADDRESS}:{self.server_port}{PATH}"


class _Refusal(Exception):
    """A request that is refused before its message is read."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class _McpHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = f"ragcli/{VERSION}"
    sys_version = ""
    timeout = _PATIENCE
    server: LoopbackServer

    def do_POST(self) -> None:
        try:
            _check_source(self.headers, self.server.token)
            data = self._body()
        except _Refusal as refusal:
            # What is left of the request cannot be separated from the next one.
            self.close_connection = True
            self._json(refusal.status, failed(None, RpcError(INVALID_REQUEST, str(refusal))))
            return
        try:
            message = parse(data)
            stateless = _check_headers(message, self.headers)
        except RpcError as error:
            id_ = None if error.code == PARSE else id_of(message)
            self._json(_STATUS.get(error.code, 200), failed(id_, error))
            return
        self._answer(message, stateless)

    def _other(self) -> None:
        """GET and DELETE belong to sessions of older revisions, which this server does not have."""
        self.close_connection = True
        try:
            _check_source(self.headers, self.server.token)
        except _Refusal as refusal:
            self._json(refusal.status, failed(None, RpcError(INVALID_REQUEST, str(refusal))))
            return
        error = RpcError(INVALID_REQUEST, "only POST is allowed")
        self._json(405, failed(None, error), {"Allow": "POST"})

    do_GET = do_DELETE = do_PUT = do_PATCH = do_OPTIONS = do_HEAD = _other  # noqa: N815

    def _body(self) -> bytes:
        """The body of the request. Raises _Refusal."""
        if urlsplit(self.path).path != PATH:
            raise _Refusal(404, f"the endpoint is {PATH}")
        if self.headers.get_content_type() != "application/json":
            raise _Refusal(415, "the content type must be application/json")
        accepted = self.headers.get("Accept", "*/*")
        if not any(kind in accepted for kind in ("application/json", "application/*", "*/*")):
            raise _Refusal(406, "the answer is application/json or text/event-stream")
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdigit():
            raise _Refusal(411, "a request needs a Content-Length")
        if len(length) > 9 or int(length) > LONGEST_MESSAGE:
            raise _Refusal(413, too_long().message)
        return self.rfile.read(int(length))

    def _answer(self, message: Any, stateless: bool) -> None:
        if not is_work(message):
            self._final(self.server.desk.begin(message, Call()).result(), stateless)
        elif self.server.room.acquire(blocking=False):
            try:
                self._work(message, stateless)
            finally:
                self.server.room.release()
        else:
            error = RpcError(INTERNAL, f"{_WAITING} requests are waiting; try again later")
            self._json(503, failed(id_of(message), error), {"Retry-After": "1"})

    def _work(self, message: Any, stateless: bool) -> None:
        """Watch the connection until there is an answer: a closed one cancels the call."""
        queue: Queue[tuple[bool, Any]] = Queue()
        call = Call(lambda note: queue.put((False, note)))
        coming = self.server.desk.begin(message, call)
        coming.add_done_callback(lambda done: queue.put((True, done.result())))
        streams = self._wants_stream(message)
        began = False
        while True:
            try:
                done, what = queue.get(timeout=_POLL)
            except Empty:
                if self._client_left():
                    call.cancel()
                    self.close_connection = True
                    return
                continue
            if done and not began:
                self._final(what, stateless)
                return
            if streams:
                began = began or self._begin_stream()
                self._event(what)
            if done:
                return

    def _wants_stream(self, message: Any) -> bool:
        params = message.get("params") if isinstance(message, dict) else None
        meta = params.get("_meta") if isinstance(params, dict) else None
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        return valid_id(token) and "text/event-stream" in self.headers.get("Accept", "")

    def _client_left(self) -> bool:
        with selectors.DefaultSelector() as selector:
            selector.register(self.request, selectors.EVENT_READ)
            if not selector.select(0):
                return False
        try:
            seen: bytes = self.request.recv(1, socket.MSG_PEEK)
        except OSError:
            return True
        return not seen

    def _begin_stream(self) -> bool:
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Accel-Buffering", "no")
        self.send_header("Connection", "close")
        self.end_headers()
        return True

    def _event(self, message: Any) -> None:
        self.wfile.write(b"event: message\ndata: " + encoded(message) + b"\n\n")
        self.wfile.flush()

    def _final(self, answer: Any, stateless: bool) -> None:
        """Send a response, or the acknowledgement of a message that gets none."""
        if answer is None:
            self._send(202, b"", {})
            return
        error = answer.get("error") if isinstance(answer, dict) else None
        # Clients of older revisions take another status than 200 for a failure of the transport.
        early = stateless or (error and error["code"] == INVALID_REQUEST)
        self._json(_STATUS.get(error["code"], 200) if error and early else 200, answer)

    def _json(self, status: int, message: Any, more: Mapping[str, str] | None = None) -> None:
        self._send(status, encoded(message), {"Content-Type": "application/json", **(more or {})})

    def _send(self, status: int, data: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Length", str(len(data)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def handle(self) -> None:
        try:
            super().handle()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """Write no log: requests contain questions."""


def _check_source(headers: Message, token: str) -> None:
    """Refuse what a page of another site may send through a browser on this machine.

    Such a page can make the browser resolve its own name to this address, but the browser then
    sends that name as ``Host`` and, for a POST, as ``Origin``. Raises _Refusal.
    """
    host = headers.get("Host", "")
    if _host_of(f"//{host}") not in _LOCAL:
        raise _Refusal(403, "the Host header names another machine")
    origin = headers.get("Origin")
    if origin is not None and _host_of(origin) not in _LOCAL:
        raise _Refusal(403, "the Origin header names another machine")
    if token:
        given = headers.get("Authorization", "")
        if not hmac.compare_digest(given.encode("latin-1", "replace"), f"Bearer {token}".encode()):
            raise _Refusal(401, "the header Authorization: Bearer TOKEN is missing or wrong")


def _host_of(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


def _check_headers(message: Any, headers: Message) -> bool:
    """Hold the headers against the message; return whether it is a stateless request.

    Raises RpcError: the headers and the message differ, or the version is unknown.
    """
    version = headers.get("MCP-Protocol-Version")
    if not isinstance(message, dict):
        if version in (None, _WITH_BATCHES):
            return False
        raise RpcError(INVALID_REQUEST, "the body must be one request or notification")
    params = message.get("params")
    stateless = is_stateless(params) or version in STATELESS
    if not stateless:
        if version is not None and version not in VERSIONS:
            raise unsupported(version)
        return False
    if "id" not in message:
        return True
    meta = params.get("_meta") if isinstance(params, dict) else None
    if not isinstance(meta, dict) or VERSION_KEY not in meta:
        check_meta(meta)
    _same("MCP-Protocol-Version", version, meta[VERSION_KEY])  # type: ignore[index]
    _same("Mcp-Method", headers.get("Mcp-Method"), message.get("method"))
    name = _NAMES.get(str(message.get("method")))
    if name and isinstance(params, dict) and name in params:
        _same("Mcp-Name", _decoded(headers.get("Mcp-Name")), params[name])
    check_meta(meta)
    return True


def _same(header: str, given: str | None, wanted: Any) -> None:
    if given is None or given != wanted:
        raise RpcError(HEADER_MISMATCH, f"the header {header} does not match the message")


def _decoded(value: str | None) -> str | None:
    """A header's text; what is not plain ASCII is in base64 between two marks."""
    if value is None or not (value.startswith("=?base64?") and value.endswith("?=")):
        return value
    try:
        return base64.b64decode(value[9:-2], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
