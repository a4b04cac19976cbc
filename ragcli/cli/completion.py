"""Completion of values in a shell: modes, documents, folders and names of the store.

A completion must neither fail nor print anything, whatever the state of the store.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragcli.config import MODES
from ragcli.errors import RagcliError

if TYPE_CHECKING:
    from ragcli.store.snapshot import Snapshot

_log = logging.getLogger(__name__)

# Values that a shell is given, at most.
MOST = 200


def modes(incomplete: str) -> list[str]:
    """The retrieval modes."""
    return [mode for mode in MODES if mode.startswith(incomplete)]


def documents(ctx: Any, incomplete: str) -> list[str]:
    """The ids of documents."""
    with _opened(ctx) as snapshot:
        return _first(snapshot.documents.beginning_with(incomplete, MOST)) if snapshot else []


def places(ctx: Any, incomplete: str) -> list[str]:
    """The folders and files of the store, level by level."""
    with _opened(ctx) as snapshot:
        files = snapshot.facts.files() if snapshot else []
    found: dict[str, None] = {}
    for file in files:
        if file.startswith(incomplete):
            head, slash, _ = file[len(incomplete) :].partition("/")
            found[f"{incomplete}{head}{slash}"] = None
    return _first(found)


def types(ctx: Any, incomplete: str) -> list[str]:
    """The suffixes of the store's files."""
    with _opened(ctx) as snapshot:
        files = snapshot.facts.files() if snapshot else []
    suffixes = {Path(file).suffix.lstrip(".").lower() for file in files} - {""}
    return [suffix for suffix in sorted(suffixes) if suffix.startswith(incomplete)]


def fields(ctx: Any, incomplete: str) -> list[str]:
    """The fields of the documents, and after "=" their values."""
    with _opened(ctx) as snapshot:
        if snapshot is None:
            return []
        name, equals, value = incomplete.partition("=")
        if not equals:
            names = [*snapshot.facts.fields(), "title"]
            return _first(f"{n}=" for n in names if n.startswith(name.casefold()))
        values = dict.fromkeys(found.value for found in snapshot.facts.values([name.casefold()]))
        return _first(f"{name}={v}" for v in values if v.casefold().startswith(value.casefold()))


def entities(ctx: Any, incomplete: str) -> list[str]:
    """The names of entities, the most frequent first."""
    with _opened(ctx) as snapshot:
        return _first(snapshot.entities.beginning_with(incomplete, MOST)) if snapshot else []


def _first(values: Iterable[str]) -> list[str]:
    return list(islice(values, MOST))


@contextmanager
def _opened(ctx: Any) -> Iterator[Snapshot | None]:
    """The store of the command line that is being completed, None if there is none."""
    from ragcli.store.connection import find_store
    from ragcli.store.snapshot import open_snapshot

    given = ctx.params.get("store")
    where = Path(given) if given else find_store(Path.cwd())
    with ExitStack() as stack:
        snapshot = None
        if where is not None:
            try:
                snapshot = stack.enter_context(open_snapshot(where))
            except RagcliError as error:
                # Missing, of another release, damaged: the command itself will say so.
                _log.debug("no completion from %s: %s", where, error.message)
        yield snapshot
