"""Watches the folders of a store: an update after each burst of changes, until it is interrupted.

The library watchfiles asks the operating system for changes, so nothing is read while nothing
changes. An update is the same as ``ragcli update``: readers keep their generation, and while
another process writes, it waits.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ragcli.errors import InputError, StoreLocked
from ragcli.store.roots import is_below
from ragcli.store.snapshot import open_snapshot
from ragcli.types import Event, IndexResult, Report, silent

# A burst ends when nothing has changed for this long; editors and checkouts write many files.
SETTLE_MS = 600
# The longest burst: a file that never rests does not keep the others from being indexed.
LONGEST_MS = 10_000
# Between two attempts to write while another process does.
RETRY_SECONDS = 1.0


def watched_folders(store: Path) -> list[Path]:
    """The roots of a store that are there; a file's folder, because editors replace files.

    Raises InputError if there is none; StoreMissing and the like.
    """
    with open_snapshot(store) as snapshot:
        found = [Path(root) for root in snapshot.facts.roots()]
    there = [root if root.is_dir() else root.parent for root in found if root.exists()]
    if not there:
        raise InputError("there is nothing to watch: no folder of the store is there")
    return list(dict.fromkeys(there))


def bursts(folders: Sequence[Path], store: Path) -> Iterator[int]:
    """The number of changed files after each burst of changes; 0 at once, when watching begins.

    Changes in the store, in hidden folders and of hidden files do not count, but for ignore files.
    Raises InputError if watchfiles is not installed.
    """
    try:
        from watchfiles import watch
    except ImportError as error:
        raise InputError(
            "--watch needs the library watchfiles", 'run: pip install "ragcli[watch]"'
        ) from error
    own = os.path.realpath(store)

    def counts(_change: object, path: str) -> bool:
        in_store = os.path.realpath(path).startswith(own)  # a folder may be reached by a link
        return not in_store and is_relevant(path, own, folders)

    # It yields an empty set when it has begun to watch; changes after that are not missed.
    for changed in watch(
        *folders,
        watch_filter=counts,
        debounce=LONGEST_MS,
        step=SETTLE_MS,
        rust_timeout=1000,
        yield_on_timeout=True,
        raise_interrupt=True,
    ):
        yield len(changed)


def is_relevant(path: str, store: str, folders: Sequence[Path]) -> bool:
    """Whether a changed path may concern a document: it is not in the store, and not hidden."""
    if is_below(path, store):
        return False
    for folder in folders:
        if Path(path).is_relative_to(folder):
            *above, name = Path(path).relative_to(folder).parts or ("",)
            hidden = name.startswith(".") and name not in (".gitignore", ".ragcliignore")
            return not hidden and not any(part.startswith(".") for part in above)
    return True


def waiting(run: Callable[[], IndexResult], report: Report = silent) -> IndexResult:
    """The result of a run that writes; while another process writes, try again."""
    reported = False
    while True:
        try:
            return run()
        except StoreLocked as error:
            if not reported:
                report(Event("wait", 0, 1, error.message))
            reported = True
            time.sleep(RETRY_SECONDS)
