"""Codes of one bit for each dimension: unbiased estimates, and what search finds with them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from ragcli.errors import StoreDamaged
from ragcli.search import vectors as exact
from ragcli.search.bit_codes import BitCodes
from ragcli.search.vector_set import ARRAYS, VectorLayer, Vectors, merge
from ragcli.search.vectors import Scale, VectorIndex, write_codes, write_index

DIM = 96


def made(n: int, seed: int = 0, dim: int = DIM) -> NDArray[np.float16]:
    """Unit vectors in clusters, as embeddings are: shape (n, dim)."""
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(7).standard_normal((200, dim))
    rows = centres[rng.integers(200, size=n)] + rng.standard_normal((n, dim))
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float16)


@pytest.mark.parametrize("dim", [DIM, 100, 384])
def test_estimates_are_unbiased_with_the_error_that_is_told(dim: int) -> None:
    vectors = made(3000, dim=dim).astype(np.float32)
    codes = BitCodes.of(vectors)

    errors = np.concatenate([codes.estimates(q) - vectors @ q for q in vectors[:20]])

    assert len(codes) == 3000
    assert abs(errors.mean()) < 0.01
    assert errors.std() < 0.85 / np.sqrt(dim)


def test_codes_of_parts_are_the_codes_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that grew chooses what a store made anew chooses."""
    vectors = made(1000)
    whole = BitCodes.of(vectors)
    monkeypatch.setattr("ragcli.search.bit_codes._BLOCK", 64)
    part = BitCodes.of(vectors[300:700])

    for query in made(5, seed=1).astype(np.float32):
        np.testing.assert_allclose(part.estimates(query), whole.estimates(query)[300:700], 1e-4)


def test_a_vector_of_zeros_is_estimated_as_zero() -> None:
    vectors = made(100)
    vectors[7] = 0

    found = BitCodes.of(vectors).estimates(vectors[3].astype(np.float32))

    assert np.isfinite(found).all()
    assert found[7] < found[3]


def test_only_allowed_rows_are_chosen() -> None:
    codes = BitCodes.of(made(500))
    allowed = np.zeros(500, dtype=bool)
    allowed[100:140] = True

    chosen = codes.likeliest(made(1, seed=1)[0].astype(np.float32), 10, allowed)
    everything = codes.likeliest(made(1, seed=1)[0].astype(np.float32), 90, allowed)

    assert len(chosen) == 10
    assert allowed[chosen].all()
    assert everything.tolist() == list(range(100, 140))


def coded(path: Path, vectors: NDArray[np.float16]) -> VectorIndex:
    write_index(path, vectors)
    write_codes(path, vectors)
    return VectorIndex.open(path, Scale.MANY)


def test_among_many_nearly_all_of_the_nearest_are_found(tmp_path: Path) -> None:
    vectors = made(20_000, dim=384)
    index = coded(tmp_path / "x.faiss", vectors)
    plain = VectorIndex.open(tmp_path / "x.faiss", Scale.SOME)
    mask = np.random.default_rng(0).random(len(vectors)) < 0.5

    hits = 0
    for query in made(20, seed=1, dim=384).astype(np.float32):
        for allowed in (None, mask, np.flatnonzero(mask)):
            rows, scores = index.search(query, 10, allowed)
            others, theirs = plain.search(query, 10, allowed)
            hits += len(set(rows.tolist()) & set(others.tolist()))
            same = np.isin(rows, others)
            np.testing.assert_allclose(scores[same], theirs[np.isin(others, rows)], atol=2e-5)
            assert allowed is None or mask[rows].all()
    assert hits >= 0.99 * 600


def test_wanted_rows_are_compared_exactly(tmp_path: Path) -> None:
    vectors = made(5000)
    index = coded(tmp_path / "x.faiss", vectors)
    query = made(1, seed=1)[0].astype(np.float32)
    wanted = np.arange(0, 5000, 9)

    rows, scores = index.search(query, len(wanted), wanted)

    assert sorted(rows.tolist()) == wanted.tolist()
    np.testing.assert_allclose(scores, vectors[rows].astype(np.float32) @ query, atol=1e-5)


@pytest.mark.parametrize("damage", ["cut", "other rows", "no plane"])
def test_damaged_codes_are_told(tmp_path: Path, damage: str) -> None:
    write_index(tmp_path / "x.faiss", made(300))
    codes = tmp_path / "x.codes"
    BitCodes.of(made(299 if damage == "other rows" else 300)).write(codes)
    if damage == "cut":
        codes.write_bytes(codes.read_bytes()[:-200])
    if damage == "no plane":
        codes.write_bytes(codes.read_bytes().replace(b"plane1", b"planeX", 1))

    with pytest.raises(StoreDamaged):
        VectorIndex.open(tmp_path / "x.faiss", Scale.MANY)


def segment(folder: Path, layer: VectorLayer) -> Path:
    folder.mkdir()
    from ragcli.search import arrays

    arrays.save(folder / ARRAYS, layer.write(folder, "x"))
    return folder


def test_layers_find_what_one_index_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that grew and lost rows, against the same rows in one segment; three scales."""
    for name, value in {"FEW": 100, "MANY": 2000, "CANDIDATES": 500, "CANDIDATES_EACH": 20}.items():
        monkeypatch.setattr(exact, name, value)
    monkeypatch.setattr("ragcli.search.vector_set.CODED", 400)
    none = np.empty(0, np.int64)
    vectors = made(3000)
    rows = np.arange(3000)
    gone = np.arange(0, 2000, 50)
    layers = [
        VectorLayer(rows[:2000], vectors[:2000], none),
        VectorLayer(rows[2000:2600], vectors[2000:2600], gone),
        VectorLayer(rows[2600:2950], vectors[2600:2950], none),
        VectorLayer(rows[2950:], vectors[2950:], none),
    ]
    grown = Vectors([segment(tmp_path / str(i), x) for i, x in enumerate(layers)], "x")
    fresh = Vectors([segment(tmp_path / "fresh", merge(layers, whole=True))], "x")

    assert sorted(p.parent.name for p in tmp_path.glob("*/x.codes")) == ["0", "1", "fresh"]
    assert len(grown) == len(fresh) == 3000 - len(gone)
    missed = 0
    for query in made(30, seed=1).astype(np.float32):
        ours, theirs = dict(grown.search(query, 10)), dict(fresh.search(query, 10))
        missed += len(ours.keys() - theirs.keys())
        # The layers compare at least as many vectors.
        assert sum(ours.values()) >= sum(theirs.values()) - 1e-6
        assert all(ours[row] == theirs[row] for row in ours.keys() & theirs.keys())
        wanted = fresh.ids[::7]
        np.testing.assert_array_equal(
            grown.similarities(query, wanted), fresh.similarities(query, wanted)
        )
    assert missed <= 3
    with pytest.raises(StoreDamaged):
        grown.similarities(made(1)[0].astype(np.float32), gone[:1])
