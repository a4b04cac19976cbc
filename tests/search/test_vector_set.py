"""Vectors in layers against one index over the rows that are left."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcli.errors import StoreDamaged
from ragcli.search import arrays
from ragcli.search.vector_set import ARRAYS, VectorLayer, Vectors, merge

DIM = 16
# What each commit leaves of the rows it touches: a seed of a vector, or None for a row that went.
# Few seeds: equal vectors, hence equal scores, are common.
commits = st.lists(
    st.dictionaries(st.integers(1, 12), st.none() | st.integers(0, 6), max_size=8),
    min_size=1,
    max_size=6,
)


def vector(seed: int) -> np.ndarray:
    """A vector with awkward fractions."""
    return np.random.default_rng(seed).standard_normal(DIM).astype(np.float16)


def layers_of(history: list[dict[int, int | None]]) -> tuple[list[VectorLayer], dict[int, int]]:
    """A layer for each commit, and the rows that are left with their seeds."""
    left: dict[int, int] = {}
    layers = []
    for commit in history:
        kept = sorted((row, seed) for row, seed in commit.items() if seed is not None)
        rows = [row for row, _ in kept]
        gone = sorted(row for row, seed in commit.items() if seed is None)
        vectors = np.array([vector(seed) for _, seed in kept], np.float16).reshape(-1, DIM)
        layers.append(
            VectorLayer(np.array(rows, np.int64), vectors, np.array(gone, dtype=np.int64))
        )
        for row, seed in commit.items():
            left.pop(row, None)
            if seed is not None:
                left[row] = seed
    return layers, left


def on_disk(layers: list[VectorLayer], base: Path) -> list[Path]:
    """A segment's folder for each layer."""
    folders = []
    for n, layer in enumerate(layers):
        folder = base / str(n)
        folder.mkdir()
        arrays.save(folder / ARRAYS, layer.write(folder, "x"))
        folders.append(folder)
    return folders


def one_layer(left: dict[int, int]) -> VectorLayer:
    rows = np.array(sorted(left), dtype=np.int64)
    vectors = np.array([vector(left[r]) for r in rows.tolist()], np.float16).reshape(-1, DIM)
    return VectorLayer(rows, vectors, rows[:0])


@settings(deadline=None, max_examples=150)
@given(commits, st.integers(0, 14), st.data())
def test_layers_rank_as_one_index_does(
    tmp_path_factory: pytest.TempPathFactory,
    history: list[dict[int, int | None]],
    k: int,
    data: st.DataObject,
) -> None:
    """The same rows, the same scores to the last bit, in the same order; merged layers too."""
    base = tmp_path_factory.mktemp("layers")
    layers, left = layers_of(history)
    stay = data.draw(st.integers(0, len(layers) - 1))
    merged = [*layers[:stay], merge(layers[stay:], whole=stay == 0)]
    query = np.random.default_rng(9).standard_normal(DIM).astype(np.float32)
    for name, form in (("anew", [one_layer(left)]), ("layers", layers), ("merged", merged)):
        (base / name).mkdir()
        found = Vectors(on_disk(form, base / name), "x")
        assert found.ids.tolist() == sorted(left) and len(found) == len(left)
        answer = found.search(query, k)
        wanted = np.array(data.draw(st.permutations(sorted(left))), dtype=np.int64)
        similar = dict(
            zip(wanted.tolist(), found.similarities(query, wanted).tolist(), strict=True)
        )
        if name == "anew":
            expected, near = answer, similar
        assert answer == expected
        assert similar == near
        assert all(similar[row] == score for row, score in answer)


def test_merging_everything_is_building_anew(tmp_path: Path) -> None:
    """No trace of what went, nor of what was replaced."""
    layers, left = layers_of([{1: 0, 2: 1, 5: 2}, {2: 3, 5: None}, {5: None, 9: 4}])
    whole, anew = merge(layers, whole=True), one_layer(left)
    assert sorted(left) == [1, 2, 9] and not len(whole.gone)
    assert np.array_equal(whole.rows, anew.rows) and np.array_equal(whole.vectors, anew.vectors)
    assert merge(layers[1:], whole=False).gone.tolist() == [5]


def test_a_row_without_a_vector_has_no_similarity(tmp_path: Path) -> None:
    """Rather an error than a number that means nothing."""
    layers, _ = layers_of([{1: 0, 2: 1}, {2: None}])
    found = Vectors(on_disk(layers, tmp_path), "x")
    for row in (2, 3):
        with pytest.raises(StoreDamaged):
            found.similarities(np.ones(DIM, np.float32), np.array([1, row]))
