"""The Model Context Protocol: what a server answers, whatever carries the messages.

It implements the stateless revision 2026-07-28, in which every request carries its protocol
version, and the revisions with a handshake from 2024-11-05 to 2025-11-25
(https://modelcontextprotocol.io/specification). A request with the stateless metadata is answered
by the rules of 2026-07-28, every other one by the older rules; no answer depends on an earlier
request. The usual library for the protocol depends on an HTTP server and client, which a program
that opens no socket by default should not install.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from ragcli.errors import RagcliError
from ragcli.serve.call import Call, CallCancelled
from ragcli.serve.jsonrpc import (
    INTERNAL,
    INVALID_PARAMS,
    INVALID_REQUEST,
    NO_METHOD,
    Json,
    RpcError,
    failed,
    succeeded,
    valid_id,
)
from ragcli.serve.tool import Tool
from ragcli.version import VERSION

# Revisions without a handshake, newest first.
STATELESS = ("2026-07-28",)
# Revisions with a handshake; a client that requests an unknown version gets the first.
VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")

UNSUPPORTED_VERSION = -32022
# The code of revisions before 2026-07-28; that revision uses INVALID_PARAMS.
_NO_RESOURCE = -32002

_META = "io.modelcontextprotocol/"
VERSION_KEY = _META + "protocolVersion"
_CAPABILITIES_KEY = _META + "clientCapabilities"
_SERVER = {"name": "ragcli", "title": "ragcli", "version": VERSION}
_CAPABILITIES: Json = {"tools": {}, "resources": {}, "completions": {}}

# Milliseconds for which a client may keep what this process never changes.
_STEADY = 3_600_000
# The store may change at any time, so lists and texts of documents are stale at once.
_LASTS = {
    "server/discover": (_STEADY, "public"),
    "tools/list": (_STEADY, "public"),
    "resources/templates/list": (_STEADY, "public"),
    "resources/list": (0, "private"),
    "resources/read": (0, "private"),
}
# Requests that open the store; all others are answered at once.
WORK = {"tools/call", "resources/list", "resources/read", "completion/complete"}


class NoResource(RagcliError):
    """There is no resource with the requested URI."""


class ResourceSource(Protocol):
    """Documents as resources."""

    def templates(self) -> list[Json]: ...
    def page(self, cursor: str) -> tuple[list[Json], str]: ...
    def read(self, uri: str) -> list[Json]: ...
    def completions(self, uri_template: str, argument: str, begun: str) -> Json: ...


class Endpoint:
    """Answers messages; it keeps nothing between them, so threads may share it."""

    def __init__(self, tools: Iterable[Tool], resources: ResourceSource, instructions: str) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._resources = resources
        self._instructions = instructions
        both: dict[str, Callable[[Json, Call], Json]] = {
            "tools/list": self._list_tools,
            "tools/call": self._call,
            "resources/list": self._list_resources,
            "resources/templates/list": self._list_templates,
            "resources/read": self._read,
            "completion/complete": self._complete,
        }
        self._stateless = {**both, "server/discover": self._discover}
        self._older = {**both, "initialize": self._initialize, "ping": lambda _params, _call: {}}

    def answer(self, message: Any, call: Call) -> Json | None:
        """The answer to one message: a response, or None."""
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return failed(None, RpcError(INVALID_REQUEST, "not a JSON-RPC 2.0 message"))
        id_ = message.get("id")
        method = message.get("method")
        if not isinstance(method, str):
            # A response. This server sends no requests, so it ignores responses.
            if "result" in message or "error" in message:
                return None
            return failed(id_, RpcError(INVALID_REQUEST, "a request needs a method"))
        if "id" not in message:
            return None  # a notification; the transport has handled cancellation
        if not valid_id(id_):
            error = RpcError(INVALID_REQUEST, "an id must be a string or an integer")
            return failed(None, error)
        return self._answered(id_, method, message.get("params", {}), call)

    def _answered(self, id_: Any, method: str, params: Any, call: Call) -> Json | None:
        """The response to a well-formed request; None if it was cancelled."""
        try:
            return succeeded(id_, self._result(method, params, call))
        except CallCancelled:
            return None
        except RpcError as error:
            return failed(id_, error)
        except Exception as error:  # one failed call must not end the session; report and log it
            traceback.print_exc(file=sys.stderr)
            return failed(id_, RpcError(INTERNAL, f"{type(error).__name__}: {str(error)[:300]}"))

    def _result(self, method: str, params: Any, call: Call) -> Json:
        if not isinstance(params, dict):
            raise RpcError(INVALID_PARAMS, "params must be an object")
        meta = params.get("_meta")
        stateless = is_stateless(params) or method == "server/discover"
        if stateless:
            check_meta(meta)
        methods = self._stateless if stateless else self._older
        if method not in methods:
            raise RpcError(NO_METHOD, f"unknown method {method[:100]!r}")
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        call.report_as(token if valid_id(token) else None)
        call.check()
        try:
            result = methods[method](params, call)
        except NoResource as error:
            code = INVALID_PARAMS if stateless else _NO_RESOURCE
            uri = str(params.get("uri"))[:300]
            raise RpcError(code, f"{error.message}; {error.hint}", {"uri": uri}) from None
        call.check()
        return self._marked(method, result) if stateless else result

    @staticmethod
    def _marked(method: str, result: Json) -> Json:
        """A result with the fields that revision 2026-07-28 adds."""
        result = {"resultType": "complete", **result, "_meta": {_META + "serverInfo": _SERVER}}
        if method in _LASTS:
            lasts, scope = _LASTS[method]
            result |= {"ttlMs": lasts, "cacheScope": scope}
        return result

    def _discover(self, _params: Json, _call: Call) -> Json:
        found = {"supportedVersions": list(STATELESS), "capabilities": _CAPABILITIES}
        return found | {"instructions": self._instructions}

    def _initialize(self, params: Json, _call: Call) -> Json:
        asked = params.get("protocolVersion")
        return {
            "protocolVersion": asked if asked in VERSIONS else VERSIONS[0],
            "capabilities": _CAPABILITIES,
            "serverInfo": _SERVER,
            "instructions": self._instructions,
        }

    def _list_tools(self, params: Json, _call: Call) -> Json:
        _only_page(params)
        return {"tools": [tool.listed() for tool in self._tools.values()]}

    def _call(self, params: Json, call: Call) -> Json:
        name = params.get("name")
        tool = self._tools.get(name) if isinstance(name, str) else None
        if tool is None:
            raise RpcError(INVALID_PARAMS, f"unknown tool {str(name)[:100]!r}")
        arguments = params.get("arguments")
        try:
            return tool.result(call, {} if arguments is None else arguments)
        except RagcliError as error:
            # For the calling model: it can correct its call or inform the user.
            text = f"{error.message}; {error.hint}" if error.hint else error.message
            return {"content": [{"type": "text", "text": text}], "isError": True}

    def _list_templates(self, params: Json, _call: Call) -> Json:
        _only_page(params)
        return {"resourceTemplates": self._resources.templates()}

    def _list_resources(self, params: Json, _call: Call) -> Json:
        cursor = params.get("cursor", "")
        if not isinstance(cursor, str):
            raise RpcError(INVALID_PARAMS, "a cursor must be a string")
        found, after = self._resources.page(cursor)
        return {"resources": found} | ({"nextCursor": after} if after else {})

    def _read(self, params: Json, _call: Call) -> Json:
        return {"contents": self._resources.read(_text(params, "uri"))}

    def _complete(self, params: Json, _call: Call) -> Json:
        ref, argument = params.get("ref"), params.get("argument")
        if not isinstance(ref, dict) or not isinstance(argument, dict):
            raise RpcError(INVALID_PARAMS, "ref and argument must be objects")
        if ref.get("type") != "ref/resource":
            raise RpcError(INVALID_PARAMS, "only arguments of resource templates can be completed")
        names = _text(ref, "uri"), _text(argument, "name"), _text(argument, "value")
        return {"completion": self._resources.completions(*names)}


def is_stateless(params: Any) -> bool:
    """Whether a request's parameters carry the metadata of a revision without a handshake."""
    meta = params.get("_meta") if isinstance(params, dict) else None
    return isinstance(meta, dict) and VERSION_KEY in meta


