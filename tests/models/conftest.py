"""The real models, loaded once for all tests of this room."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragcli.models.embed import Embedder
from ragcli.models.encoder import LightEncoder
from ragcli.models.locate import embedder_folder

TEXTS = [
    "",
    "   ",
    "?",
    "Who wrote the letters that were found in the observatory?",
    "naïve café Ünïcödé ﬁ ﬂ Ⅷ İstanbul ß",
    "日本語のテキスト mixed with English",
    "😀 emoji 👩‍👩‍👧 and \x00\x01 controls\u200b",
    "مرحبا بالعالم Привет Ελληνικά",
    "x" * 5000,
    "word " * 1000,
    "[CLS] [SEP] [MASK] are only text here",
    "don't can't ... -- 'quoted' line\nbreak\ttab",
    "The railway company paid 1,250 crowns for the eastern line. " * 8,
]


@pytest.fixture(scope="session")
def texts() -> list[str]:
    """Thirteen texts: empty, long, cut, foreign, odd, plain."""
    return TEXTS


@pytest.fixture(scope="session")
def folder() -> Path:
    """The default embedding model's folder."""
    return embedder_folder()


@pytest.fixture(scope="session")
def exact(folder: Path) -> Embedder:
    """The embedder in float32, on two threads."""
    return Embedder(folder, dtype="float32", threads=2)


@pytest.fixture(scope="session")
def light(folder: Path) -> LightEncoder:
    """The light encoder of the same model."""
    return LightEncoder(folder)


@pytest.fixture
def model_copy(folder: Path, tmp_path: Path) -> Path:
    """A folder with the model's settings copied and its large files linked: free to edit."""
    for path in folder.rglob("*"):
        target = tmp_path / "copy" / path.relative_to(folder)
        if path.is_file() and path.suffix != ".md":
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix == ".safetensors":
                target.symlink_to(path)
            else:
                target.write_bytes(path.read_bytes())
    return tmp_path / "copy"
