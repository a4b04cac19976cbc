"""ragcli models: list the installed models, add and check language models."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ragcli.api import as_path
from ragcli.cli import inputs, options, render

app = typer.Typer(help="List, add and check models on this machine.", no_args_is_help=True)

_COLUMNS = ("kind", "name", "bytes", "hash", "architecture", "parameters", "quantisation")
_ALL = (*_COLUMNS, "context", "reading", "license", "problem")


@app.command("list")
def list_(json: options.Json = False) -> None:
    """List embedder, English pipeline and language models; * marks the one in use (--llm)."""
    from ragcli.maintaining.model_files import installed

    rows = installed(inputs.settings())
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
            parser=as_path,
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
    test: Annotated[
        bool,
        typer.Option(
            help="Ask it the questions of the reading test (seconds to a few minutes), which decide"
            " whether it answers with --answer auto."
        ),
    ] = True,
    json: options.Json = False,
) -> None:
    """Copy a language model to your models, where --llm NAME and auto find it."""
    from ragcli.maintaining.model_files import add as run
    from ragcli.maintaining.model_files import described, test_reading
    from ragcli.models.llm import llama_installed

    row = run(path, q8)
    tested = test and llama_installed()
    if tested:
        render.note("testing how it reads; Ctrl-C leaves that for: ragcli models check")
        file = Path(row["path"])
        test_reading(file, inputs.settings())
        row = described(file)
    if json:
        render.print_json(row)
        return
    render.line(f"added {row['name']}; use it with: --llm {row['name']}")
    render.line(f"reading test: {_verdict(row)}")


def _verdict(row: dict[str, Any]) -> str:
    """What a reading test means for answers."""
    if "reading" not in row:
        return "not done; ragcli models check decides whether it answers"
    if row["answers"]:
        return f"{row['reading']} right; it writes the answers (--answer auto)"
    return (
        f"{row['reading']} right, which is not enough: sentences of the documents answer, unless"
        " you ask with --answer llm"
    )


@app.command()
def check(
    name: Annotated[
        str, typer.Argument(help="A name or a path (default: the --llm setting).")
    ] = "",
    json: options.Json = False,
) -> int:
    """Verify the file of a language model, measure its speed and test how it reads.

    Exit code 1 if it is damaged.
    """
    from ragcli.maintaining.model_files import check as run

    found = run(inputs.settings(), name)
    if json:
        render.print_json(found)
    else:
        render.table("", ("", ""), [(k, render.as_text(v)) for k, v in found.items()])
    return inputs.NEGATIVE if found["damaged"] else 0