def check_meta(meta: Any) -> None:
    """Check the metadata that each stateless request needs. Raises RpcError."""
    wanted = (VERSION_KEY, _CAPABILITIES_KEY)
    if missing := [key for key in wanted if not isinstance(meta, dict) or key not in meta]:
        raise RpcError(INVALID_PARAMS, f"params._meta needs {' and '.join(missing)}")
    if not isinstance(meta[VERSION_KEY], str) or not isinstance(meta[_CAPABILITIES_KEY], dict):
        raise RpcError(INVALID_PARAMS, f"{VERSION_KEY} is a string, {_CAPABILITIES_KEY} an object")
    if meta[VERSION_KEY] not in STATELESS:
        raise unsupported(meta[VERSION_KEY])


def unsupported(version: str) -> RpcError:
    """The error for a protocol version that this server does not speak."""
    data: Json = {"supported": list(STATELESS), "requested": version[:100]}
    return RpcError(UNSUPPORTED_VERSION, "unsupported protocol version", data)


def _only_page(params: Json) -> None:
    """Refuse a cursor: the list has one page, which gives none."""
    if "cursor" in params:
        raise RpcError(INVALID_PARAMS, "unknown cursor: this list has one page")


def _text(params: Json, name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str):
        raise RpcError(INVALID_PARAMS, f"{name} must be a string")
    return value
