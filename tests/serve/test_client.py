"""The official client library (`mcp` on PyPI) talks to the server, in each era and transport.

It checks each message against the schema of the protocol, and each structured result against the
output schema of its tool.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest

mcp = pytest.importorskip("mcp", reason="the development dependency mcp is not installed")

from mcp.client.stdio import StdioServerParameters  # noqa: E402

# Seconds for each test itself: none may wait for ever.
pytestmark = pytest.mark.timeout(240, func_only=True)

QUESTION = "What caused the radar's false alarms on sunny afternoons?"
SURE, SURE_ANSWER = "How long is Tomme de Têtu ripened?", "120 days"
"""A question of the sample corpus whose short answer is sure enough to be shown."""
Session = Callable[[Any], Awaitable[None]]


@contextmanager
def over_http(store: Path) -> Iterator[str]:
    """A server on a free port, until the test ends."""
    with subprocess.Popen(
        [sys.executable, "-m", "ragcli", "serve", "--http", "0", "--store", str(store)],
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stderr
        try:
            yield server.stderr.readline().split()[1]
        finally:
            server.kill()


@asynccontextmanager
async def client(store: Path, transport: str, mode: str) -> AsyncIterator[Any]:
    if transport == "stdio":
        command = ["-m", "ragcli", "serve", "--store", str(store)]
        started = StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))
        async with mcp.Client(started, mode=mode, read_timeout_seconds=120) as made:
            yield made
        return
    with over_http(store) as url:
        async with mcp.Client(url, mode=mode, read_timeout_seconds=120) as made:
            yield made


async def everything(made: Any) -> None:
    """All tools, the resources and their templates, progress, and a wrong call."""
    tools = {tool.name: tool for tool in (await made.list_tools()).tools}
    assert {"search", "fetch", "ask", "get_document", "list_documents"} <= tools.keys()
    assert tools["search"].output_schema and tools["search"].annotations.read_only_hint

    found = await made.call_tool("search", {"query": QUESTION, "top_k": 3})
    rows = json.loads(found.content[0].text)["results"]
    assert rows == [
        {**named, "text": row["text"]}
        for named, row in zip(found.structured_content["results"], rows, strict=True)
    ]
    fetched = await made.call_tool("fetch", {"id": rows[0]["id"]})
    assert json.loads(fetched.content[0].text)["text"]

    steps: list[float] = []

    async def step(progress: float, total: float | None, message: str | None) -> None:
        assert total == 3 and message
        steps.append(progress)

    asked = await made.call_tool("ask", {"question": SURE}, progress_callback=step)
    assert SURE_ANSWER in asked.structured_content["short"]["text"]
    assert steps == sorted(set(steps)) and (steps[0], steps[-1]) == (1.0, 3.0)

    doc = found.structured_content["hits"][0]["doc"]
    for name, arguments in [
        ("get_document", {"doc": doc}),
        ("list_documents", {"limit": 3}),
        ("neighbours", {"name": "Ravoire Bridge"}),
        ("status", {}),
    ]:
        result = await made.call_tool(name, arguments)
        assert result.structured_content and not result.is_error, name

    wrong = await made.call_tool("get_document", {"doc": "nowhere.md"})
    assert wrong.is_error and "no document" in wrong.content[0].text

    listed = await made.list_resources()
    read = await made.read_resource(listed.resources[0].uri)
    assert read.contents[0].text
    templates = (await made.list_resource_templates()).resource_templates
    assert [t.name for t in templates] == ["document", "part"]
    with pytest.raises(mcp.MCPError):
        await made.read_resource("ragcli://document/nowhere.md")


@pytest.mark.parametrize("transport", ["stdio", "http"])
@pytest.mark.parametrize(
    ("mode", "version"),
    [("auto", "2026-07-28"), ("legacy", "2025-11-25"), ("2026-07-28", "2026-07-28")],
)
def test_the_official_client_is_content(
    sample_store: Path, transport: str, mode: str, version: str
) -> None:
    """It finds out the newest revision by itself, and can be told to use an older one."""

    async def talk() -> None:
        async with client(sample_store, transport, mode) as made:
            assert made.protocol_version == version
            await everything(made)

    asyncio.run(talk())


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_several_calls_at_a_time_and_one_that_is_given_up(
    sample_store: Path, transport: str
) -> None:
    """A call that the client gives up disturbs no other one."""

    async def talk() -> None:
        async with client(sample_store, transport, "auto") as made:
            calls = [
                asyncio.create_task(made.call_tool("search", {"query": f"{QUESTION} {n}"}))
                for n in range(6)
            ]
            await asyncio.sleep(0.05)
            calls[3].cancel()
            done = await asyncio.gather(*calls, return_exceptions=True)
            assert isinstance(done[3], asyncio.CancelledError)
            others = [result for n, result in enumerate(done) if n != 3]
            assert all(r.structured_content["hits"] for r in others)  # type: ignore[union-attr]
            assert (await made.call_tool("status", {})).structured_content["documents"] == 39

    asyncio.run(talk())
