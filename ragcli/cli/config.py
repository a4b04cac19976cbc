"""ragcli config: the effective settings."""

from __future__ import annotations

from dataclasses import fields

import typer

from ragcli.cli import options, render
from ragcli.config import Settings, load

app = typer.Typer(help="Show the settings.", no_args_is_help=True)


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
