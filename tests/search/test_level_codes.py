"""Codes of two bits for each dimension: unbiased estimates, and what search finds with them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from ragcli.errors import StoreDamaged
from ragcli.search import arrays
from ragcli.search.level_codes import ERROR, CodeIndex, encoded, stored_codes, write_codes
from ragcli.search.vector_set import ARRAYS, VectorLayer, Vectors, merge

DIM = 96
NONE = np.empty(0, np.int64)


def made(n: int, seed: int = 0, dim: int = DIM) -> NDArray[np.float16]:
    """Unit vectors in clusters, as embeddings are: shape (n, dim)."""
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(7).standard_normal((200, dim))
    rows = centres[rng.integers(200, size=n)] + rng.standard_normal((n, dim))
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float16)


def estimates(vectors: NDArray[np.float16], query: NDArray[np.float32]) -> NDArray[np.float32]:
    """Of all vectors, in their order."""
    rows, scores = CodeIndex(encoded(vectors)).search(query, len(vectors))
    return scores[np.argsort(rows)]


@pytest.mark.parametrize("dim", [DIM, 100, 384])
def test_estimates_are_unbiased_with_the_error_that_is_told(dim: int) -> None:
    vectors = made(3000, dim=dim)
    wide = vectors.astype(np.float32)

    errors = np.concatenate([estimates(vectors, q) - wide @ q for q in wide[:20]])

    assert abs(errors.mean()) < 0.01
    assert 0.8 * ERROR < errors.std() * np.sqrt(dim) < 1.3 * ERROR


def test_vectors_that_differ_in_one_dimension_only_have_good_codes() -> None:
    """They are turned first: what differs is spread over all dimensions."""
    vectors = np.full((64, DIM), 0.1, np.float16)
    vectors[:, 5] = np.linspace(-3, 3, 64)
    key = np.zeros(DIM, np.float32)
    key[5] = 1

    errors = estimates(vectors, key) - vectors[:, 5].astype(np.float32)

    lengths = np.linalg.norm(vectors.astype(np.float32), axis=1)
    assert np.abs(errors / lengths).max() < 4 * ERROR / np.sqrt(DIM)


def test_a_code_depends_on_its_own_vector_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that grew has the codes of a store made anew."""
    vectors = made(1000)
    whole = encoded(vectors)
    monkeypatch.setattr("ragcli.search.level_codes._BLOCK", 64)

    assert np.array_equal(encoded(vectors[300:701]), whole[300:701])
    assert np.array_equal(
        estimates(vectors, made(1)[0].astype(np.float32))[5:9],
        estimates(vectors[5:9], made(1)[0].astype(np.float32)),
    )


def test_a_vector_of_zeros_is_estimated_as_zero() -> None:
    vectors = made(100)
    vectors[7] = 0
    assert estimates(vectors, vectors[3].astype(np.float32))[7] == 0


def test_only_allowed_rows_are_found() -> None:
    """By number in any order, or by a mask; the best first, of equal ones the lower row."""
    vectors = made(50)
    vectors[20] = vectors[10]
    index = CodeIndex(encoded(vectors))
    key = vectors[10].astype(np.float32)
    mask = np.zeros(50, dtype=bool)
    mask[[3, 10, 20, 30]] = True

    by_mask, scores = index.search(key, 3, mask)
    by_number, _ = index.search(key, 3, np.array([30, 20, 10, 3]))

    assert by_mask.tolist() == by_number.tolist()
    assert by_mask.tolist()[:2] == [10, 20]
    assert scores[0] == scores[1] > scores[2]
    assert not len(index.search(key, 0)[0])
    assert not len(index.search(key, 3, np.zeros(50, dtype=bool))[0])
    with pytest.raises(ValueError, match="query"):
        index.search(np.zeros(400, np.float32), 3)


def test_layers_of_codes_are_searched_and_merged_as_one(tmp_path: Path) -> None:
    """A newer layer replaces rows and removes others; merged, the file has the same bytes."""
    vectors = made(300)
    old = VectorLayer(np.arange(200), encoded(vectors[:200]), NONE)
    new = VectorLayer(np.arange(150, 300), encoded(vectors[150:]), np.arange(10))
    whole = VectorLayer(np.arange(10, 300), encoded(vectors[10:]), NONE)
    folders = []
    for name, layers in (("one", [whole]), ("two", [old, new])):
        folders.append([tmp_path / name / str(at) for at in range(len(layers))])
        for folder, layer in zip(folders[-1], layers, strict=True):
            folder.mkdir(parents=True)
            _save(folder, layer)
    one, two = (Vectors(f, "names") for f in folders)
    for key in made(5, seed=1).astype(np.float32):
        assert one.search(key, 9) == two.search(key, 9)
        some = np.array([12, 170, 299])
        assert one.similarities(key, some).tolist() == two.similarities(key, some).tolist()
    both = merge([_read(folder) for folder in folders[1]], whole=True)
    (tmp_path / "merged").mkdir()
    _save(tmp_path / "merged", both)
    name = "names.levels"
    assert (tmp_path / "merged" / name).read_bytes() == (folders[0][0] / name).read_bytes()
    with pytest.raises(TypeError, match="only codes"):
        one.of(np.array([12]))


def _save(folder: Path, layer: VectorLayer) -> None:
    arrays.save(folder / ARRAYS, layer.write(folder, "names"))


def _read(folder: Path) -> VectorLayer:
    return VectorLayer.read(folder, "names", arrays.load(folder / ARRAYS))


def test_a_file_of_another_size_is_damaged(tmp_path: Path) -> None:
    write_codes(tmp_path / "x.levels", encoded(made(10)))
    assert len(stored_codes(tmp_path / "x.levels", 10)) == 10
    for rows in (9, 11, 40):
        with pytest.raises(StoreDamaged, match="damaged"):
            stored_codes(tmp_path / "x.levels", rows)
