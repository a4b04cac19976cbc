"""ragcli config: the effective settings."""

from __future__ import annotations

from dataclasses import fields
from json import dumps as json_text
from pathlib import Path
from typing import Annotated

import typer

from ragcli.api import as_path
from ragcli.cli import options, render
from ragcli.config import FILE, Settings, load, naming, nearest_file
from ragcli.errors import InputError
from ragcli.trust import distrust
from ragcli.trust import trust as trust_file

app = typer.Typer(help="Show the settings, and trust a file of settings.", no_args_is_help=True)


@app.command()
def show(json: options.Json = False) -> None:
    """Print every setting, its value, and where the value comes from."""
    config = load({})
    rows = [
        (f.name, getattr(config.settings, f.name), config.origin[f.name], f.metadata["help"])
        for f in fields(Settings)
    ]
    if json:
        render.print_json({name: {"value": v, "from": o} for name, v, o, _ in rows})
    else:
        render.table("", ("setting", "value", "from", "meaning"), [(*map(str, r),) for r in rows])


@app.command()
def trust(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            parser=as_path,
            help=f"The file (default: {FILE} here or in the nearest parent folder).",
        ),
    ] = None,
    revoke: Annotated[bool, typer.Option("--revoke", help="Trust the file no longer.")] = False,
) -> None:
    """Let a file of settings name models and programs, as long as it stays as it is.

    Without that, only ragcli.toml of the home folder, variables and options may name them: a folder
    that you have only unpacked must not choose what runs on your machine.
    """
    chosen = file or nearest_file(Path.cwd())
    if chosen is None:
        raise InputError(f"no {FILE} here or in any parent folder", "name the file")
    text, named = naming(chosen)
    if revoke:
        distrust(chosen, text)
        render.note(f"{chosen} may no longer name models and programs")
        return
    trust_file(chosen, text)
    for name, value in named.items():
        render.line(f"{name} = {json_text(value)}")
    what = "may name them" if named else "names no model and no program; it may"
    render.note(f"{chosen} {what}, until it changes")
