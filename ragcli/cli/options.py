"""Options that several commands share, and what they mean."""

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
    """A path as it was given; an empty one, often a variable without a value, is no folder."""
    if not given:
        raise InputError("an empty path was given", "for the current folder write: .")
    return Path(given)


Store = Annotated[
    Path | None,
    typer.Option(
        "--store",
        parser=path,
        metavar="DIR",
        help="Store to use (default: .ragcli, searched upward).",
    ),
]
Force = Annotated[
    bool, typer.Option("--force", help="Replace a file even if ragcli did not write it.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress and no notes.")]
Embedder = Annotated[
    str | None, typer.Option(metavar="DIR", help="Embedding model: default, or the folder of one.")
]
Llm = Annotated[
    str | None,
    typer.Option(
        metavar="MODEL",
        help="Language model: auto, none, a GGUF file, or the name of an added one.",
    ),
]


def as_text(given: str | None) -> str | None:
    """What was typed or piped in; bytes that are not UTF-8 as escapes, as in a document's id."""
    return given and os.fsencode(given).decode("utf-8", "backslashreplace")


def settings(**flags: Any) -> Settings:
    """Settings from all layers, these flags on top."""
    return load(flags).settings


def existing_store(given: Path | None) -> Path:
    """The store that was named, or the nearest one upward; StoreMissing when there is none."""
    if given is not None:
        return given
    found = find_store(Path.cwd())
    if found is None:
        raise StoreMissing(
            f"no store in {Path.cwd()} or any folder above", "make one with: ragcli index FOLDER"
        )
    return found


def store_to_write(given: Path | None, quiet: bool = False) -> Path:
    """The store that was named, the nearest one upward, or a new one in the current folder.

    A store of a folder above is named on standard error, unless ``quiet``.
    """
    here = Path.cwd() / FOLDER
    if given is not None:
        return given
    found = find_store(Path.cwd())
    if found not in (None, here) and not quiet:
        render.note(f"using the store in {found}; for one here: --store {FOLDER}")
    return found or here
