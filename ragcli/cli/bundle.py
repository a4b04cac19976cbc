"""ragcli bundle: copy a store to a machine that has no network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragcli.api import as_path
from ragcli.cli import inputs, options, render
from ragcli.overwriting import refuse_to_lose
from ragcli.text.words import counted

app = typer.Typer(
    help="Copy a store to a machine that has no network, as one file with a checksum.",
    no_args_is_help=True,
)

File = Annotated[Path, typer.Argument(parser=as_path, metavar="FILE", help="The bundle.")]


@app.command("export")
def export(
    file: File,
    store: options.Store = None,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Write the whole store to FILE, including the text of the documents."""
    from ragcli.maintaining.bundles import export as run
    from ragcli.maintaining.bundles import is_bundle

    if not force:
        refuse_to_lose(file, is_bundle, "a bundle")
    manifest = run(inputs.existing_store(store), file)
    if json:
        render.print_json(manifest)
    elif not quiet:
        render.note(
            f"{file}: {counted(manifest['documents'], 'document')},"
            f" {counted(file.stat().st_size, 'byte')}; it contains their whole text"
        )


@app.command("import")
def import_(
    file: File,
    store: options.NewStore = None,
    root: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="DIR",
            exists=True,
            help="Folder on this machine to update the store from; give one for each folder that "
            "the store was built from.",
        ),
    ] = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Verify the checksum of FILE and unpack it as a new store."""
    from ragcli.maintaining.bundles import import_ as run
    from ragcli.store.connection import FOLDER

    where = store or Path.cwd() / FOLDER
    with render.ProgressBar(quiet or json) as progress:
        manifest = run(file, where, root or (), progress)
    if json:
        render.print_json(manifest)
    elif not quiet:
        render.note(f"{where}: {counted(manifest['documents'], 'document')}")
        if not root:
            render.note(f"built from {', '.join(manifest['roots'])}; change this with --root")
