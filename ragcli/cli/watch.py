"""ragcli update --watch: update after every change, until Ctrl-C."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from ragcli.cli import index, render
from ragcli.ending import INTERRUPTED
from ragcli.errors import InputError, StoreError
from ragcli.types import Event, IndexResult, Report

Run = Callable[[Report], IndexResult]


def watching(where: Path, run: Run, json: bool, quiet: bool) -> int:
    """Update now and after each burst of changes.

    Ctrl-C between two updates ends with code 0, during an update with 130.
    """
    from ragcli.indexing.watching import bursts, watched_folders

    folders = watched_folders(where)
    began = False
    try:
        for changed in bursts(folders, where):
            if began and not changed:
                continue
            try:
                result = _updated(run, quiet)
            except KeyboardInterrupt:
                render.note("\nstopped; completed work is kept")
                return INTERRUPTED
            if result is not None and (not began or _has_news(result)):
                index.show(result, where, json, quiet, strict=False)
                sys.stdout.flush()
            if not began and not quiet:
                render.note(f"watching {', '.join(map(str, folders))}; Ctrl-C ends")
            began = True
    except KeyboardInterrupt:
        if not quiet:
            render.note("\nno longer watching")
    return 0


def _updated(run: Run, quiet: bool) -> IndexResult | None:
    """The result of an update; None if it failed, which the next change may mend."""
    from ragcli.indexing.watching import waiting

    def wait_noted(event: Event) -> None:
        if not quiet:
            render.note(f"waiting: {event.note}")

    try:
        with render.ProgressBar(quiet) as progress:
            return waiting(lambda: run(progress), wait_noted)
    except (StoreError, InputError) as error:
        render.note(f"{error.message}\n{error.hint}".rstrip())
        return None


def _has_news(result: IndexResult) -> bool:
    """Whether a run has changed the store, or says what it could not read."""
    done = result.added, result.changed, result.renamed, result.removed
    return any(done) or bool(result.failed)
