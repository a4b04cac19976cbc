"""ragcli extract: write what a language model finds, as input for ``index --extractions``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragcli.api import as_path
from ragcli.cli import index, inputs, options, render
from ragcli.text.words import counted

Kept = Annotated[
    Path | None,
    typer.Option(
        "--store",
        parser=as_path,
        metavar="DIR",
        help="Keep intermediate results here, so that a stopped run can continue.",
    ),
]


def extract(
    paths: Annotated[
        list[Path],
        typer.Argument(parser=as_path, metavar="PATH...", help="Folders and files."),
    ],
    mode: index.Mode = None,
    llm: options.Llm = None,
    minutes: index.Minutes = None,
    store: Kept = None,
    include: index.Include = None,
    exclude: index.Exclude = None,
    workers: index.Workers = None,
    quiet: options.Quiet = False,
) -> int:
    """Write what a language model finds in documents, as JSON Lines.

    Run it on a larger machine, then pass the output to: ragcli index --extractions FILE
    """
    from ragcli.indexing.export_findings import extracted
    from ragcli.indexing.request import IndexRequest

    settings = inputs.settings(workers=workers, llm=llm)
    request = IndexRequest(
        Path(),
        tuple(paths),
        tuple(include or ()),
        tuple(exclude or ()),
        mode=mode or "auto",
        minutes=minutes,
    )
    with (
        render.ProgressBar(quiet) as progress,
        extracted(request, store, settings, progress) as (result, lines),
    ):
        render.print_lines(lines)
    if not quiet:
        render.note(
            f"{counted(result.described, 'chunk')} read, {result.waiting:,} waiting;"
            f" {result.llm_calls:,} calls"
        )
    return index.verdict(result)
