"""The tools and resources over a real store, called directly and as a whole process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import SAMPLE, Run
from docx import Document
from hypothesis import given
from hypothesis import strategies as st
from mcp_messages import request, stateless

from ragcli.config import Settings
from ragcli.errors import InputError
from ragcli.serve.call import Call
from ragcli.serve.jsonrpc import RpcError, encoded
from ragcli.serve.protocol import NoResource
from ragcli.serve.resources import LONGEST_READ, PART, WHOLE, Resources, shares, uri_of
from ragcli.serve.served import Served
from ragcli.serve.tools import LONGEST_QUESTION, Tools

# Seconds for each test itself: none may wait for ever.
pytestmark = pytest.mark.timeout(120, func_only=True)

QUESTION = "What caused the radar's false alarms on sunny afternoons?"
SURE, SURE_ANSWER = "How long is Tomme de Têtu ripened?", "120 days"
"""A question of the sample corpus whose short answer is sure enough to be shown."""


def use(store: Path, tool: str, /, **arguments: object) -> Any:
    """The structure of a tool's result."""
    (found,) = [t for t in Tools(Served([store]), Settings()).all() if t.name == tool]
    return found.result(Call(), arguments).get("structuredContent")


def text_of(store: Path, tool: str, /, **arguments: object) -> str:
    """The text of a tool's result."""
    (found,) = [t for t in Tools(Served([store]), Settings()).all() if t.name == tool]
    (content,) = found.result(Call(), arguments)["content"]
    return str(content["text"])


@pytest.fixture
def failed_store(tmp_path: Path, called: Run) -> Path:
    """A store with a document that could never be read, and one that no longer can."""
    docs, store = tmp_path / "docs", tmp_path / "s"
    docs.mkdir()
    (docs / "good.txt").write_text("The pump stands in hall 3.")
    (docs / "bad.pdf").write_bytes(b"%PDF-1.7\nno pdf")
    later = Document()
    later.add_paragraph("The valve is closed.")
    later.save(str(docs / "later.docx"))
    assert called("index", docs, "--store", store).returncode == 1
    return store


def test_the_number_of_passages_is_that_of_the_settings(sample_store: Path) -> None:
    """Unless a call names another; the schema tells it."""
    tools = {tool.name: tool for tool in Tools(Served([sample_store]), Settings(top_k=4)).all()}
    assert tools["search"].properties["top_k"]["default"] == 4
    question = "Who signed the resin letter?"
    assert len(tools["search"].run(Call(), query=question)["hits"]) == 4
    assert len(tools["search"].run(Call(), query=question, top_k=2)["hits"]) == 2


def test_search_and_fetch_as_connectors_expect_them(sample_store: Path) -> None:
    """``results`` with id, title and url, as JSON in the text; fetch gives the text for an id."""
    found = json.loads(text_of(sample_store, "search", query=QUESTION, top_k=3))
    assert len(found["results"]) == 3
    for row in found["results"]:
        assert row["id"] and row["title"] and row["url"].startswith("ragcli://document/")
        fetched = json.loads(text_of(sample_store, "fetch", id=row["id"]))
        assert fetched["id"] == row["id"] and fetched["url"] and fetched["title"] == row["title"]
        assert row["text"].rstrip("…") in fetched["text"]


def test_a_map_of_all_and_of_a_folder(sample_store: Path) -> None:
    """Its parts are folders, or documents; each sentence is a quote with its place."""
    whole = use(sample_store, "map")
    assert [part["name"] for part in whole["maps"][0]["parts"]]
    valley = use(sample_store, "map", name="valley")
    assert whole["citations"] and valley["citations"]
    for quote in valley["citations"]:
        assert "valley/" in quote["doc"]
        there = use(sample_store, "get_document", doc=quote["doc"], start=quote["start"])
        assert there["text"].startswith(quote["quote"])
        assert quote["quote"].split()[0] in text_of(sample_store, "map", name="valley")


