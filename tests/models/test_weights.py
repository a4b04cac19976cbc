"""Reading safetensors, held against the library and against damage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from ragcli.errors import ModelError
from ragcli.models.weights import open_tensors, read_header


def test_equals_the_library(tmp_path: Path) -> None:
    """Same names, shapes, types and numbers, in several types."""
    rng = np.random.default_rng(0)
    tensors: dict[str, NDArray[Any]] = {
        "a": rng.standard_normal((3, 4)).astype(np.float32),
        "b": rng.standard_normal(5).astype(np.float16),
        "c": np.arange(6, dtype=np.int64).reshape(2, 3),
        "empty": np.empty((0, 4), np.float32),
    }
    save_file(tensors, tmp_path / "x.safetensors")
    found = open_tensors(tmp_path / "x.safetensors")
    for name, expected in load_file(tmp_path / "x.safetensors").items():
        np.testing.assert_array_equal(found[name], expected)
        assert found[name].dtype == expected.dtype


def test_tensors_are_read_only(tmp_path: Path) -> None:
    """They are views of the file."""
    save_file({"a": np.ones(3, np.float32)}, tmp_path / "x.safetensors")
    with pytest.raises(ValueError, match="read-only"):
        open_tensors(tmp_path / "x.safetensors")["a"][0] = 2


@pytest.mark.parametrize("keep", [0, 4, 20, -1])
def test_a_file_cut_short_is_refused(tmp_path: Path, keep: int) -> None:
    """Wherever the cut falls."""
    path = tmp_path / "x.safetensors"
    save_file({"a": np.ones(30, np.float32)}, path)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(ModelError):
        read_header(path)


def test_a_header_that_is_no_json_is_refused(tmp_path: Path) -> None:
    """The message names the file."""
    path = tmp_path / "x.safetensors"
    path.write_bytes((4).to_bytes(8, "little") + b"]]]]")
    with pytest.raises(ModelError, match="damaged header"):
        read_header(path)
