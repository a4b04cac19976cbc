"""Summary trees of documents and folders."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcli.graph import summary_tree
from ragcli.graph.summary_tree import GROUP, Leaf, document_tree, folder_nodes
from ragcli.types import Chunk
from ragcli.types.document_ids import folder_of


def chunk(ordinal: int) -> Chunk:
    text = f"Chunk number {ordinal} tells of harbour {ordinal}."
    span = (ordinal * 100, ordinal * 100 + len(text), ordinal * 100)
    return Chunk(f"d@{ordinal}", "d", ordinal, *span, 1, 1, "", text, 9)


def leaf(doc: str) -> Leaf:
    return Leaf(f"{doc}^1.0", doc, f"The document {doc} tells of things.")


def test_every_five_chunks_make_a_summary_until_one_root() -> None:
    """27 chunks: 6 summaries, then 2, then the root."""
    nodes = document_tree("d", "", [chunk(i) for i in range(27)])
    assert [n.level for n in nodes] == [1] * 6 + [2] * 2 + [3]
    assert nodes[-1].children == ("d^2.0", "d^2.1")
    assert nodes[0].children == tuple(f"d@{i}" for i in range(GROUP))


@given(st.integers(1, 200))
def test_trees_have_one_root_and_every_node_one_parent(count: int) -> None:
    """Every chunk and every node but the root is the child of exactly one node."""
    nodes = document_tree("d", "", [chunk(i) for i in range(count)])
    children = [c for n in nodes for c in n.children]
    everything = [f"d@{i}" for i in range(count)] + [n.id for n in nodes[:-1]]
    assert sorted(children) == sorted(everything)
    assert nodes[-1].level <= math.ceil(math.log(max(count, 2), GROUP)) + 1


def test_folders_of_records_and_files() -> None:
    """A JSON Lines file is the folder of its records."""
    assert folder_of("a/b/c.md") == "a/b"
    assert folder_of("a/f.jsonl#7") == "a/f.jsonl"
    assert folder_of("c#sharp.md") == ""
    assert folder_of("a/R.JSONL#x#1/2") == "a/R.JSONL"


def test_folder_nodes_lead_from_one_root_to_every_document() -> None:
    """Deep folders, records and files at the top all hang below the last node."""
    leaves = [leaf(d) for d in ("x.md", "a/b/y.md", "a/z.md", "a/r.jsonl#1", "a/r.jsonl#2")]
    nodes = {n.id: n for n in folder_nodes(leaves, {})}
    reached, todo = set(), [list(nodes)[-1]]
    while todo:
        name = todo.pop()
        reached.add(name)
        todo += nodes[name].children if name in nodes else ()
    assert {x.node for x in leaves} <= reached
    assert set(nodes) <= reached


@settings(deadline=None)
@given(st.sets(st.integers(0, 3000), min_size=30, max_size=300), st.integers(3001, 4000))
def test_one_more_document_touches_one_group_and_its_ancestors(names: set[int], extra: int) -> None:
    """Of a folder's many groups only those on one path to the root are made again."""
    before = [leaf(f"f/{n}.md") for n in names]
    old = folder_nodes(before, {})
    new = folder_nodes([*before, leaf(f"f/{extra}.md")], {})
    fresh = {n.id for n in new} - {n.id for n in old}
    depth = max(n.level for n in new if n.doc == "f")
    assert len(fresh) <= 3 * (depth + 1)


def test_known_nodes_are_not_summed_up_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """With all nodes known, the splitter is never asked."""
    leaves = [leaf(f"f/{n}.md") for n in range(40)]
    known = {n.id: n for n in folder_nodes(leaves, {})}

    def never(*_: object) -> str:
        raise AssertionError("summarised again")

    monkeypatch.setattr(summary_tree, "summarise", never)
    assert [n.id for n in folder_nodes(leaves, known)] == list(known)
