"""Tools for tests of the process that answers: it imports this module by name."""

from __future__ import annotations

import re
from typing import Any

from mcp_messages import TOOL, Shelf

from ragcli.serve.call import Call
from ragcli.serve.protocol import Endpoint
from ragcli.serve.tool import Tool


def hang(_call: Call) -> dict[str, Any]:
    """Keep every thread of this process from running, as no code of Python could."""
    re.fullmatch(r"(?:a|a)*b", "a" * 100)
    return {}


def wait(call: Call) -> dict[str, Any]:
    """Wait until the call is cancelled."""
    while True:
        call.still("waiting")


def endpoint(*_arguments: str) -> Endpoint:
    tools = [TOOL, Tool("hang", "Hang", "Hangs.", {}, (), hang, str)]
    tools.append(Tool("wait", "Wait", "Waits.", {}, (), wait, str))
    return Endpoint(tools, Shelf(), "")
