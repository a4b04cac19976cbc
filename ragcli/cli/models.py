"""ragcli models: list the installed models, add and check language models."""

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
    """List embedder, English pipeline and language models; * marks the one in use (--llm)."""
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
            help="A GGUF file, or the name of an installed model.",
        ),
    ],
    q8: Annotated[
        bool,
        typer.Option(
            "--q8",
            help="Convert the weights to 8 bits (1.06 bytes each) as NAME-Q8_0: faster than 4 or 5 "
            "bits on processors without AMX.",
        ),
    ] = False,
    json: options.Json = False,
) -> None:
    """Copy a language model to your models, where --llm NAME and auto find it."""
    from ragcli.maintaining.model_files import add as run

    row = run(path, q8)
    if json:
        render.print_json(row)
    else:
        render.line(f"added {row['name']}; use it with: --llm {row['name']}")


@app.command()
def check(
    name: Annotated[
        str, typer.Argument(help="A name or a path (default: the --llm setting).")
    ] = "",
    json: options.Json = False,
) -> int:
    """Verify the file of a language model and measure its speed; exit code 1 if it is damaged."""
    from ragcli.maintaining.model_files import check as run

    found = run(options.settings(), name)
    if json:
        render.print_json(found)
    else:
        render.table("", ("", ""), [(k, render.as_text(v)) for k, v in found.items()])
    return NEGATIVE if found["damaged"] else 0
