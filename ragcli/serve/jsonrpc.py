"""JSON-RPC 2.0 messages: bytes in, bytes out, within limits; an error is a value."""

from __future__ import annotations

from typing import Any

import orjson

# Longest message in bytes. A request is a question or a name, so a longer one is a mistake.
LONGEST_MESSAGE = 1 << 20
# Most requests in one batch (protocol revision 2025-03-26).
LARGEST_BATCH = 50

PARSE, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603

Json = dict[str, Any]


class RpcError(Exception):
    """An error that becomes the ``error`` member of a response."""

    def __init__(self, code: int, message: str, data: Json | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


def parse(line: bytes) -> Any:
    """The JSON value of a message. Raises RpcError: not JSON, too long, or nested too deeply.

    orjson refuses more than 1024 levels of nesting; what is accepted is never written back.
    """
    if len(line) > LONGEST_MESSAGE:
        raise too_long()
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise RpcError(PARSE, f"not JSON: {error}") from None


def too_long() -> RpcError:
    """The error for a message over the limit."""
    return RpcError(INVALID_REQUEST, f"a message has at most {LONGEST_MESSAGE} bytes")


def valid_id(value: Any) -> bool:
    """Whether a value is a request id of the Model Context Protocol: a string or an integer."""
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))


def succeeded(id_: Any, result: Json) -> Json:
    """A response with a result."""
    return {"jsonrpc": "2.0", "id": id_, "result": result}


def failed(id_: Any, error: RpcError) -> Json:
    """A response with an error; ``id`` is null if the request had no readable one."""
    value: Json = {"code": error.code, "message": error.message}
    if error.data is not None:
        value["data"] = error.data
    return {"jsonrpc": "2.0", "id": id_ if valid_id(id_) else None, "error": value}


def notification(method: str, params: Json) -> Json:
    """A message that gets no response."""
    return {"jsonrpc": "2.0", "method": method, "params": params}


def id_of(message: Any) -> Any:
    """The id of a message that has one."""
    return message.get("id") if isinstance(message, dict) else None


def encoded(message: Any) -> bytes:
    """A message as one line of JSON, without the line break.

    What orjson cannot write, which is a bug, becomes an error: it must not end the session.
    """
    try:
        return orjson.dumps(message, default=str)
    except TypeError as error:
        problem = RpcError(INTERNAL, f"the result is not JSON: {error}")
        return orjson.dumps(failed(id_of(message), problem))
