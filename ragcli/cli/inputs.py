"""What the values of options and arguments mean: paths, questions, scopes, settings, stores.

No module that ``ask`` needs may import Typer, which takes 0.1 s; so they are not in ``options.py``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ragcli
from ragcli.cli import render
from ragcli.config import Settings, load
from ragcli.errors import ConfigError, InputError, StoreMissing
from ragcli.store.connection import FOLDER, find_store, unfinished
from ragcli.types import Report, Scope, silent

if TYPE_CHECKING:
    from ragcli.store.snapshot import Snapshot

FORMATS = ("plain", "markdown", "org", "json")

NEGATIVE = 1
"""The exit code of a negative outcome: nothing found, something missing or damaged."""


def output_format(given: str | None, json: bool, formats: Sequence[str] = FORMATS) -> str:
    """The format of the output; "plain" by default. Raises ConfigError for an unknown one."""
    if given is None:
        return "json" if json else "plain"
    if given not in formats:
        raise ConfigError(
            f"--format cannot be {given!r}", f"it must be one of: {', '.join(formats)}"
        )
    if json and given != "json":
        raise ConfigError(f"--json and --format {given} exclude each other", "leave one out")
    return given


def words(given: Sequence[str], example: str, no_input: bool = False) -> str:
    """A question or a query: the words given, or all of stdin for "-" or in a pipe.

    Raises InputError, with the example as its hint, if there is no text. ``no_input``: do not wait
    for a pipe.
    """
    piped = not (given or no_input or sys.stdin.isatty())
    text = sys.stdin.read() if piped or list(given) == ["-"] else " ".join(given)
    text = (as_text(text) or "").strip()
    if not text:
        raise InputError("no question given", example)
    return text


def scope(
    paths: list[str] | None,
    types: list[str] | None,
    since: str | None,
    where: list[str] | None,
) -> Scope:
    """The scope of these options; an empty one if none is given. Raises InputError."""
    texts = [[as_text(text) or "" for text in given or ()] for given in (paths, types, where)]
    return Scope.of(texts[0], texts[1], as_text(since) or "", texts[2])


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
        raise unfinished(Path.cwd() / FOLDER) or StoreMissing(
            f"no store in {Path.cwd()} or any parent folder",
            "create one with: ragcli index FOLDER",
        )
    return found


@contextmanager
def open_snapshot(given: Path | None) -> Iterator[Snapshot]:
    """A snapshot of the given store, or of the one of the nearest folder upward."""
    from ragcli.store import snapshot  # most commands do not wait for it

    with snapshot.open_snapshot(existing_store(given)) as opened:
        yield opened


def open_stores(
    given: list[Path] | None, settings: Settings, report: Report = silent
) -> ragcli.Store | ragcli.Stores:
    """The given stores, open for reading, or the one of the nearest folder upward."""
    if given and len(given) > 1:
        return ragcli.Stores.open(given, settings, report)
    return ragcli.Store.open(existing_store(given[0] if given else None), settings, report)


def freshen(given: list[Path] | None, settings: Settings, quiet: bool = False) -> None:
    """Bring the given stores up to date, or that of the nearest folder upward, if settings say so.

    What was done, or was left, is said unless ``quiet``.
    """
    if settings.fresh == "false":
        return
    from ragcli.indexing.freshness import freshen as run

    for store in given or [existing_store(None)]:
        note = run(store, settings)
        if note and not quiet:
            render.note(note)


def store_to_index(given: Path | None, is_new: bool, quiet: bool = False) -> Path:
    """The given store, the one in the current folder, or a new one there.

    If only a parent folder has one: ``is_new`` (folders are named) makes a store here, after a
    question on a terminal; otherwise that of the parent folder is updated. A note says which it is,
    unless ``quiet``.
    """
    here = Path.cwd() / FOLDER
    found = given or find_store(Path.cwd()) or here
    if given or found == here:
        return found
    if is_new and not _is_added_to(found, quiet):
        if not quiet:
            render.note(f"making a store here; to add to the one above, say: --store {found}")
        return here
    if not quiet:
        render.note(f"using the store in {found}; to create one here, name its folders")
    return found


def _is_added_to(store: Path, quiet: bool) -> bool:
    """Whether a person on a terminal wants to add to a store of a parent folder."""
    if quiet or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    render.note(f"There is a store in {store}.")
    sys.stderr.write("Make a store of its own for this folder? [Y/n] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("n", "no")
