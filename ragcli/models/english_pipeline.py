"""Runs pipelines: the built-in English one in NumPy, any other of any language with spaCy.

This is the only module that uses spaCy. Importing spaCy takes one to two seconds, so
``load_pipeline`` imports it.
"""

from __future__ import annotations

import json
import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from ragcli.errors import ModelError
from ragcli.models.locate import ENGLISH
from ragcli.models.pipeline_output import Named, Noun, Read, Reading

if TYPE_CHECKING:
    from spacy.language import Language

_NOUN_TAGS = frozenset(("NOUN", "PROPN"))
_REQUIRED = re.compile(r"[A-Za-z0-9][\w.-]*")
_HINT = "give the folder of another pipeline, or remove the setting to use the built-in one"


def reader(path: Path | str, language: str = "en") -> Read:
    """Return a function that analyses texts with the pipeline in folder ``path``.

    The built-in pipeline is always computed in NumPy, so a text gives the same result in a large
    and in a small run. Raises ModelError like ``load_pipeline``.
    """
    if is_built_in(path):
        from ragcli.models.light_english import LightEnglish

        return LightEnglish(ENGLISH)
    pipeline = load_pipeline(path, language=language)
    return lambda text: spacy_reading(pipeline, text)


def is_built_in(path: Path | str) -> bool:
    """Return whether ``path`` is the folder of the built-in English pipeline."""
    return Path(path).resolve() == ENGLISH.resolve()


def spacy_reading(pipeline: Language, text: str) -> Reading:
    """Return names and other nouns of ``text``, from a loaded spaCy pipeline."""
    doc = pipeline(text)
    taken = {i for ent in doc.ents for i in range(ent.start, ent.end)}
    return Reading(
        tuple(Named(ent.start_char, ent.end_char, ent.label_) for ent in doc.ents),
        tuple(
            Noun(token.idx, token.text, token.lemma_)
            for token in doc
            if token.i not in taken and token.pos_ in _NOUN_TAGS
        ),
    )


def load_pipeline(path: Path | str, language: str = "en") -> Language:
    """Load the pipeline of a language in folder ``path``.

    It uses one thread. spaCy's warnings about versions are shown, except for the built-in
    pipeline, which is tested with the installed spaCy. Raises ModelError when the folder is not a
    pipeline of this language, is damaged, or needs a package that is not installed.
    """
    path = Path(path)
    check_pipeline(path, language)
    os.environ.setdefault("BLIS_NUM_THREADS", "1")
    try:
        with _torch_hidden(unless=_needs_torch(path)):
            import spacy
    except ImportError as error:
        raise ModelError(f"spaCy cannot be imported: {error}", "pip install ragcli") from error
    with warnings.catch_warnings():
        if path.resolve() == ENGLISH.resolve():
            warnings.filterwarnings("ignore", message=r"\[W095\]", category=UserWarning)
        try:
            return spacy.load(path)
        except Exception as error:  # a damaged component can raise any error
            reason = " ".join(str(error).split())[:300] or type(error).__name__
            raise ModelError(f"the spaCy pipeline {path} cannot be loaded: {reason}", _HINT) from (
                error
            )


def check_pipeline(path: Path, language: str = "en") -> None:
    """Check without importing spaCy that a folder is a pipeline of a language and can be loaded.

    Raises ModelError if it is not, or if a package that it names as a requirement is missing.
    """
    if not (path / "config.cfg").is_file():
        raise ModelError(f"{path} is not a spaCy pipeline: config.cfg is missing", _HINT)
    try:
        meta = json.loads((path / "meta.json").read_bytes())
        found = meta["lang"]
        required = [str(line) for line in meta.get("requirements") or ()]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{path / 'meta.json'} is missing or damaged: {error}", _HINT) from error
    if found != language:
        raise ModelError(f"{path} is a pipeline for language {found}, expected {language}", _HINT)
    for line in required:
        name = _REQUIRED.match(line)
        if name and not _installed(name[0]):
            raise ModelError(
                f"the spaCy pipeline {path} needs the package {name[0]}, which is not installed",
                f"pip install '{line}'",
            )


def _installed(name: str) -> bool:
    try:
        version(name)
    except PackageNotFoundError:
        return False
    return True


def _needs_torch(path: Path) -> bool:
    config = (path / "config.cfg").read_text(encoding="utf-8", errors="replace").lower()
    return "transformer" in config or "torch" in config


@contextmanager
def _torch_hidden(unless: bool) -> Iterator[None]:
    """Hide torch from imports inside the ``with`` block, unless it is needed or already loaded.

    spaCy's own layers do not use torch. But importing spaCy imports torch if it is installed, which
    takes one second and 180 MB in every worker process.
    """
    if unless or "torch" in sys.modules or "thinc" in sys.modules:
        yield
        return
    sys.modules["torch"] = None  # type: ignore[assignment]  # Python's sign for "not importable"
    try:
        yield
    finally:
        del sys.modules["torch"]