def test_fetch_takes_several_ids(sample_store: Path) -> None:
    """They share the budget, a wrong one costs none of the others, and none is given twice."""
    hits = use(sample_store, "search", query=QUESTION, top_k=4)["results"]
    ids = [hits[0]["id"], "nowhere.md", hits[1]["id"], hits[0]["id"]]
    found = json.loads(text_of(sample_store, "fetch", ids=ids, budget=500))["results"]
    assert [one["id"] for one in found] == [hits[0]["id"], "nowhere.md", hits[1]["id"]]
    assert "no document" in found[1]["error"] and "text" not in found[1]
    assert [len(found[0]["text"]), len(found[2]["text"])] == [250, 250]
    start, end = map(int, hits[0]["id"].rpartition("@")[2].split("-"))
    place = found[0]["metadata"]
    assert place["start"] <= (start + end) // 2 <= place["end"]
    alone = json.loads(text_of(sample_store, "fetch", id=hits[0]["id"]))
    assert found[0]["text"] in alone["text"]
    with pytest.raises(InputError, match="'id' or 'ids'"):
        text_of(sample_store, "fetch", budget=500)


@given(st.lists(st.integers(0, 500), max_size=8), st.integers(0, 2000))
def test_shares_of_a_budget(wanted: list[int], budget: int) -> None:
    """Nobody gets more than wanted, nothing is left while somebody wants more but for what does not
    divide, and nobody who wants more gets less than another, but for 1."""
    given_ = shares(wanted, budget)
    assert all(got <= most for got, most in zip(given_, wanted, strict=True))
    left = budget - sum(given_)
    assert left >= 0
    short = [got for got, most in zip(given_, wanted, strict=True) if got < most]
    if short:
        assert left == 0 and max(given_) - min(short) <= 1


def test_pages_of_a_search(sample_store: Path) -> None:
    """Two pages hold what one of twice the size holds; the last one says so."""
    whole = use(sample_store, "search", query=QUESTION, top_k=8)
    first = use(sample_store, "search", query=QUESTION, top_k=4)
    second = use(sample_store, "search", query=QUESTION, top_k=4, offset=first["next_offset"])
    assert first["results"] + second["results"] == whole["results"]
    assert use(sample_store, "search", query=QUESTION, top_k=100)["next_offset"] is None


def test_fetch_takes_the_id_of_a_document_too(sample_store: Path) -> None:
    doc = use(sample_store, "list_documents", limit=1)["documents"][0]["doc"]
    assert json.loads(text_of(sample_store, "fetch", id=doc))["metadata"]["doc"] == doc
    with pytest.raises(InputError, match="no document 'nowhere'"):
        use(sample_store, "fetch", id="nowhere@1-2")


def test_a_long_list_of_passages_comes_once(sample_store: Path) -> None:
    """The text is a short form of the structure."""
    (search,) = [t for t in Tools(Served([sample_store]), Settings()).all() if t.name == "search"]
    result = search.result(Call(), {"query": "the report of the year", "top_k": 100})
    whole = len(encoded(result["structuredContent"]))
    text = len(result["content"][0]["text"])
    assert len(result["structuredContent"]["hits"]) == 100
    assert whole > 60_000 and text < whole / 2


def test_a_question_may_be_a_query(sample_store: Path) -> None:
    """And the other way round."""
    assert use(sample_store, "search", question=QUESTION, top_k=1)["hits"]
    assert SURE_ANSWER in use(sample_store, "ask", query=SURE)["short"]["text"]


