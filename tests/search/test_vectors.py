"""The vector index against brute force, and against broken files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from ragcli.errors import StoreDamaged
from ragcli.search.vectors import (
    Scale,
    VectorIndex,
    stored_vectors,
    write_index,
)

Case = tuple[NDArray[np.float32], NDArray[np.float32], int, NDArray[np.int64] | None]


def brute_force(
    vectors: NDArray[Any],
    query: NDArray[np.float32],
    k: int,
    allowed: NDArray[np.int64] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Rows and scores by full comparison; ties by row. Exact for small integers."""
    rows = np.arange(len(vectors)) if allowed is None else np.unique(allowed)
    scores = vectors[rows].astype(np.float32) @ query
    order = np.lexsort((rows, -scores))[:k]
    return rows[order], scores[order]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Small integer vectors (their products are exact, so ties are real), a query, k, a filter."""
    n, d = draw(st.integers(0, 40)), draw(st.integers(1, 20))
    numbers = st.integers(-2, 2).map(np.float32)
    vectors = draw(arrays(np.float32, (n, d), elements=numbers))
    query = draw(arrays(np.float32, (d,), elements=numbers))
    allowed = None
    if n and draw(st.booleans()):
        allowed = np.array(draw(st.lists(st.integers(0, n - 1))), dtype=np.int64)
    return vectors, query, draw(st.integers(0, 50)), allowed


@pytest.mark.parametrize("scale", Scale)
@settings(deadline=None, max_examples=100)
@given(case=cases())
def test_equals_brute_force_with_ties_and_filters(
    tmp_path_factory: pytest.TempPathFactory, scale: Scale, case: Case
) -> None:
    """Any vectors, any k, any filter: the same rows in the same order as brute force."""
    vectors, query, k, allowed = case
    path = tmp_path_factory.mktemp("index") / "x.faiss"
    write_index(path, vectors)
    index = VectorIndex.open(path, scale)
    rows, scores = index.search(query, k, allowed)
    again = index.search(query, k, allowed)
    assert (again[0].tolist(), again[1].tolist()) == (rows.tolist(), scores.tolist())
    expected_rows, expected_scores = brute_force(vectors, query, k, allowed)
    assert rows.tolist() == expected_rows.tolist()
    assert scores.tolist() == expected_scores.tolist()
    assert rows.dtype == np.int64
    assert scores.dtype == np.float32


def unit_rows(n: int, d: int = 384, seed: int = 0) -> NDArray[np.float16]:
    """Random unit vectors as float16, shape (n, d)."""
    rows = np.random.default_rng(seed).standard_normal((n, d))
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float16)


def test_equals_brute_force_on_unit_vectors(tmp_path: Path) -> None:
    """At the size of real embeddings, over several blocks of writing."""
    vectors = unit_rows(20_000, 64)
    write_index(tmp_path / "x.faiss", vectors)
    index = VectorIndex.open(tmp_path / "x.faiss")
    assert (len(index), index.dim) == (20_000, 64)
    for query in unit_rows(5, 64, seed=1).astype(np.float32):
        rows, scores = index.search(query, 10)
        expected_rows, expected_scores = brute_force(vectors, query, 10)
        assert rows.tolist() == expected_rows.tolist()
        np.testing.assert_allclose(scores, expected_scores, atol=1e-5)


def test_few_vectors_are_compared_as_many_are(tmp_path: Path) -> None:
    """NumPy and FAISS rank alike, and their scores differ by a rounding of half precision."""
    vectors = unit_rows(3000)
    write_index(tmp_path / "x.faiss", vectors)
    few, many = (VectorIndex.open(tmp_path / "x.faiss", scale) for scale in (Scale.FEW, Scale.SOME))
    for query in unit_rows(20, seed=1).astype(np.float32):
        rows, scores = few.search(query, 50)
        others, theirs = many.search(query, 50)
        assert set(rows[:40].tolist()) <= set(others.tolist())
        np.testing.assert_allclose(scores, theirs, atol=2e-5)


def test_a_score_depends_on_the_vector_alone(tmp_path: Path) -> None:
    """In any file, at any place, filtered or not: segments are merged by their scores."""
    vectors = unit_rows(1000)
    write_index(tmp_path / "all.faiss", vectors)
    write_index(tmp_path / "some.faiss", vectors[301:700])
    query = unit_rows(1, seed=1)[0].astype(np.float32)
    rows, scores = VectorIndex.open(tmp_path / "all.faiss").search(query, 1000)
    whole = dict(zip(rows.tolist(), scores.tolist(), strict=True))
    rows, scores = VectorIndex.open(tmp_path / "some.faiss").search(query, 399)
    assert {r + 301: s for r, s in zip(rows.tolist(), scores.tolist(), strict=True)} == {
        r: whole[r] for r in range(301, 700)
    }
    rows, scores = VectorIndex.open(tmp_path / "all.faiss").search(query, 9, np.arange(5, 900, 7))
    assert scores.tolist() == [whole[r] for r in rows.tolist()]


def test_the_file_is_one_of_faiss(tmp_path: Path) -> None:
    """Byte for byte what FAISS writes, for any size."""
    import faiss

    for n, d in ((0, 4), (1, 1), (100, 384)):
        vectors = unit_rows(n, d)
        write_index(tmp_path / "x.faiss", vectors)
        index: Any = faiss.IndexScalarQuantizer(
            d, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT
        )
        if n:
            index.add(vectors.astype(np.float32))
        assert (tmp_path / "x.faiss").read_bytes() == faiss.serialize_index(index).tobytes()


def test_equal_rows_come_in_order_even_at_the_cut(tmp_path: Path) -> None:
    """A thousand copies of one vector: the first k of them, always."""
    vectors = np.repeat(unit_rows(1), 1000, axis=0)
    write_index(tmp_path / "x.faiss", vectors)
    rows, _ = VectorIndex.open(tmp_path / "x.faiss").search(vectors[0].astype(np.float32), 7)
    assert rows.tolist() == list(range(7))


def test_an_empty_index_finds_nothing(tmp_path: Path) -> None:
    """No vectors, and no allowed rows, both give empty arrays."""
    write_index(tmp_path / "x.faiss", np.empty((0, 4), np.float16))
    rows, scores = VectorIndex.open(tmp_path / "x.faiss").search(np.ones(4, np.float32), 5)
    assert rows.shape == scores.shape == (0,)
    write_index(tmp_path / "x.faiss", np.ones((3, 4), np.float16))
    index = VectorIndex.open(tmp_path / "x.faiss")
    assert len(index.search(np.ones(4, np.float32), 5, np.empty(0, np.int64))[0]) == 0


def test_a_query_of_another_size_is_refused(tmp_path: Path) -> None:
    """FAISS would read past the query's end."""
    write_index(tmp_path / "x.faiss", np.ones((3, 4), np.float16))
    with pytest.raises(ValueError, match=r"shape \(4,\)"):
        VectorIndex.open(tmp_path / "x.faiss").search(np.ones(5, np.float32), 1)


