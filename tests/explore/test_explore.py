"""The page and GraphML: laid out without overlaps, complete, and safe whatever the texts hold."""

from __future__ import annotations

import math
import re
import shutil
import subprocess
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ragcli
from ragcli.asking.answer_graph import trace_of
from ragcli.config import Settings
from ragcli.explore import Picture, gather, to_graphml, to_html
from ragcli.explore.layout import pack
from ragcli.store.snapshot import open_snapshot
from ragcli.types import Answer, Citation, Hit, Reply

GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"


@settings(deadline=None, max_examples=50)
@given(st.lists(st.floats(1, 30), min_size=1, max_size=200), st.integers(1, 6))
def test_siblings_do_not_overlap_and_stand_inside(sizes: list[float], parts: int) -> None:
    """Leaves in some clusters: every circle is inside its parent's and beside its siblings."""
    children: dict[int, list[int]] = {-1: []}
    radii: dict[int, float] = {}
    for leaf, size in enumerate(sizes):
        group = 1000 + leaf % parts
        if group not in children:
            children[-1].append(group)
        children.setdefault(group, []).append(leaf)
        radii[leaf] = size
    circles = pack(children, radii)
    for parent, below in children.items():
        x, y, r = circles[parent]
        for child in below:
            a, b, c = circles[child]
            assert math.hypot(a - x, b - y) + c <= r * 1.0001
        for one, other in combinations(below, 2):
            (a, b, c), (d, e, f) = circles[one], circles[other]
            assert math.hypot(a - d, b - e) >= (c + f) * 0.999


