"""Model folders and settings from elsewhere: none names code, and no head ends in a traceback."""

from __future__ import annotations

import json
import struct
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.config import Settings, load
from ragcli.errors import ConfigError, ModelError
from ragcli.models.embedder_check import check_embedder
from ragcli.models.locate import embedder_folder
from ragcli.models.model_set import MOST_WORKERS, ModelSet
from ragcli.models.weights import open_tensors, read_header


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A folder that looks like a model, as far as it is looked at."""
    folder = tmp_path / "model"
    folder.mkdir()
    write(folder / "config.json", {"model_type": "bert"})
    write(folder / "modules.json", [module("sentence_transformers.models.Transformer")])
    (folder / "model.safetensors").write_bytes(b"")
    return folder


def write(file: Path, value: object) -> None:
    file.write_text(json.dumps(value))


def module(kind: object, path: object = "") -> dict[str, Any]:
    return {"idx": 0, "name": "0", "path": path, "type": kind}


def test_models_of_the_library_pass(model: Path) -> None:
    check_embedder(model)
    check_embedder(embedder_folder())


@pytest.mark.parametrize(
    "modules",
    [
        [module("evil.Module")],
        [module("os.system")],
        [module("sentence_transformers_evil.Module")],
        [module("sentence_transformers.util.import_from_string")],
        [module("sentence_transformers.models.Router")],
        [module("sentence_transformers.models.Transformer\n")],
        [module(["sentence_transformers.models.Transformer"])],
        [module("sentence_transformers.models.Pooling", "../elsewhere")],
        [module("sentence_transformers.models.Pooling", "/etc")],
        [module("sentence_transformers.models.Pooling", "C:\\x")],
        {"type": "evil"},
        ["evil"],
    ],
)
def test_modules_from_elsewhere(model: Path, modules: object) -> None:
    write(model / "modules.json", modules)
    with pytest.raises(ModelError, match=r"modules\.json"):
        check_embedder(model)


def test_code_in_a_configuration(model: Path) -> None:
    """Anywhere in the folder, as transformers looks for it."""
    (model / "1_Part").mkdir()
    write(model / "1_Part" / "config.json", {"auto_map": {"AutoModel": "evil.Model"}})
    with pytest.raises(ModelError, match="names code: auto_map"):
        check_embedder(model)


def test_weights_that_may_run_code(model: Path) -> None:
    (model / "model.safetensors").rename(model / "pytorch_model.bin")
    with pytest.raises(ModelError, match="safetensors") as caught:
        check_embedder(model)
    assert "save the model again" in caught.value.hint


def test_configurations_nested_without_end(model: Path) -> None:
    (model / "modules.json").write_text("[" * 100_000)
    with pytest.raises(ModelError, match="cannot be read"):
        check_embedder(model)


@pytest.mark.parametrize("text", ["a = " + "[" * 5000, "x" * 100_000])
def test_settings_made_to_hurt(tmp_path: Path, text: str) -> None:
    (tmp_path / "ragcli.toml").write_text(text)
    with pytest.raises(ConfigError):
        load({}, {}, tmp_path)


def test_processes_have_a_limit() -> None:
    assert ModelSet(Settings(workers=1000)).workers == MOST_WORKERS


def tensors(header: str | bytes, data: bytes = bytes(64)) -> bytes:
    raw = header.encode() if isinstance(header, str) else header
    return struct.pack("<Q", len(raw)) + raw + data


@pytest.mark.parametrize(
    "header",
    [
        '{"a": {"dtype": "F32", "shape": [2], "data_offsets": [-8, 0]}}',
        '{"a": {"dtype": "F32", "shape": [-2], "data_offsets": [0, 8]}}',
        '{"a": {"dtype": "F32", "shape": [3], "data_offsets": [0, 8]}}',
        '{"a": {"dtype": "F32", "shape": [2], "data_offsets": [8, 0]}}',
        '{"a": {"dtype": "F32", "shape": [1e308], "data_offsets": [0, 8]}}',
        '{"a": {"dtype": [], "shape": [2], "data_offsets": [0, 8]}}',
        '{"a": ' * 5000,
        "[" * 5000,
        "[]",
    ],
)
def test_heads_of_weights(tmp_path: Path, header: str) -> None:
    (tmp_path / "x.safetensors").write_bytes(tensors(header))
    with pytest.raises(ModelError):
        read_header(tmp_path / "x.safetensors")


@given(st.binary(max_size=60), st.integers(0, 100))
def test_any_bytes_as_weights(tmp_path_factory: pytest.TempPathFactory, raw: bytes, n: int) -> None:
    """A model error or tensors, nothing else."""
    file = tmp_path_factory.getbasetemp() / "any.safetensors"
    file.write_bytes(struct.pack("<Q", n) + raw)
    with suppress(ModelError):
        open_tensors(file)
