"""Loading spaCy pipelines, whole and broken."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ragcli.errors import ModelError
from ragcli.models.english_pipeline import load_pipeline


@pytest.fixture
def blank(tmp_path: Path) -> Path:
    """A small English pipeline folder without trained weights."""
    import spacy

    pipeline = spacy.blank("en")
    pipeline.add_pipe("sentencizer")
    pipeline.to_disk(tmp_path / "blank")
    return tmp_path / "blank"


def test_loads_and_leaves_out(blank: Path) -> None:
    """Every component by default, without those named; path as string or Path."""
    assert load_pipeline(blank).pipe_names == ["sentencizer"]


def test_torch_is_not_imported_with_it() -> None:
    """It would cost every worker a second and 180 MB; later it can still be imported."""
    code = (
        "import sys\n"
        "from ragcli.models.english_pipeline import load_pipeline\n"
        "from ragcli.models.locate import ENGLISH\n"
        "load_pipeline(ENGLISH)\n"
        "assert 'torch' not in sys.modules\n"
        "import torch\n"
        "print('fine')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "fine", done.stderr


def test_no_pipeline(tmp_path: Path) -> None:
    """An empty folder says what is missing."""
    with pytest.raises(ModelError, match=r"config\.cfg is missing"):
        load_pipeline(tmp_path)


def test_another_language(blank: Path) -> None:
    """Names and nouns would be wrong."""
    meta = json.loads((blank / "meta.json").read_text())
    (blank / "meta.json").write_text(json.dumps({**meta, "lang": "de"}))
    with pytest.raises(ModelError, match="language de, expected en"):
        load_pipeline(blank)


def test_damaged_description(blank: Path) -> None:
    """meta.json that is no JSON."""
    (blank / "meta.json").write_text("{")
    with pytest.raises(ModelError, match=r"meta\.json is missing or damaged"):
        load_pipeline(blank)


def test_missing_component_data(blank: Path) -> None:
    """A half-copied folder."""
    shutil.rmtree(blank / "vocab")
    (blank / "tokenizer").unlink()
    with pytest.raises(ModelError, match="cannot be loaded"):
        load_pipeline(blank)


def test_unknown_component(blank: Path) -> None:
    """A pipeline that needs a package which is not installed."""
    config = (blank / "config.cfg").read_text()
    (blank / "config.cfg").write_text(config.replace('"sentencizer"', '"no_such_factory"'))
    with pytest.raises(ModelError, match="cannot be loaded") as caught:
        load_pipeline(blank)
    assert caught.value.hint
