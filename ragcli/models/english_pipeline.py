"""English pipelines: ours in NumPy, any other by spaCy, whose one owner this is.

Importing spaCy takes one to two seconds, so it happens inside ``load_english``.
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
_HINT = "give another pipeline's folder, or leave the setting out for the built-in one"


def reader(path: Path | str) -> Read:
    """What reads texts by the pipeline in folder ``path``.

    The built-in pipeline is always computed in NumPy, so that a text is read the same way in a
    large run and in a small one. Raises ModelError as ``load_english``.
    """
    if Path(path).resolve() == ENGLISH.resolve():
        from ragcli.models.light_english import LightEnglish

        return LightEnglish(ENGLISH)
    pipeline = load_english(path)
    return lambda text: spacy_reading(pipeline, text)


def spacy_reading(pipeline: Language, text: str) -> Reading:
    """Names and other nouns of ``text`` by a loaded spaCy pipeline."""
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
    """The pipeline in folder ``path``, without the components named in ``exclude``.

    One thread does the work: run several processes for more. A warning of spaCy's about versions
    is passed on, except for the built-in pipeline, which is tested with the installed spaCy.
    Raises ModelError when the folder is no pipeline, is damaged, or needs what is not installed.
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
        except Exception as error:  # damage surfaces as whatever the component's reader raises
            reason = " ".join(str(error).split())[:300] or type(error).__name__
            raise ModelError(f"the spaCy pipeline {path} cannot be loaded: {reason}", _HINT) from (
                error
            )


def _check_folder(path: Path) -> None:
    """What can be told without importing spaCy: that the folder says it is an English pipeline."""
    if not (path / "config.cfg").is_file():
        raise ModelError(f"{path} is no spaCy pipeline: config.cfg is missing", _HINT)
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
    """Let imports inside find no torch, unless it is needed or already there.

    spaCy's own layers do not use it, but importing spaCy imports it when it is installed: one
    second and 180 MB for every worker process.
    """
    if unless or "torch" in sys.modules or "thinc" in sys.modules:
        yield
        return
    sys.modules["torch"] = None  # type: ignore[assignment]  # Python's sign for "not importable"
    try:
        yield
    finally:
        del sys.modules["torch"]
