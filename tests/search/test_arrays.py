"""Arrays of one mapped file, and the memory that reading them takes."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from ragcli.search import arrays


def mapped_of(path: Path) -> int:
    """Bytes of a file that this process has in memory now (Linux)."""
    total, inside = 0, False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        head = line.split()
        if "-" in head[0] and not head[0].endswith(":"):
            inside = line.endswith(str(path))
        elif inside and head[0] == "Rss:":
            total += 1024 * int(head[1])
    return total


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_of_large_files_is_given_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrays, "LARGE", 1 << 20)
    path = tmp_path / "arrays"
    arrays.save(path, {"a": np.arange(500_000), "b": np.arange(10, dtype=np.int32)})
    found = arrays.load(path)
    total = int(found["a"].sum())
    assert mapped_of(path) > 3_000_000

    arrays.release(found["b"])

    assert mapped_of(path) < 200_000
    assert int(found["a"].sum()) == total
    assert found["b"].tolist() == list(range(10))


def test_other_arrays_and_small_files_are_left_alone(tmp_path: Path) -> None:
    arrays.save(tmp_path / "arrays", {"a": np.arange(9)})
    found = arrays.load(tmp_path / "arrays")["a"]

    arrays.release(found)
    arrays.release(np.arange(9))

    assert found.tolist() == list(range(9))
