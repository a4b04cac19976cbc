"""The Model Context Protocol over lines: one JSON-RPC 2.0 message per line, no network.

It implements the protocol revisions 2024-11-05, 2025-03-26 and 2025-06-18
(https://modelcontextprotocol.io/specification). The usual library for the protocol depends on an
HTTP server and client, which a program that never opens a socket should not install.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import orjson

from ragcli.errors import RagcliError
from ragcli.version import VERSION

# Newest first; a client that requests an unknown version gets the first.
VERSIONS = ("2025-06-18", "2025-03-26", "2024-11-05")

PARSE, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603

Json = dict[str, Any]


class RpcError(Exception):
    """An error that becomes the ``error`` member of a response."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool for clients: ``run`` takes the checked arguments and returns JSON."""

    name: str
    description: str
    properties: Mapping[str, Json]
    required: tuple[str, ...]
    run: Callable[..., Json]

    def listed(self) -> Json:
        """The tool as ``tools/list`` returns it."""
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": {
                "type": "object",
                "properties": dict(self.properties),
                "required": list(self.required),
                "additionalProperties": False,
            },
            "annotations": {"readOnlyHint": True, "openWorldHint": False},
        }


class Out(Protocol):
    """The binary stream for responses."""

    def write(self, data: bytes, /) -> Any: ...
    def flush(self) -> None: ...


def serve(lines: Iterable[bytes], out: Out, tools: Iterable[Tool], instructions: str) -> None:
    """Answer messages until ``lines`` is exhausted."""
    session = _Session({tool.name: tool for tool in tools}, instructions)
    for line in lines:
        if not line.strip():
            continue
        answer = session.line(line)
        if answer is not None:
            out.write(orjson.dumps(answer, default=str) + b"\n")
            out.flush()


class _Session:
    def __init__(self, tools: Mapping[str, Tool], instructions: str) -> None:
        self._tools = tools
        self._instructions = instructions
        self._methods: dict[str, Callable[[Json], Json]] = {
            "initialize": self._initialize,
            "ping": lambda _params: {},
            "tools/list": lambda _params: {"tools": [t.listed() for t in self._tools.values()]},
            "tools/call": self._call,
        }

    def line(self, line: bytes) -> Any:
        """The answer to one line: a response, a list of them for a batch, or None."""
        try:
            message = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            return _failed(None, RpcError(PARSE, f"not JSON: {error}"))
        if isinstance(message, list) and message:
            answers = [answer for m in message if (answer := self._one(m)) is not None]
            return answers or None
        return self._one(message)

    def _one(self, message: Any) -> Json | None:
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return _failed(None, RpcError(INVALID_REQUEST, "not a JSON-RPC 2.0 message"))
        id_ = message.get("id")
        method = message.get("method")
        if not isinstance(method, str):
            # A response. This server sends no requests, so it ignores responses.
            if "result" in message or "error" in message:
                return None
            return _failed(id_, RpcError(INVALID_REQUEST, "a request needs a method"))
        if "id" not in message:
            return None  # notifications (initialized, cancelled) need no action
        try:
            return {"jsonrpc": "2.0", "id": id_, "result": self._result(method, message)}
        except RpcError as error:
            return _failed(id_, error)
        except Exception as error:  # one failed call must not end the session; report and log it
            traceback.print_exc(file=sys.stderr)
            return _failed(id_, RpcError(INTERNAL, f"{type(error).__name__}: {error}"))

    def _result(self, method: str, message: Json) -> Json:
        params = message.get("params", {})
        if not isinstance(params, dict):
            raise RpcError(INVALID_PARAMS, "params must be an object")
        if method not in self._methods:
            raise RpcError(NO_METHOD, f"unknown method {method}")
        return self._methods[method](params)

    def _initialize(self, params: Json) -> Json:
        asked = params.get("protocolVersion")
        return {
            "protocolVersion": asked if asked in VERSIONS else VERSIONS[0],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "ragcli", "version": VERSION},
            "instructions": self._instructions,
        }

    def _call(self, params: Json) -> Json:
        tool = self._tools.get(str(params.get("name")))
        if tool is None:
            raise RpcError(INVALID_PARAMS, f"unknown tool {params.get('name')!r}")
        arguments = params.get("arguments") or {}
        _check(tool, arguments)
        try:
            found = tool.run(**arguments)
        except RagcliError as error:
            # For the calling model: it can correct its call or inform the user.
            text = f"{error.message}; {error.hint}" if error.hint else error.message
            return {"content": [{"type": "text", "text": text}], "isError": True}
        text = orjson.dumps(found, default=str).decode()
        return {
            "content": [{"type": "text", "text": text}],
            "structuredContent": orjson.loads(text),
            "isError": False,
        }


def _failed(id_: Any, error: RpcError) -> Json:
    return {"jsonrpc": "2.0", "id": id_, "error": {"code": error.code, "message": error.message}}


def _check(tool: Tool, arguments: Any) -> None:
    """Raise RpcError unless the arguments match the schema (string, bounded integer, enum)."""
    if not isinstance(arguments, dict):
        raise RpcError(INVALID_PARAMS, "arguments must be an object")
    for name in tool.required:
        if name not in arguments:
            raise RpcError(INVALID_PARAMS, f"{tool.name} needs {name!r}")
    for name, value in arguments.items():
        schema = tool.properties.get(name)
        if schema is None:
            known = ", ".join(tool.properties) or "none"
            raise RpcError(INVALID_PARAMS, f"{tool.name} has no argument {name!r}; known: {known}")
        if problem := _misfit(schema, value):
            raise RpcError(INVALID_PARAMS, f"{name} {problem}")


def _misfit(schema: Json, value: Any) -> str:
    """Why a value does not match its schema; "" if it does."""
    if schema["type"] == "integer":
        if not isinstance(value, int) or isinstance(value, bool):
            return "must be an integer"
        if value < schema.get("minimum", value) or value > schema.get("maximum", value):
            return f"must be from {schema.get('minimum')} to {schema.get('maximum')}"
        return ""
    if not isinstance(value, str):
        return "must be a string"
    if "enum" in schema and value not in schema["enum"]:
        return f"must be one of {', '.join(schema['enum'])}"
    return ""
