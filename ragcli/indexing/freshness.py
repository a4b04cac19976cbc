"""Brings a store up to date before it is asked, if little has changed.

Changed files are seen by size and time. Nobody waits: while another process writes, or when more
has changed, the store is asked as it is, and the note says so.
"""

from __future__ import annotations

import logging
import time
from pathlib import Path

from ragcli.config import Settings, seconds_of
from ragcli.errors import InputError, StoreLocked
from ragcli.indexing.prepare import read_limits
from ragcli.indexing.request import IndexRequest
from ragcli.indexing.scan_plan import compare
from ragcli.store.writer import open_to_compare
from ragcli.text.words import counted

# More than this is left to ``ragcli update``: it would take longer than a question may.
MOST_FILES = 20
MOST_BYTES = 1_000_000
_CHECKED = "checked"
"""A file in the store; its time of change is that of the last check."""

_log = logging.getLogger(__name__)


def freshen(store: Path, settings: Settings) -> str:
    """Index what has changed, if the setting ``fresh`` asks for it; a note for the user, or "".

    A language model is asked nothing; what it should read waits for ``ragcli update``. Raises the
    errors of ``index``, but none because another process writes.
    """
    if settings.fresh == "false" or _checked_since(store, seconds_of(settings.fresh)):
        return ""
    try:
        note = _updated(store, settings)
    except StoreLocked as error:
        return f"not brought up to date: {error.message}"
    except InputError as error:
        return f"not brought up to date: {error.message}; {error.hint}"
    _remember(store)
    return note


def _updated(store: Path, settings: Settings) -> str:
    request = IndexRequest(store, minutes=0.0)
    with open_to_compare(store) as opened:
        _, todo = compare(opened, request, {}, read_limits(settings))
    files = len(todo.read) + len(todo.gone)
    size = sum(source.size for source in todo.read)
    if files > MOST_FILES or size > MOST_BYTES:
        what = f"{counted(files, 'file')} ({size / 1e6:.1f} MB)"
        return f"not brought up to date: {what} changed; run: ragcli update"
    if not files:
        return ""
    # Its steps take long to import, and most checks find nothing.
    from ragcli.indexing.index import index

    result = index(request, settings)
    done = result.added + result.changed + result.renamed + result.removed
    return f"brought up to date: {counted(done, 'document')} changed" if done else ""


def _checked_since(store: Path, seconds: float) -> bool:
    """Whether the last check was less than so many seconds ago."""
    try:
        return time.time() - (store / _CHECKED).stat().st_mtime < seconds
    except FileNotFoundError:
        return False


def _remember(store: Path) -> None:
    """Note the time of this check, unless the store can only be read."""
    try:
        (store / _CHECKED).touch()
    except OSError as error:
        _log.debug("the time of the check is not kept: %s", error)
