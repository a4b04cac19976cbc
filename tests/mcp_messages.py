"""What the tests of the server share: a tool made for tests, and messages in both eras."""

from __future__ import annotations

import io
import json
import threading
import time
from collections.abc import Callable
from typing import Any

from ragcli.errors import InputError
from ragcli.serve.call import Call
from ragcli.serve.desk import Desk
from ragcli.serve.jsonrpc import RpcError
from ragcli.serve.protocol import Endpoint, NoResource
from ragcli.serve.stdio import serve
from ragcli.serve.tool import Tool

VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
META = {VERSION: "2026-07-28", CAPABILITIES: {}}


def shout(call: Call, text: str, times: int = 1) -> dict[str, Any]:
    if text == "break":
        raise ZeroDivisionError("broken")
    if text == "unwritable":
        return {"said": {1: 2}}
    if not text:
        raise InputError("nothing to shout", "give a text")
    call.step(1, 2, "breathing")
    call.step(2, 2, "shouting")
    return {"said": text.upper() * times}


TOOL = Tool(
    "shout",
    "Shout",
    "Says it loudly.",
    {
        "text": {"type": "string", "maxLength": 100},
        "times": {"type": "integer", "minimum": 1, "maximum": 3},
    },
    ("text",),
    shout,
    lambda found: str(found["said"]),
    {"type": "object", "properties": {"said": {"type": "string"}}, "required": ["said"]},
    {"word": "text"},
)


class Shelf:
    """One resource, and a list of two pages."""

    def templates(self) -> list[dict[str, Any]]:
        return [{"uriTemplate": "made:{name}", "name": "made"}]

    def page(self, cursor: str) -> tuple[list[dict[str, Any]], str]:
        if cursor not in ("", "second"):
            raise RpcError(-32602, "unknown cursor")
        return [{"uri": f"made:{cursor or 'first'}", "name": "x"}], "" if cursor else "second"

    def read(self, uri: str) -> list[dict[str, Any]]:
        if uri != "made:first":
            raise NoResource("no such resource", "list them")
        return [{"uri": uri, "text": "made text"}]

    def completions(self, uri_template: str, argument: str, begun: str) -> dict[str, Any]:
        return {"values": [f"{begun}irst"], "hasMore": False}


def endpoint(*tools: Tool) -> Endpoint:
    return Endpoint(tools or [TOOL], Shelf(), "How to use it.")


def desk(*tools: Tool) -> Desk:
    return Desk(endpoint(*tools))


def talk(*messages: object) -> list[Any]:
    """The answers to messages, in any order; text goes as it is, all else as JSON."""
    lines = [m if isinstance(m, str) else json.dumps(m) for m in messages]
    out = io.BytesIO()
    serve(io.BytesIO("".join(f"{line}\n" for line in lines).encode()), out, desk())
    return [json.loads(line) for line in out.getvalue().splitlines()]


def request(method: str, params: object = None, id_: object = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": params or {}}


def stateless(method: str, id_: object = 1, /, **params: object) -> dict[str, Any]:
    """A request as revision 2026-07-28 has them."""
    return request(method, {**params, "_meta": META}, id_)


def call(**arguments: object) -> dict[str, Any]:
    return request("tools/call", {"name": "shout", "arguments": arguments})


class Counting:
    """Answers when it is told to, and counts what has begun."""

    def __init__(self) -> None:
        self.begun: list[Any] = []
        self.gate = threading.Semaphore(0)

    def answer(self, message: Any, _call: Call) -> Any:
        self.begun.append(message["id"])
        assert self.gate.acquire(timeout=60)
        return message["id"]


def batch(name: str, size: int) -> list[Any]:
    return [request("tools/call", id_=f"{name}{n}") for n in range(size)]


def until(true: Callable[[], bool]) -> None:
    for _ in range(2000):
        if true():
            return
        time.sleep(0.005)
    raise AssertionError("it never happened")
