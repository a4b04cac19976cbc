"""ragcli bundle: carry a store to a machine that has no network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragcli.cli import options, render
from ragcli.overwriting import refuse_to_lose

app = typer.Typer(
    help="Carry a store to a machine that has no network, as one checked file.",
    no_args_is_help=True,
)

File = Annotated[Path, typer.Argument(parser=options.path, metavar="FILE", help="The bundle.")]


@app.command("export")
def export(
    file: File,
    store: options.Store = None,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Write everything in the store to FILE, the text of the documents included."""
    from ragcli.maintaining.bundles import export as run
    from ragcli.maintaining.bundles import is_bundle

    if not force:
        refuse_to_lose(file, is_bundle, "a bundle")
    manifest = run(options.existing_store(store), file)
    if json:
        render.print_json(manifest)
    elif not quiet:
        render.note(
            f"{file}: {manifest['documents']} documents, {file.stat().st_size:,} bytes; it holds "
            "their whole text"
        )


@app.command("import")
def import_(
    file: File,
    store: options.Store = None,
    root: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="DIR",
            exists=True,
            help="Folder on this machine that the store is updated from; once for each folder "
            "it was made from.",
        ),
    ] = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Check FILE to the last byte and open it as a new store."""
    from ragcli.maintaining.bundles import import_ as run
    from ragcli.store.connection import FOLDER

    where = store or Path.cwd() / FOLDER
    with render.ProgressBar(quiet or json) as progress:
        manifest = run(file, where, root or (), progress)
    if json:
        render.print_json(manifest)
    elif not quiet:
        render.note(f"{where}: {manifest['documents']} documents")
        if not root:
            render.note(f"made from {', '.join(manifest['roots'])}; name others with --root")
