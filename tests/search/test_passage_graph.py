"""The arrays of passages and names."""

import sqlite3
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.search.passage_graph import PassageGraph, edge_weight, pack, write_passage_graph

Edge = tuple[int, int, float]


def graph_of(edges: list[Edge], passages: int, entities: int) -> PassageGraph:
    """A graph whose rows are its positions."""
    p = np.array([e[0] for e in edges], dtype=np.int64)
    e = np.array([e[1] for e in edges], dtype=np.int64)
    w = np.array([e[2] for e in edges], dtype=np.float32)
    return PassageGraph(
        np.arange(passages), np.arange(entities), pack(p, e, w, passages), pack(e, p, w, entities)
    )


pairs = st.sets(st.tuples(st.integers(0, 7), st.integers(0, 5)), max_size=30)


@given(pairs, st.lists(st.integers(0, 7), unique=True))
def test_rows_hold_their_edges(edges: set[tuple[int, int]], rows: list[int]) -> None:
    """Reading rows gives what a search through the list of edges gives."""
    graph = graph_of([(p, e, 1.0 + e) for p, e in edges], 8, 6)
    at, ends, weights = graph.by_passage.of(np.array(rows, dtype=np.int64))
    found = [(rows[a], int(e), float(w)) for a, e, w in zip(at, ends, weights, strict=True)]
    assert found == [(r, e, 1.0 + e) for r in rows for e in range(6) if (r, e) in edges]


@given(pairs, st.integers(1, 8))
def test_around_keeps_within_its_limit(edges: set[tuple[int, int]], limit: int) -> None:
    """The seeds are in, nothing unconnected is, and the limit holds."""
    graph = graph_of([(p, e, 1.0) for p, e in edges], 8, 6)
    found = graph.around(np.array([0]), np.array([], dtype=np.int64), limit)
    assert 0 in found and len(found) <= limit and (np.diff(found) > 0).all()
    if limit < 8:
        assert set(found.tolist()) <= component(edges, 0)


def component(edges: set[tuple[int, int]], start: int) -> set[int]:
    """Passages connected with one, by brute force."""
    inside = {start}
    while True:
        names = {e for p, e in edges if p in inside}
        more = inside | {p for p, e in edges if e in names}
        if more == inside:
            return inside
        inside = more


def test_around_follows_rare_names_first() -> None:
    """From passage 0, the name of two passages comes before that of four."""
    common = [(p, 0, 1.0) for p in (0, 1, 2, 3)]
    graph = graph_of([*common, (0, 1, 1.0), (4, 1, 1.0)], 6, 2)
    nobody = np.array([], dtype=np.int64)
    assert graph.around(np.array([0]), nobody, 2).tolist() == [0, 4]
    assert graph.around(np.array([0]), nobody, 5).tolist() == [0, 1, 2, 3, 4]


def test_weights() -> None:
    """1 + ln(mentions); a title that the passage does not say weighs as three mentions' edges."""
    found = edge_weight(np.array([1, 3, 0, 3]), np.array([0, 0, 1, 1]))
    assert found == pytest.approx([1, 1 + np.log(3), 3, 3 + np.log(3)])


def test_written_and_mapped_again(tmp_path: Path) -> None:
    """What the store says comes back by its rows; passages that are not alive are left out."""
    db = sqlite3.connect(":memory:")
    db.executescript(files("ragcli.store").joinpath("schema.sql").read_text())
    db.execute("PRAGMA foreign_keys = OFF")
    db.executemany(
        "INSERT INTO passage_entities VALUES (?, ?, ?, ?)",
        [(10, 5, 1, 0), (10, 9, 0, 1), (12, 9, 3, 0), (99, 9, 1, 0)],
    )
    passages, entities = np.array([10, 11, 12]), np.array([5, 7, 9])
    np.save(tmp_path / "passages_ids.npy", passages)
    np.save(tmp_path / "graph_ids.npy", entities)
    write_passage_graph(tmp_path, db, passages, entities)
    graph = PassageGraph.open(tmp_path)
    at, ends, weights = graph.by_entity.of(graph.positions([9, 6, 5]))
    assert graph.positions([9, 6, 5]).tolist() == [2, 0]
    assert (at.tolist(), ends.tolist()) == ([0, 0, 1], [0, 2, 0])
    assert weights == pytest.approx([3, 1 + np.log(3), 1])
