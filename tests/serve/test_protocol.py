"""The protocol by itself, with a tool made for the test, in the stateless and the older revisions.

https://modelcontextprotocol.io/specification/2026-07-28 is the source of the codes and fields.
"""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from mcp_messages import CAPABILITIES, META, VERSION, call, request, stateless, talk

from ragcli.serve.call import Call
from ragcli.serve.desk import Desk
from ragcli.serve.jsonrpc import LARGEST_BATCH
from ragcli.serve.protocol import VERSIONS
from ragcli.serve.stdio import serve
from release import conformance


@pytest.mark.parametrize("asked", VERSIONS)
def test_a_known_version_is_kept(asked: str) -> None:
    """The client's revision of the protocol, when this server knows it."""
    (answer,) = talk(request("initialize", {"protocolVersion": asked}))
    assert answer["result"]["protocolVersion"] == asked
    assert answer["result"]["serverInfo"]["name"] == "ragcli"
    assert answer["result"]["instructions"] == "How to use it."


def test_an_unknown_version_is_offered_the_newest() -> None:
    """The client decides whether it can live with that. 2026-07-28 has no handshake."""
    for asked in ("1999-01-01", "2026-07-28"):
        (answer,) = talk(request("initialize", {"protocolVersion": asked}))
        assert answer["result"]["protocolVersion"] == "2025-11-25"


def test_discovery_tells_versions_and_capabilities() -> None:
    """It replaces the handshake; the server names itself in every result."""
    (answer,) = talk(stateless("server/discover"))
    result = answer["result"]
    assert result["resultType"] == "complete" and result["supportedVersions"] == ["2026-07-28"]
    assert {"tools", "resources"} <= result["capabilities"].keys()
    assert result["ttlMs"] >= 0 and result["cacheScope"] == "public"
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "ragcli"


@pytest.mark.parametrize("method", ["tools/list", "resources/list", "resources/templates/list"])
def test_stateless_lists_say_how_long_they_last(method: str) -> None:
    """The older revisions do not know these fields and do not get them."""
    new, old = talk(stateless(method), request(method))
    assert new["result"].pop("ttlMs") >= 0 and new["result"].pop("cacheScope")
    assert new["result"].pop("resultType") == "complete" and new["result"].pop("_meta")
    assert new["result"] == old["result"]


@pytest.mark.parametrize(
    ("meta", "code"),
    [
        ({VERSION: "1900-01-01", CAPABILITIES: {}}, -32022),
        ({VERSION: "2025-11-25", CAPABILITIES: {}}, -32022),
        ({VERSION: "2026-07-28"}, -32602),
        ({VERSION: 2026, CAPABILITIES: {}}, -32602),
        ({VERSION: "2026-07-28", CAPABILITIES: []}, -32602),
    ],
)
def test_stateless_requests_need_their_metadata(meta: dict[str, Any], code: int) -> None:
    """An unsupported version is told with the supported ones."""
    (answer,) = talk(request("tools/list", {"_meta": meta}))
    assert answer["error"]["code"] == code
    if code == -32022:
        data = {"supported": ["2026-07-28"], "requested": meta[VERSION]}
        assert answer["error"]["data"] == data


@pytest.mark.parametrize("method", ["ping", "initialize", "resources/subscribe"])
def test_what_the_stateless_revision_dropped_is_unknown_in_it(method: str) -> None:
    (answer,) = talk(stateless(method))
    assert answer["error"]["code"] == -32601


def test_a_tool_is_listed_and_called() -> None:
    """Its schemas are JSON schemas; what it returns comes as short text and as structure."""
    (listed,) = talk(request("tools/list", id_="a"))
    (called,) = talk(call(text="hi", times=2))
    (tool,) = listed["result"]["tools"]
    assert listed["id"] == "a" and tool["inputSchema"]["required"] == ["text"]
    assert tool["outputSchema"]["required"] == ["said"]
    assert tool["annotations"]["readOnlyHint"] is True
    assert called["result"]["structuredContent"] == {"said": "HIHI"}
    assert called["result"]["content"] == [{"type": "text", "text": "HIHI"}]
    assert called["result"]["isError"] is False