def data_of(page: str) -> dict[str, Any]:
    """The JSON in the page."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    data: dict[str, Any] = orjson.loads(found[1])
    return data


def test_the_page_holds_the_store_and_loads_nothing(sample_store: Path) -> None:
    """All levels and names said twice; no address in it; the same twice; the policy forbids all."""
    with open_snapshot(sample_store) as snapshot:
        picture = gather(snapshot)
        said_twice = snapshot.db.execute(
            "SELECT count(*) FROM entities WHERE kind = 'name' AND mentions > 1"
        ).fetchone()[0]
        assert to_html(gather(snapshot)) == to_html(picture)
    page = to_html(picture)
    data = data_of(page)
    levels = {node["level"] for node in data["nodes"]}
    assert levels == set(range(max(levels) + 1)) and max(levels) >= 1
    assert sum(node["level"] == 0 for node in data["nodes"]) == said_twice
    for node in data["nodes"]:
        assert node["parent"] < 0 or data["nodes"][node["parent"]]["level"] == node["level"] + 1
    for a, b, _ in data["edges"]:
        assert data["nodes"][a]["level"] == data["nodes"][b]["level"]
    code = re.sub(r'id="data">(.*?)</script>', "", page, flags=re.DOTALL)
    assert "default-src 'none'" in code
    assert not re.search(r"https?://|src=|@import|url\(", code)


def test_texts_cannot_break_out(tmp_path: Path) -> None:
    """A name that ends the script, template delimiters, characters that XML cannot hold."""
    bad = "</script><img src=x onerror=alert(1)>\x01&\"'{{ 7*7 }}{% x %}"
    node = {"name": bad, "level": 0, "parent": -1, "text": bad, "row": 1, "mentions": 2}
    picture = Picture([node], [], [("a<b", 1, bad)])
    page = to_html(picture)
    assert "<img" not in page and data_of(page)["nodes"][0]["name"] == bad
    assert "unsafe" not in page and page.count("<script") == 2
    root = ElementTree.fromstring(to_graphml(picture))
    assert root.findtext(f".//{GRAPHML}data[@key='name']") == bad.replace("\x01", "")


def test_graphml_has_every_node_and_edge(sample_store: Path) -> None:
    """Relations and memberships, between nodes that are there."""
    with open_snapshot(sample_store) as snapshot:
        picture = gather(snapshot)
    root = ElementTree.fromstring(to_graphml(picture))
    ids = {node.get("id") for node in root.iter(f"{GRAPHML}node")}
    edges = list(root.iter(f"{GRAPHML}edge"))
    members = sum(node["parent"] >= 0 for node in picture.nodes)
    assert len(ids) == len(picture.nodes) and len(edges) == len(picture.edges) + members
    assert {e.get("source") for e in edges} | {e.get("target") for e in edges} <= ids


def test_the_way_of_an_answer(sample_store: Path) -> None:
    """Seeds, and what stands above them, are marked; another mode marks the names asked for."""
    text = "What did the radar report about Kesselhorn?"
    for mode in ("lean", "walk"):
        with ragcli.Store.open(sample_store, Settings(mode=mode, min_confidence=0.0)) as store:
            answer, page = store.ask_and_draw(text)
        assert answer.hits and answer.mode == mode
        data = data_of(page)
        trace = data["trace"]
        assert trace["question"] == text and trace["seeds"]
        assert set(trace["seeds"]) <= set(trace["path"])
        assert any(data["nodes"][i]["level"] for i in trace["path"]) == (mode == "lean")
        assert answer.reply.short and answer.reply.short.text in trace["short"]
        whole = ["".join(text for text, _ in parts) for _, _, parts in trace["passages"]]
        assert {hit.text for hit in answer.hits} <= set(whole)
        assert trace["passages"][0][2] and any(n for _, n in trace["passages"][0][2])


def hit(start: int, text: str, doc: str = "a.md") -> Hit:
    end = start + len(text)
    return Hit("c", doc, "A", start, end, 3, 4, text, 1.0, 1, headings=((0, "Top"), (99, "Low")))


def test_quotes_are_marked_in_passages() -> None:
    """To the character; also those that overlap, go beyond a passage, or are in none."""
    said = "Ada built it. Jon sold it. Eve wept."
    spans = [(10, 23), (14, 30), (36, 60), (300, 309)]
    cited = tuple(
        Citation(n, "a.md", "a.md", start, end, 1, 1, "q" * (end - start), heading="Top")
        for n, (start, end) in enumerate(spans, 1)
    )
    hits = (hit(10, said, "b.md"), hit(10, said))
    reply = Reply("", cited, "extractive", note="why")
    answer = Answer("Who?", "auto", reply, hits, (), 9, {}, 1)
    asked: Any = SimpleNamespace(answer=answer, retrieval=SimpleNamespace(seeds=(), path=()))
    trace = trace_of(asked)
    assert trace.answer == "why" and trace.short == ""
    first, outside, unmarked = trace.passages
    assert (first.place, first.heading, outside.place) == ("a.md:3", "Top", "a.md:1")
    assert first.text == (
        ("Ada built it.", 1), (" Jon so", 2), ("ld it.", 0), (" Eve wept.", 3),
    )  # fmt: skip
    assert outside.text == (("q" * 9, 4),) and unmarked.text == ((said, 0),)


@pytest.mark.parametrize("answered", [False, True])
def test_a_browser_draws_it(sample_store: Path, tmp_path: Path, answered: bool) -> None:
    """Headless Chromium runs the script to its end and shows what was searched for, or the answer
    with its quotes marked."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no chromium or google-chrome on the path")
    if answered:
        with ragcli.Store.open(sample_store) as store:
            _, page = store.ask_and_draw("Who built the Kesselhorn Observatory?")
    else:
        with open_snapshot(sample_store) as snapshot:
            page = to_html(gather(snapshot))
    (tmp_path / "g.html").write_text(page, encoding="utf-8")
    done = subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=3000",
         f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom",
         f"file://{tmp_path / 'g.html'}{'' if answered else '#Kesselhorn'}"],
        capture_output=True, text=True, timeout=90, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-500:]
    assert 'data-ready="1"' in done.stdout
    side = done.stdout[done.stdout.index("<aside") : done.stdout.index("</aside>")]
    for shown in ("<mark>", "It began at", "Groups") if answered else ("Kesselhorn", "Relations"):
        assert shown in side
    # The reply is read before the graph.
    assert (done.stdout.index("<aside") < done.stdout.index("<canvas")) == answered


def test_groups_and_folders(sample_store: Path) -> None:
    """Related names are of one group; a folder's circle holds the names that it says most."""
    with open_snapshot(sample_store) as snapshot:
        data = data_of(to_html(gather(snapshot)))
    entities = [node for node in data["nodes"] if not node["level"]]
    related = [(data["nodes"][a], data["nodes"][b]) for a, b, _ in data["edges"]]
    pairs = [(a, b) for a, b in related if not a["level"]]
    assert all("community" in node for pair in pairs for node in pair)
    together = sum(a["community"] == b["community"] for a, b in pairs)
    assert 1 < len({node.get("community") for node in entities}) < len(entities)
    assert together > len(pairs) / 3
    circles = {name: (x, y, r) for name, x, y, r in data["folders"]}
    assert {"letters", "valley"} <= circles.keys()
    for node in entities:
        if "folder" in node:
            x, y, r = circles[node["folder"] or "/"]
            assert math.hypot(node["folder_at"][0] - x, node["folder_at"][1] - y) <= r + 0.1
