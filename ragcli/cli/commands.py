"""All commands as one Typer program."""

from __future__ import annotations

import os
import sys
from typing import Any

import typer

from ragcli import __version__
from ragcli.cli import (
    ask,
    bundle,
    config,
    doctor,
    eval,
    extract,
    index,
    inspect,
    models,
    search,
    serve,
    update,
)
from ragcli.cli.logs import log_to_stderr

NO_COMMAND = 2

app = typer.Typer(
    name="ragcli",
    help="Ask questions of your own documents on your own machine. Nothing leaves it.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("index")(index.index)
app.command("update")(update.update)
app.command("ask")(ask.ask)
app.command("search")(search.search)
app.command("eval")(eval.evaluate)
app.command("extract")(extract.extract)
app.command("serve")(serve.serve)
app.command("doctor")(doctor.doctor)
app.add_typer(inspect.app, name="inspect")
app.add_typer(bundle.app, name="bundle")
app.add_typer(config.app, name="config")
app.add_typer(models.app, name="models")


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"ragcli {__version__}")
        raise typer.Exit


FIRST_STEPS = """\
ragcli answers questions from your own documents, on this machine only.

  ragcli index FOLDER      read the documents; later, ragcli update reads what has changed
  ragcli ask "QUESTION"    answer with exact quotes; without a question: a conversation
  ragcli search WORDS      list the passages, as grep does

All commands: ragcli --help    One command: ragcli ask --help
"""


@app.callback()
def _root(
    ctx: typer.Context,
    _version_asked: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
    debug: bool = typer.Option(
        False, "--debug", help="Log each step to standard error, and show tracebacks."
    ),
) -> None:
    if debug:
        os.environ["RAGCLI_DEBUG"] = "1"
        log_to_stderr()
    if ctx.invoked_subcommand is None:
        sys.stdout.write(FIRST_STEPS)
        raise typer.Exit(NO_COMMAND)


def run() -> Any:
    """Run the command that the program's arguments name; its exit code.

    Raises KeyboardInterrupt when the user gives up, usage errors, and what the commands raise.
    """
    try:
        return app(prog_name="ragcli", standalone_mode=False)
    except typer.Exit as stop:
        return stop.exit_code
    except typer.Abort:
        raise KeyboardInterrupt from None
