"""Edges in layers against a dictionary of edges."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcli.errors import StoreDamaged
from ragcli.search import arrays
from ragcli.search.edge_layers import GONE, EdgeLayer, Rows, from_arrays, layer, merge, pack

Edges = dict[tuple[int, int], float]

pairs = st.tuples(st.integers(0, 5), st.integers(0, 5))
# What each commit leaves of the edges it touches: a weight, or None for an edge that is no more.
commits = st.lists(
    st.dictionaries(pairs, st.none() | st.integers(1, 9).map(float), max_size=8),
    min_size=1,
    max_size=6,
)


def layered(history: list[dict[tuple[int, int], float | None]]) -> tuple[list[EdgeLayer], Edges]:
    """A layer for each commit, and the edges that hold in the end."""
    edges: Edges = {}
    layers: list[EdgeLayer] = []
    for n, commit in enumerate(history):
        if n == 0:
            commit = {pair: weight for pair, weight in commit.items() if weight is not None}
        change = [(w is not None) - (pair in edges) for pair, w in commit.items()]
        ends = np.array(list(commit), dtype=np.int64).reshape(-1, 2)
        weights = np.array([GONE if w is None else w for w in commit.values()], dtype=np.float32)
        layers.append(layer(ends[:, 0], ends[:, 1], weights, np.array(change, dtype=np.int64)))
        for pair, weight in commit.items():
            edges.pop(pair, None)
            if weight is not None:
                edges[pair] = weight
    return layers, edges


def check(rows: Rows, edges: Edges) -> None:
    """Every way of reading says what the dictionary says."""
    wanted = [4, 0, 2, 2, 9]
    at, ends, weights = rows.of(np.array(wanted))
    found = list(zip(at.tolist(), ends.tolist(), weights.tolist(), strict=True))
    assert found == [
        (i, b, w) for i, r in enumerate(wanted) for (a, b), w in sorted(edges.items()) if a == r
    ]
    assert rows.degrees(np.array(wanted)).tolist() == [
        sum(a == r for a, _ in edges) for r in wanted
    ]
    listed = zip(*(part.tolist() for part in rows.listed()), strict=True)
    assert list(listed) == [(a, b, w) for (a, b), w in sorted(edges.items())]
    assert rows.span > max((a for a, _ in edges), default=-1)


@settings(deadline=None)
@given(commits)
def test_layers_say_what_the_last_word_was(
    history: list[dict[tuple[int, int], float | None]],
) -> None:
    """New weights, edges that go and come again: the newest layer holds."""
    layers, edges = layered(history)
    check(Rows(layers), edges)


@settings(deadline=None)
@given(commits, st.data())
def test_merging_changes_nothing(
    history: list[dict[tuple[int, int], float | None]], data: st.DataObject
) -> None:
    """Whichever youngest layers are made one, and all of them are as if built at once."""
    layers, edges = layered(history)
    stay = data.draw(st.integers(0, len(layers)))
    if stay < len(layers):
        check(Rows([*layers[:stay], merge(layers[stay:], whole=stay == 0)]), edges)
    pair = np.array(sorted(edges), dtype=np.int64).reshape(-1, 2)
    weights = np.array([edges[p] for p in sorted(edges)], dtype=np.float32)
    anew, merged = pack(pair[:, 0], pair[:, 1], weights), merge(layers, whole=True)
    for name in ("sources", "starts", "ends", "weights", "degrees"):
        assert np.array_equal(getattr(anew, name), getattr(merged, name)), name


def test_no_layers_have_no_edges() -> None:
    """A store may say nothing at all."""
    assert Rows([]).of(np.array([1]))[0].size == 0
    assert Rows([]).degrees(np.array([1])).tolist() == [0]
    assert Rows([]).span == 0


def test_rows_too_large_for_the_files_are_refused() -> None:
    """Ends are kept in 32 bits; a silent wrap would join strangers."""
    one = np.array([1], dtype=np.int64)
    with pytest.raises(ValueError, match="2 \\*\\* 31"):
        pack(one, one << 31, np.ones(1, dtype=np.float32))


@settings(deadline=None)
@given(st.dictionaries(st.text(max_size=5), st.lists(st.integers(-9, 9), max_size=70), max_size=5))
def test_arrays_come_back(
    tmp_path_factory: pytest.TempPathFactory, given_: dict[str, list[int]]
) -> None:
    """Names, types, lengths and values, empty arrays too."""
    path = tmp_path_factory.mktemp("arrays") / "a"
    kinds = (np.int64, np.int32, np.float32)
    saved = {n: np.array(v, dtype=kinds[i % 3]) for i, (n, v) in enumerate(given_.items())}
    arrays.save(path, saved)
    found = arrays.load(path)
    assert list(found) == list(saved)
    for name, array in saved.items():
        assert found[name].dtype == array.dtype and np.array_equal(found[name], array)


@pytest.mark.parametrize("keep", [0, 3, 9, 60, 100])
def test_a_file_of_arrays_cut_short_is_damage(tmp_path: Path, keep: int) -> None:
    """Wherever it is cut, loading says so."""
    path = tmp_path / "a"
    arrays.save(path, {"x": np.arange(100), "y": np.arange(3)})
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(StoreDamaged):
        arrays.load(path)


def test_rows_are_read_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many rows at once, some of them without edges: the same edges in the same order."""
    rng = np.random.default_rng(0)
    pairs = np.unique(rng.integers(0, 60, (400, 2)), axis=0)
    made = pack(pairs[:, 0], pairs[:, 1], np.arange(len(pairs), dtype=np.float32))
    edges = from_arrays("x", made.arrays("x"))
    wanted = np.arange(-3, 70, 2)
    whole = [part.tolist() for part in edges.of(wanted)]
    monkeypatch.setattr("ragcli.search.packed_edges.AT_ONCE", 4)

    assert [part.tolist() for part in made.of(wanted)] == whole
    assert [part.tolist() for part in edges.of(wanted)] == whole
    assert [part.tolist() for part in edges.of(wanted[:0])] == [[], [], []]


@pytest.mark.parametrize(
    ("most", "kind"), [((1, 1), np.float32), ((1, 9), np.uint16), ((9, 9), np.uint8)]
)
def test_a_file_names_each_weight_once(
    most: tuple[int, int], kind: type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A byte or two an edge while the weights are few; a merge of files has the same weights."""
    monkeypatch.setattr("ragcli.search.packed_edges._CODES", most)
    history: list[dict[tuple[int, int], float | None]] = [
        {(1, 2): 3.0, (1, 3): 0.1, (2, 3): 3.0},
        {(1, 3): None, (4, 1): 7.5},
    ]
    layers, edges = layered(history)
    read = []
    for number, made in enumerate(layers):
        arrays.save(tmp_path / str(number), made.arrays("graph"))
        read.append(from_arrays("graph", arrays.load(tmp_path / str(number))))
    assert {x.weights.dtype for x in read} == {np.dtype(kind)}
    kept = {pair: float(np.float32(w)) for pair, w in edges.items()}
    check(Rows(read), kept)
    check(Rows([merge(read, whole=True)]), kept)