def test_vectors_without_columns_are_refused(tmp_path: Path) -> None:
    """An index needs a dimension even when it is empty."""
    with pytest.raises(ValueError, match="d > 0"):
        write_index(tmp_path / "x.faiss", np.empty((0, 0), np.float16))


def test_a_missing_file_is_damage(tmp_path: Path) -> None:
    """The caller learns which file, not what FAISS thought."""
    with pytest.raises(StoreDamaged, match=r"x\.faiss"):
        VectorIndex.open(tmp_path / "x.faiss")


@pytest.mark.parametrize("keep", [0, 3, 20, 60, 1000, -1])
def test_a_file_cut_short_is_damage(tmp_path: Path, keep: int) -> None:
    """Wherever it is cut: opening says so, searching never reads past the end."""
    path = tmp_path / "x.faiss"
    write_index(path, unit_rows(100))
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(StoreDamaged):
        VectorIndex.open(path)


def test_other_bytes_are_damage(tmp_path: Path) -> None:
    """A file that is no FAISS index, and a FAISS index of another kind."""
    import faiss

    path = tmp_path / "x.faiss"
    path.write_bytes(b"SQLite format 3\0" * 100)
    with pytest.raises(StoreDamaged):
        VectorIndex.open(path)
    faiss.write_index(faiss.IndexFlatL2(4), str(path))
    with pytest.raises(StoreDamaged):
        VectorIndex.open(path)


def test_a_flipped_header_byte_is_damage(tmp_path: Path) -> None:
    """Every byte of the header is checked: FAISS would allocate whatever size it finds there."""
    path = tmp_path / "x.faiss"
    write_index(path, unit_rows(100, 8))
    good = path.read_bytes()
    for at in range(len(good) - 100 * 8 * 2):
        path.write_bytes(good[:at] + bytes([good[at] ^ 0xFF]) + good[at + 1 :])
        with pytest.raises(StoreDamaged):
            VectorIndex.open(path)


def test_a_failed_write_is_told(tmp_path: Path) -> None:
    """The system's error names the file."""
    with pytest.raises(OSError, match="cannot write"):
        write_index(tmp_path / "no such folder" / "x.faiss", unit_rows(2, 8))


def test_the_vectors_can_be_read_back(tmp_path: Path) -> None:
    """Bit for bit, mapped: segments are merged from them."""
    vectors = unit_rows(100, 24)
    write_index(tmp_path / "x.faiss", vectors)
    found = stored_vectors(tmp_path / "x.faiss")
    assert found.dtype == np.float16 and np.array_equal(found, vectors)


def test_the_file_is_mapped_not_read(tmp_path: Path) -> None:
    """The open index is a mapping of its file, not a copy in memory."""
    path = tmp_path / "x.faiss"
    write_index(path, np.ones((50_000, 384), np.float16))
    index = VectorIndex.open(path)
    maps = Path("/proc/self/maps")
    if not maps.exists():
        pytest.skip("needs /proc")
    assert "x.faiss" in maps.read_text(encoding="utf-8")
    del index
