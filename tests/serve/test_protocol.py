"""The protocol by itself, with a tool made for the test; and a whole session over a real store."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import SAMPLE

from ragcli.config import Settings
from ragcli.errors import InputError
from ragcli.serve.protocol import VERSIONS, Tool, serve
from ragcli.serve.tools import Tools


def shout(text: str, times: int = 1) -> dict[str, Any]:
    if text == "break":
        raise ZeroDivisionError("broken")
    if not text:
        raise InputError("nothing to shout", "give a text")
    return {"said": text.upper() * times}


TOOL = Tool(
    "shout",
    "Says it loudly.",
    {
        "text": {"type": "string"},
        "times": {"type": "integer", "minimum": 1, "maximum": 3},
    },
    ("text",),
    shout,
)


def talk(*messages: object) -> list[Any]:
    """The answers to messages; text goes as it is, all else as JSON."""
    lines = [m if isinstance(m, str) else json.dumps(m) for m in messages]
    out = io.BytesIO()
    serve([line.encode() + b"\n" for line in lines], out, [TOOL], "How to use it.")
    return [json.loads(line) for line in out.getvalue().splitlines()]


def request(method: str, params: object = None, id_: object = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": params or {}}


def call(**arguments: object) -> dict[str, Any]:
    return request("tools/call", {"name": "shout", "arguments": arguments})


@pytest.mark.parametrize("asked", VERSIONS)
def test_a_known_version_is_kept(asked: str) -> None:
    """The client's revision of the protocol, when this server knows it."""
    (answer,) = talk(request("initialize", {"protocolVersion": asked}))
    assert answer["result"]["protocolVersion"] == asked
    assert answer["result"]["serverInfo"]["name"] == "ragcli"


def test_an_unknown_version_is_offered_the_newest() -> None:
    """The client decides whether it can live with that."""
    (answer,) = talk(request("initialize", {"protocolVersion": "1999-01-01"}))
    assert answer["result"]["protocolVersion"] == VERSIONS[0]


def test_a_tool_is_listed_and_called() -> None:
    """Its schema is a JSON schema; what it returns comes as text and as structure."""
    listed, called = talk(request("tools/list", id_="a"), call(text="hi", times=2))
    (tool,) = listed["result"]["tools"]
    assert listed["id"] == "a" and tool["inputSchema"]["required"] == ["text"]
    assert tool["annotations"]["readOnlyHint"] is True
    assert called["result"]["structuredContent"] == {"said": "HIHI"}
    assert json.loads(called["result"]["content"][0]["text"]) == {"said": "HIHI"}


def test_notifications_and_responses_get_no_answer() -> None:
    """Nor do empty lines."""
    assert talk({"jsonrpc": "2.0", "method": "notifications/initialized"}, "") == []
    assert talk({"jsonrpc": "2.0", "id": 4, "result": {}}) == []


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("{nonsense", -32700),
        ("[]", -32600),
        ({"id": 1, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": 1}, -32600),
        (request("resources/list"), -32601),
        ({**request("ping"), "params": [1]}, -32602),
        (request("tools/call", {"name": "whisper"}), -32602),
        (call(), -32602),
        (call(text=5), -32602),
        (call(text="a", times=4), -32602),
        (call(text="a", times=True), -32602),
        (call(text="a", loudness=3), -32602),
        (call(text="break"), -32603),
    ],
)
def test_what_is_wrong_is_said_with_its_code(message: object, code: int) -> None:
    """And the session goes on."""
    first, second = talk(message, request("ping", id_=2))
    assert first["error"]["code"] == code and first["error"]["message"]
    assert second == {"jsonrpc": "2.0", "id": 2, "result": {}}


def test_an_error_of_ours_is_told_to_the_model() -> None:
    """With what to do about it."""
    (answer,) = talk(call(text=""))
    assert answer["result"]["isError"] is True
    assert answer["result"]["content"][0]["text"] == "nothing to shout; give a text"


def test_a_batch_is_answered_as_one() -> None:
    """The revision of 2025-03-26 knows batches."""
    (answers,) = talk([request("ping", id_=1), request("ping", id_=2)])
    assert [a["id"] for a in answers] == [1, 2]


def test_the_number_of_passages_is_that_of_the_settings(sample_store: Path) -> None:
    """Unless a call names another; the schema tells it."""
    tools = {tool.name: tool for tool in Tools(sample_store, Settings(top_k=4)).all()}
    assert tools["search"].properties["top_k"]["default"] == 4
    question = "Who signed the resin letter?"
    assert len(tools["search"].run(question=question)["hits"]) == 4
    assert len(tools["search"].run(question=question, top_k=2)["hits"]) == 2


def test_a_session_over_a_store(sample_store: Path) -> None:
    """search gives places that get_document finds again; the graph and the lists answer too."""
    with subprocess.Popen(
        [sys.executable, "-m", "ragcli", "serve", "--store", str(sample_store)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdin and server.stdout

        def tool(name: str, /, **arguments: object) -> Any:
            message = request("tools/call", {"name": name, "arguments": arguments})
            server.stdin.write(json.dumps(message) + "\n")  # type: ignore[union-attr]
            server.stdin.flush()  # type: ignore[union-attr]
            return json.loads(server.stdout.readline())["result"]  # type: ignore[union-attr]

        question = "What caused the radar's false alarms on sunny afternoons?"
        found = tool("search", question=question, top_k=3)["structuredContent"]
        assert len(found["hits"]) == 3
        hit = found["hits"][0]
        part = {name: hit[name] for name in ("doc", "start", "end")}
        assert tool("get_document", **part)["structuredContent"]["text"] == hit["text"]
        asked = tool("ask", question=question)["structuredContent"]
        assert "canopy" in asked["answer"] and asked["citations"]
        some = tool("list_documents", prefix="observatory/")["structuredContent"]
        assert 0 < some["total"] < len(list(SAMPLE.rglob("*")))
        assert all(d["doc"].startswith("observatory/") for d in some["documents"])
        near = tool("neighbours", name="Ravoire Bridge")["structuredContent"]
        assert near["entities"][0]["name"] == "Ravoire Bridge" and near["entities"][0]["related"]
        assert tool("neighbours", name="Xyzzy")["isError"] is True
        assert tool("get_document", doc="nowhere.md")["isError"] is True
        assert tool("search", question=" ")["isError"] is True
        assert tool("status")["structuredContent"]["documents"] == 39
        server.stdin.close()
        assert server.wait(timeout=30) == 0
