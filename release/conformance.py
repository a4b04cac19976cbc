"""Serve the fixtures that scenarios of MCP's conformance suite call, through ragcli's own server.

    python -m release.conformance 8766
    npx @modelcontextprotocol/conformance server --url http://127.0.0.1:8766/mcp

The suite calls tools and resources by fixed names (``test_simple_text``). Those for features that
ragcli has are here: text of tools, errors, progress, text of resources, templates. So the suite
checks the protocol, which does not depend on what is served (docs/how-to/agents.md).
"""

from __future__ import annotations

import sys
from typing import Any

from ragcli.errors import InputError
from ragcli.serve.call import Call
from ragcli.serve.desk import Desk
from ragcli.serve.http import LoopbackServer
from ragcli.serve.protocol import Endpoint, NoResource
from ragcli.serve.tool import Tool

TEXT = "This is a simple text response for testing."
FAILURE = "This tool intentionally returns an error for testing"
STATIC = "test://static-text"
TEMPLATE = "test://template/{id}/data"


def _simple(_call: Call) -> dict[str, Any]:
    return {"text": TEXT}


def _error(_call: Call) -> dict[str, Any]:
    raise InputError(FAILURE)


def _progress(call: Call) -> dict[str, Any]:
    for done in (0, 50, 100):
        call.step(done, 100, "working")
    return {"text": "three notifications were sent"}


def _tool(name: str, run: Any) -> Tool:
    return Tool(name, name, f"The fixture {name}.", {}, (), run, lambda found: str(found["text"]))


class Fixtures:
    """A text, and a template."""

    def templates(self) -> list[dict[str, Any]]:
        return [{"uriTemplate": TEMPLATE, "name": "template", "mimeType": "application/json"}]

    def page(self, _cursor: str) -> tuple[list[dict[str, Any]], str]:
        return [{"uri": STATIC, "name": "static-text", "mimeType": "text/plain"}], ""

    def read(self, uri: str) -> list[dict[str, Any]]:
        before, after = TEMPLATE.split("{id}")
        if uri == STATIC:
            text, kind = "This is the content of the static text resource.", "text/plain"
        elif uri.startswith(before) and uri.endswith(after):
            found = uri.removeprefix(before).removesuffix(after)
            text, kind = f'{{"id":"{found}","data":"Data for ID: {found}"}}', "application/json"
        else:
            raise NoResource("no such resource")
        return [{"uri": uri, "mimeType": kind, "text": text}]

    def completions(self, _template: str, _argument: str, _begun: str) -> dict[str, Any]:
        return {"values": [], "hasMore": False}


def endpoint() -> Endpoint:
    """The server of the fixtures."""
    tools = [
        _tool("test_simple_text", _simple),
        _tool("test_error_handling", _error),
        _tool("test_tool_with_progress", _progress),
    ]
    return Endpoint(tools, Fixtures(), "Fixtures of the conformance suite.")


def main() -> None:
    """Listen until Ctrl-C."""
    with LoopbackServer(Desk(endpoint()), int(sys.argv[1]), "") as server:
        server.serve_forever()


if __name__ == "__main__":
    main()
