"""Options that several commands share."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from ragcli.cli import render
from ragcli.config import Settings, load
from ragcli.errors import InputError, StoreMissing
from ragcli.store.connection import FOLDER, find_store


def path(given: str) -> Path:
    """A path. Raises InputError for an empty one, which is often a variable without a value."""
    if not given:
        raise InputError("an empty path was given", "for the current folder write: .")
    return Path(given)


Store = Annotated[
    Path | None,
    typer.Option(
        "--store",
        parser=path,
        metavar="DIR",
        help="Store to use (default: .ragcli here or in the nearest parent folder).",
    ),
]
Force = Annotated[
    bool, typer.Option("--force", help="Replace a file even if ragcli did not write it.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Hide progress and notes.")]
Embedder = Annotated[
    str | None, typer.Option(metavar="DIR", help="Embedding model: default, or its folder.")
]
Llm = Annotated[
    str | None,
    typer.Option(
        metavar="MODEL",
        help="Language model: auto, none, a GGUF file, or the name of an installed model.",
    ),
]


def as_text(given: str | None) -> str | None:
    """Input text, with bytes that are not UTF-8 escaped as in document ids."""
    return given and os.fsencode(given).decode("utf-8", "backslashreplace")


def settings(**flags: Any) -> Settings:
    """Settings from all layers; these flags take precedence."""
    return load(flags).settings


def existing_store(given: Path | None) -> Path:
    """The given store, or the one of the nearest folder upward. Raises StoreMissing."""
    if given is not None:
        return given
    found = find_store(Path.cwd())
    if found is None:
        raise StoreMissing(
            f"no store in {Path.cwd()} or any parent folder",
            "create one with: ragcli index FOLDER",
        )
    return found


def store_to_write(given: Path | None, quiet: bool = False) -> Path:
    """The given store, the one of the nearest folder upward, or a new one in the current folder.

    Print a note when it is the store of a parent folder, unless ``quiet``.
    """
    here = Path.cwd() / FOLDER
    if given is not None:
        return given
    found = find_store(Path.cwd())
    if found not in (None, here) and not quiet:
        render.note(f"using the store in {found}; to create one here, add: --store {FOLDER}")
    return found or here
