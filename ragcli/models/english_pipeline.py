"""Runs English pipelines: the built-in one in NumPy, any other with spaCy.

This is the only module that uses spaCy. Importing spaCy takes one to two seconds, so
``load_english`` imports it.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ragcli.errors import ModelError
from ragcli.models.locate import ENGLISH
from ragcli.models.pipeline_output import Named, Noun, Read, Reading

if TYPE_CHECKING:
    from spacy.language import Language

_NOUN_TAGS = frozenset(("NOUN", "PROPN"))
_HINT = "give the folder of another pipeline, or remove the setting to use the built-in one"


def reader(path: Path | str) -> Read:
    """Return a function that analyses texts with the pipeline in folder ``path``.

    The built-in pipeline is always computed in NumPy, so a text gives the same result in a large
    and in a small run. Raises ModelError like ``load_english``.
    """
    if is_built_in(path):
        from ragcli.models.light_english import LightEnglish

        return LightEnglish(ENGLISH)
    pipeline = load_english(path)
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


def load_english(path: Path | str, exclude: Iterable[str] = ()) -> Language:
    """Load the pipeline in folder ``path`` without the components in ``exclude``.

    It uses one thread. spaCy's warnings about versions are shown, except for the built-in
    pipeline, which is tested with the installed spaCy. Raises ModelError when the folder is not a
    pipeline, is damaged, or needs a package that is not installed.
    """
    path = Path(path)
    _check_folder(path)
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
            return spacy.load(path, exclude=list(exclude))
        except Exception as error:  # a damaged component can raise any error
            reason = " ".join(str(error).split())[:300] or type(error).__name__
            raise ModelError(f"the spaCy pipeline {path} cannot be loaded: {reason}", _HINT) from (
                error
            )


def _check_folder(path: Path) -> None:
    """Check without importing spaCy that the folder is an English pipeline."""
    if not (path / "config.cfg").is_file():
        raise ModelError(f"{path} is not a spaCy pipeline: config.cfg is missing", _HINT)
    try:
        meta = json.loads((path / "meta.json").read_bytes())
        language = meta["lang"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"{path / 'meta.json'} is missing or damaged: {error}", _HINT) from error
    if language != "en":
        raise ModelError(f"{path} is a pipeline for language {language}, expected en", _HINT)


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