def test_another_name_of_an_argument_is_accepted() -> None:
    """Unless the argument is there itself."""
    assert talk(call(word="hi"))[0]["result"]["structuredContent"] == {"said": "HI"}
    assert talk(call(word="hi", text="ho"))[0]["result"]["isError"] is True


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ({}, "needs the argument 'text'"),
        ({"text": 5}, "must be a string"),
        ({"text": "x" * 101}, "at most 100"),
        ({"text": "a", "times": 4}, "must be from 1 to 3"),
        ({"text": "a", "times": True}, "must be an integer"),
        ({"text": "a", "loudness": 3}, "has no argument 'loudness'; it has: text, times"),
        ([1], "must be a JSON object"),
        ({"text": ""}, "nothing to shout; give a text"),
    ],
)
def test_wrong_arguments_are_results_that_a_model_can_read(arguments: Any, part: str) -> None:
    """Protocol errors often do not reach the model, so it could not correct its call."""
    params = {"name": "shout", "arguments": arguments}
    for message in (request("tools/call", params), stateless("tools/call", 1, **params)):
        (answer,) = talk(message)
        assert answer["result"]["isError"] is True
        assert part in answer["result"]["content"][0]["text"]


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
        (request("prompts/list"), -32601),
        ({**request("ping"), "params": [1]}, -32602),
        (request("tools/call", {"name": "whisper"}), -32602),
        (request("tools/call", {"name": ["shout"]}), -32602),
        (request("resources/read", {"uri": 5}), -32602),
        (request("resources/read", {"uri": "made:other"}), -32002),
        (stateless("resources/read", 1, uri="made:other"), -32602),
        (request("resources/list", {"cursor": "never given"}), -32602),
        (request("tools/list", {"cursor": "never given"}), -32602),
        (request("completion/complete", {"ref": {"type": "ref/prompt"}, "argument": {}}), -32602),
        (call(text="break"), -32603),
        (call(text="unwritable"), -32603),
        (stateless("tools/call", 1, name="shout", arguments={"text": "break"}), -32603),
    ],
)
def test_what_is_wrong_is_said_with_its_code(message: object, code: int) -> None:
    """And the session goes on."""
    answers = talk(message, request("ping", id_=2))
    first, second = sorted(answers, key=lambda answer: answer["id"] == 2)
    assert first["error"]["code"] == code and first["error"]["message"]
    assert second == {"jsonrpc": "2.0", "id": 2, "result": {}}


@pytest.mark.parametrize(
    "id_",
    ["[" * 900 + "]" * 900, '{"a":' * 300 + "1" + "}" * 300, "null", "true", "1.5", "[1]", "{}"],
)
def test_an_id_that_is_none_does_not_end_the_server(id_: str) -> None:
    """An id is a string or an integer; nothing else is written back, however deep it is."""
    line = f'{{"jsonrpc": "2.0", "id": {id_}, "method": "ping"}}'
    bad, good = talk(line, request("ping", id_=2))
    assert bad["id"] is None and bad["error"]["code"] == -32600
    assert good["result"] == {}


@pytest.mark.parametrize("depth", [200, 900, 5000, 400_000])
def test_deep_nesting_anywhere_is_answered(depth: int) -> None:
    """In arguments, metadata and parameters."""
    deep = "[" * depth + "]" * depth
    for place in ('{"name": "shout", "arguments": {"text": %s}}', '{"_meta": %s}', '{"x": %s}'):
        line = '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": ' + place % deep + "}"
        answers = talk(line, request("ping", id_=2))
        assert {"jsonrpc": "2.0", "id": 2, "result": {}} in answers and len(answers) == 2


def test_a_message_that_is_too_long_is_refused() -> None:
    """The next one is read from its beginning."""
    for size in (1 << 20, 3 << 20):
        bad, good = talk("x" * (size + 10), request("ping", id_=2))
        assert bad["error"]["code"] == -32600 and "at most" in bad["error"]["message"]
        assert good["id"] == 2


