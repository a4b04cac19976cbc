"""ragcli models: what is installed, and adding a language model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragcli.cli import options, render

app = typer.Typer(help="List, add and check models on this machine.", no_args_is_help=True)

NEGATIVE = 1
_COLUMNS = ("kind", "name", "bytes", "hash", "architecture", "parameters", "quantisation")
_ALL = (*_COLUMNS, "context", "license", "problem")


@app.command("list")
def list_(json: options.Json = False) -> None:
    """Embedder, English pipeline and language models; * marks the one that --llm names."""
    from ragcli.maintaining.model_files import installed

    rows = installed(options.settings())
    if json:
        render.print_lines(rows)
        return
    for row in rows:
        row["name"] += " *" if row.get("chosen") else ""
    render.table("", _ALL, ([row.get(column) for column in _ALL] for row in rows))


@app.command()
def add(
    path: Annotated[
        Path,
        typer.Argument(
            parser=options.path,
            metavar="PATH",
            help="A GGUF file, or the name of a model that is here.",
        ),
    ],
    q8: Annotated[
        bool,
        typer.Option(
            "--q8",
            help="Write its weights in 8 bits (1.06 bytes each), as NAME-Q8_0: faster than 4 or 5 "
            "bits on processors without AMX.",
        ),
    ] = False,
    json: options.Json = False,
) -> None:
    """Copy a language model to your models; from then on --llm NAME and auto find it."""
    from ragcli.maintaining.model_files import add as run

    row = run(path, q8)
    if json:
        render.print_json(row)
    else:
        render.line(f"added {row['name']}: use it with --llm {row['name']}")


@app.command()
def check(
    name: Annotated[str, typer.Argument(help="A name or a path (default: as --llm).")] = "",
    json: options.Json = False,
) -> int:
    """Verify a language model's file and measure its speed here; exit code 1 when damaged."""
    from ragcli.maintaining.model_files import check as run

    found = run(options.settings(), name)
    if json:
        render.print_json(found)
    else:
        render.table("", ("", ""), [(k, render.as_text(v)) for k, v in found.items()])
    return NEGATIVE if found["damaged"] else 0
