"""ragcli update: update a store from the folders it is built from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import ragcli
from ragcli.api import UpdateOptions, as_path, update_request
from ragcli.cli import index, inputs, options, render
from ragcli.cli.watch import watching
from ragcli.errors import ConfigError

if TYPE_CHECKING:
    from ragcli.config import Settings
    from ragcli.indexing.request import IndexRequest
    from ragcli.types import IndexResult, Report


def update(
    paths: index.Paths = None,
    store: options.Store = None,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Change nothing; list the changes, and exit with code 1 if there are any.",
        ),
    ] = False,
    watch: Annotated[
        bool,
        typer.Option(
            "--watch",
            help="Update now and after every change of the folders, until Ctrl-C. Needs the extra"
            " watch.",
        ),
    ] = False,
    workers: index.Workers = None,
    mode: index.Mode = None,
    llm: options.Llm = None,
    minutes: index.Minutes = None,
    extractions: index.Extractions = None,
    hierarchy: index.Hierarchy = None,
    hierarchy_by: index.HierarchyBy = None,
    forget: Annotated[
        list[Path] | None,
        typer.Option(
            parser=as_path,
            metavar="PATH",
            help="Remove a folder and its documents from the store; may be repeated. The folder"
            " need not exist.",
        ),
    ] = None,
    strict: index.Strict = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Index new and changed files, and remove deleted ones. PATH limits the update to a folder."""
    where = inputs.existing_store(store)
    settings = inputs.settings(workers=workers, llm=llm)
    wanted: UpdateOptions = {
        "extractions": extractions,
        "mode": index.chosen_mode(mode, llm, hierarchy_by),
        "minutes": minutes,
        "hierarchy": hierarchy,
        "hierarchy_by": hierarchy_by or "",
        "forget": tuple(forget or ()),
    }
    if check and watch:
        raise ConfigError("--check and --watch exclude each other", "leave one out")
    if check:
        return _check(update_request(where, paths or (), **wanted), settings, json, strict)
    if watch:

        def run(report: Report) -> IndexResult:
            return ragcli.update(where, paths or (), settings=settings, report=report, **wanted)

        return watching(where, run, json, quiet)
    with render.ProgressBar(quiet) as progress:
        result = ragcli.update(where, paths or (), settings=settings, report=progress, **wanted)
    return index.show(result, where, json, quiet, strict)


def _check(request: IndexRequest, settings: Settings, json: bool, strict: bool) -> int:
    from ragcli.maintaining.check import STILL_FAILED, stale

    changes, waiting = stale(request, settings)
    counted = [c for c in changes if strict or c["change"] != STILL_FAILED]
    outdated = bool(counted or waiting.profiles)
    chunks = sum(waiting.chunks.values())
    if json:
        counts = {"chunks": chunks, "profiles": waiting.profiles}
        known = [c["doc"] for c in changes if c not in counted]
        found = {"stale": outdated, "changes": counted, "failed_before": known, "waiting": counts}
        render.print_json(found)
    else:
        for change in changes:
            before = f"{change['from']} -> " if "from" in change else ""
            render.line(f"{change['change']} {before}{change['doc']}")
        index.show_waiting(chunks, waiting.profiles)
        if not outdated:
            render.note("the store is up to date")
    return inputs.NEGATIVE if outdated else 0