def test_a_batch_is_answered_as_one() -> None:
    """The revision of 2025-03-26 knows batches; an endless one is refused."""
    (answers,) = talk([request("ping", id_=1), request("ping", id_=2)])
    assert [a["id"] for a in answers] == [1, 2]
    (refused,) = talk([request("ping", id_=n) for n in range(LARGEST_BATCH + 1)])
    assert refused["error"]["code"] == -32600


def test_lists_of_resources_have_pages() -> None:
    """The cursor of one page gives the next."""
    (first,) = talk(request("resources/list"))
    cursor = first["result"]["nextCursor"]
    (second,) = talk(request("resources/list", {"cursor": cursor}))
    assert second["result"]["resources"][0]["uri"] == "made:second"
    assert "nextCursor" not in second["result"]


def test_a_resource_is_read_and_its_name_completed() -> None:
    (read,) = talk(stateless("resources/read", 1, uri="made:first"))
    assert read["result"]["contents"][0]["text"] == "made text"
    ref = {"type": "ref/resource", "uri": "made:{name}"}
    params = {"ref": ref, "argument": {"name": "name", "value": "f"}}
    (completed,) = talk(request("completion/complete", params))
    assert completed["result"]["completion"]["values"] == ["first"]


@pytest.mark.parametrize("token", ["abc", 7])
def test_progress_is_sent_to_those_who_ask(token: object) -> None:
    """It increases, and nothing follows the response."""
    params = {"name": "shout", "arguments": {"text": "hi"}}
    params["_meta"] = {**META, "progressToken": token}
    *notes, last = talk(request("tools/call", params))
    assert [n["params"]["progress"] for n in notes] == [1.0, 2.0]
    assert all(n["params"]["progressToken"] == token for n in notes)
    assert last["result"]["structuredContent"] == {"said": "HI"}


def test_progress_may_begin_at_nothing_and_never_falls() -> None:
    """0 is told if it is the first; a value that is not higher than the last one is not."""
    notes: list[Any] = []
    made = Call(notes.append)
    made.report_as("t")
    for done in (0, 0, 50, 20, 50, 100):
        made.step(done, 100, "working")
    assert [n["params"]["progress"] for n in notes] == [0.0, 50.0, 100.0]


def test_writing_goes_on_without_reaching_the_next_step() -> None:
    """A model's pieces come nearer to the end of the step, and are not told one by one."""
    notes: list[Any] = []
    made = Call(notes.append)
    made.report_as("t")
    made.step(2, 3, "reading")
    for _ in range(1000):
        made.still("writing")
    made._told = -1e9
    made.still("writing")
    made.step(3, 3, "done")
    values = [n["params"]["progress"] for n in notes]
    assert values == [2.0, 2.5, 3.0]


def test_the_fixtures_of_the_conformance_suite() -> None:
    """What ``release/conformance.py`` serves is what the suite's scenarios look for."""
    made = conformance.endpoint()

    def ask(method: str, **params: Any) -> Any:
        lines = f"{json.dumps(request(method, params))}\n".encode()
        out = io.BytesIO()
        serve(io.BytesIO(lines), out, Desk(made))
        return [json.loads(line) for line in out.getvalue().splitlines()]

    (said,) = ask("tools/call", name="test_simple_text", arguments={})
    assert said["result"]["content"] == [{"type": "text", "text": conformance.TEXT}]
    (failed,) = ask("tools/call", name="test_error_handling", arguments={})
    assert failed["result"]["isError"] is True
    assert conformance.FAILURE in failed["result"]["content"][0]["text"]
    meta = {**META, "progressToken": 1}
    *notes, _ = ask("tools/call", name="test_tool_with_progress", arguments={}, _meta=meta)
    assert [note["params"]["progress"] for note in notes] == [0, 50, 100]
    (read,) = ask("resources/read", uri="test://template/123/data")
    assert '"id":"123"' in read["result"]["contents"][0]["text"]
    (text,) = ask("resources/read", uri=conformance.STATIC)
    assert text["result"]["contents"][0]["text"]
    (unknown,) = ask("resources/read", uri="test://static-binary")
    assert "error" in unknown