def test_a_question_has_a_longest_length(sample_store: Path) -> None:
    with pytest.raises(InputError, match=f"at most {LONGEST_QUESTION}"):
        use(sample_store, "ask", question="x" * (LONGEST_QUESTION + 1))
    assert use(sample_store, "search", query="radar " * (LONGEST_QUESTION // 6), top_k=1)["hits"]


def test_a_search_may_be_limited_to_some_documents(sample_store: Path) -> None:
    """By the same options as ``ragcli ask``; an empty selection is an error that names it."""
    found = use(sample_store, "search", query="radar", **{"in": ["observatory"], "type": ["md"]})
    docs = {hit["doc"] for hit in found["hits"]}
    assert docs and all(d.startswith("observatory/") and d.endswith(".md") for d in docs)
    with pytest.raises(InputError, match="--in 'nowhere'"):
        use(sample_store, "ask", question="radar?", **{"in": ["nowhere"]})
    for wrong in ({"in": "observatory"}, {"type": [1]}, {"where": ["x"] * 51}, {"where": ["x"]}):
        with pytest.raises(InputError):
            use(sample_store, "search", query="radar", **wrong)


def test_a_search_takes_conditions_as_the_command_does(sample_store: Path) -> None:
    """Phrases, words to leave out, titles and paths; and what occurs nowhere finds nothing."""
    found = use(sample_store, "search", query='"false alarms" path:observatory')
    assert found["question"] == '"false alarms" path:observatory'
    for hit in found["hits"]:
        assert "false alarm" in " ".join(hit["text"].casefold().split())
        assert hit["doc"].startswith("observatory/")
    words = {hit["text"] for hit in use(sample_store, "search", query="radar alarms")["hits"]}
    without = {hit["text"] for hit in use(sample_store, "search", query="radar -alarms")["hits"]}
    assert any("alarm" in text for text in words) and without
    assert not any("alarm" in text for text in without)
    nothing = use(sample_store, "search", query="qqqzzzxxy")
    assert found["hits"] and nothing["hits"] == nothing["results"] == []


def test_an_answer_as_text(sample_store: Path) -> None:
    """With its short answer and its quotes, or with the reason for none."""
    text = text_of(sample_store, "ask", question=SURE)
    short, _, quotes = text.partition("\n")
    assert short.startswith("**") and "confidence" in short and SURE_ANSWER in short
    assert "\n[1] " in quotes and "**" in quotes
    nothing = text_of(sample_store, "ask", question="What is the boiling point of tungsten?")
    assert nothing.startswith("The documents contain no answer.")


def test_a_document_that_failed_is_told_the_same_way_everywhere(failed_store: Path) -> None:
    """list_documents shows it as failed; reading it says the same reason."""
    listed = {d["doc"]: d for d in use(failed_store, "list_documents")["documents"]}
    assert listed["bad.pdf"]["status"] == "failed"
    reason = listed["bad.pdf"]["error"]
    assert f"bad.pdf (failed: {reason})" in text_of(failed_store, "list_documents")
    for tool, name in (("get_document", "doc"), ("fetch", "id")):
        with pytest.raises(InputError) as raised:
            use(failed_store, tool, **{name: "bad.pdf"})
        assert reason in raised.value.message
    with pytest.raises(NoResource, match="could not be read"):
        Resources(Served([failed_store])).read(uri_of("bad.pdf"))
    assert use(failed_store, "get_document", doc="good.txt")["status"] == "ok"


def test_a_document_that_fails_later_keeps_its_text(failed_store: Path, called: Run) -> None:
    """And is told as failed with it."""
    docs = failed_store.parent / "docs"
    (docs / "later.docx").write_bytes(b"no archive any more")
    assert called("update", "--store", failed_store).returncode == 1
    read = use(failed_store, "get_document", doc="later.docx")
    (listed,) = use(failed_store, "list_documents", prefix="later")["documents"]
    assert read["status"] == listed["status"] and read["error"] == listed["error"]
    assert read["status"] == "failed" and "valve is closed" in read["text"]


def test_the_list_of_documents_has_pages(sample_store: Path) -> None:
    """Together they are all documents, by id."""
    ids: list[str] = []
    offset: int | None = 0
    while offset is not None:
        page = use(sample_store, "list_documents", limit=7, offset=offset)
        ids += [d["doc"] for d in page["documents"]]
        offset = page["next_offset"]
    assert len(ids) == page["total"] == 39 and ids == sorted(ids)
    assert use(sample_store, "list_documents", offset=1000)["next_offset"] is None
    some = use(sample_store, "list_documents", prefix="observatory/")
    assert 0 < some["total"] < 39
    # A percent sign or an underscore is no pattern.
    assert use(sample_store, "list_documents", prefix="%")["total"] == 0


def test_documents_are_resources(sample_store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The list has pages, and each of its URIs can be read, as a whole and in part."""
    monkeypatch.setattr("ragcli.serve.resources._PAGE", 10)
    shelf = Resources(Served([sample_store]))
    cursor, uris = "", []
    for _ in range(9):
        rows, cursor = shelf.page(cursor)
        uris += [row["uri"] for row in rows]
        if not cursor:
            break
    assert len(set(uris)) == 39
    for uri in uris:
        (whole,) = shelf.read(uri)
        (part,) = shelf.read(f"{uri}?start=5&end=25")
        assert part["text"] == whole["text"][5:25] and len(whole["text"]) <= LONGEST_READ


@pytest.mark.parametrize(
    "uri",
    [
        "file:///etc/passwd",
        "ragcli://document/nowhere.md",
        "ragcli://document/../../etc/passwd",
        "ragcli://document/%ff",
        "ragcli://document/",
        "",
        "ragcli://document/x?start=a",
        "ragcli://document/x?start=" + "9" * 5000,
    ],
)
def test_what_is_no_document_is_no_resource(sample_store: Path, uri: str) -> None:
    with pytest.raises(NoResource):
        Resources(Served([sample_store])).read(uri)


@pytest.mark.parametrize("cursor", ["é", "!", "a", "////"])
def test_a_cursor_that_was_never_given_is_refused(sample_store: Path, cursor: str) -> None:
    with pytest.raises(RpcError):
        Resources(Served([sample_store])).page(cursor)


def test_ids_are_completed(sample_store: Path) -> None:
    found = Resources(Served([sample_store])).completions(WHOLE, "doc", "observatory/h")
    assert found["values"] and all(v.startswith("observatory/h") for v in found["values"])
    assert Resources(Served([sample_store])).completions(PART, "start", "1")["values"] == []
    with pytest.raises(RpcError):
        Resources(Served([sample_store])).completions("other", "doc", "")


def test_a_session_over_a_store(sample_store: Path) -> None:
    """search gives places that get_document finds again; the graph and the lists answer too."""
    with subprocess.Popen(
        [sys.executable, "-m", "ragcli", "serve", "--store", str(sample_store)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdin and server.stdout

        def send(message: object) -> Any:
            server.stdin.write(json.dumps(message) + "\n")  # type: ignore[union-attr]
            server.stdin.flush()  # type: ignore[union-attr]
            return json.loads(server.stdout.readline())["result"]  # type: ignore[union-attr]

        def tool(name: str, /, **arguments: object) -> Any:
            return send(request("tools/call", {"name": name, "arguments": arguments}))

        found = tool("search", query=QUESTION, top_k=3)["structuredContent"]
        assert len(found["hits"]) == 3
        hit = found["hits"][0]
        part = {name: hit[name] for name in ("doc", "start", "end")}
        assert tool("get_document", **part)["structuredContent"]["text"] == hit["text"]
        asked = tool("ask", question=SURE)["structuredContent"]
        assert SURE_ANSWER in asked["short"]["text"] and asked["citations"]
        some = tool("list_documents", prefix="observatory/")["structuredContent"]
        assert 0 < some["total"] < len(list(SAMPLE.rglob("*")))
        assert all(d["doc"].startswith("observatory/") for d in some["documents"])
        near = tool("neighbours", name="Ravoire Bridge")["structuredContent"]
        assert near["entities"][0]["name"] == "Ravoire Bridge" and near["entities"][0]["related"]
        assert tool("neighbours", name="Xyzzy")["isError"] is True
        assert tool("get_document", doc="nowhere.md")["isError"] is True
        assert tool("search", query=" ")["isError"] is True
        assert tool("search")["isError"] is True
        assert tool("status")["structuredContent"]["documents"] == 39
        assert send(stateless("server/discover"))["supportedVersions"] == ["2026-07-28"]
        read = send(stateless("resources/read", 1, uri=uri_of(hit["doc"])))
        assert read["contents"][0]["text"]
        server.stdin.close()
        assert server.wait(timeout=30) == 0


def test_a_port_needs_http(called: Run, sample_store: Path) -> None:
    """A number alone is a mistake, and an occupied port is said."""
    done = called("serve", "8765", "--store", sample_store)
    assert done.returncode == 2 and "--http 8765" in done.stderr
