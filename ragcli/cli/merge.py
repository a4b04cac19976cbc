"""ragcli merge: make one store of the shards that several machines have indexed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import ragcli
from ragcli.api import as_path
from ragcli.cli import index, inputs, options, render
from ragcli.store.connection import FOLDER


def merge(
    shards: Annotated[
        list[Path],
        typer.Argument(
            parser=as_path,
            metavar="SHARD...",
            help="Stores made by index --shard, one for each part.",
        ),
    ],
    store: options.NewStore = None,
    root: Annotated[
        list[Path] | None,
        typer.Option(
            parser=as_path,
            metavar="FOLDER",
            help="The indexed folder on this machine, if it has another place here; repeat it in"
            " the order of the shards' folders.",
        ),
    ] = None,
    partial: Annotated[
        bool, typer.Option("--partial", help="Merge although some shards are missing.")
    ] = False,
    hierarchy: Annotated[
        bool,
        typer.Option("--hierarchy", help="Cluster the entities into levels, for ask --mode lean."),
    ] = False,
    hierarchy_by: index.HierarchyBy = None,
    embedder: options.Embedder = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Make one store of all shards of a folder; the shards stay as they are.

    The content is that of a store that was indexed at once, and no document is read or embedded
    again. The store must not exist yet. Later, ragcli update reads what has changed.
    """
    settings = inputs.settings(embedder=embedder)
    where = store or Path.cwd() / FOLDER
    with render.ProgressBar(quiet) as progress:
        result = ragcli.merge(
            shards,
            where,
            roots=root or (),
            partial=partial,
            hierarchy=hierarchy,
            hierarchy_by=hierarchy_by or "",
            settings=settings,
            report=progress,
        )
    return index.show(result, where, json, quiet, strict=False)
