"""All commands as one Typer program."""

from __future__ import annotations

import os
import sys
from inspect import cleandoc
from typing import Any

import typer

from ragcli import __version__
from ragcli.cli import (
    ask,
    bundle,
    completion,
    config,
    describe,
    doctor,
    eval,
    extract,
    index,
    inspect,
    merge,
    models,
    search,
    serve,
    table,
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
app.command("merge")(merge.merge)
app.command("ask")(ask.ask)
app.command("search")(search.search)
app.command("describe")(describe.describe)
app.command("eval")(eval.evaluate)
app.command("extract")(extract.extract)
app.command("serve")(serve.serve)
app.command("doctor")(doctor.doctor)
app.add_typer(inspect.app, name="inspect")
app.add_typer(table.app, name="table")
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


def unfolded(text: str) -> str:
    """A docstring with each paragraph in one line, so that help wraps at the terminal's width.

    >>> unfolded("Read it.\\n\\n    Without a file,\\n    read stdin.\\n    ")
    'Read it.\\n\\nWithout a file, read stdin.'
    """
    paragraphs = cleandoc(text).split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def _unfold(program: typer.Typer) -> None:
    """Give every command its docstring as help, unfolded."""
    for command in program.registered_commands:
        if command.callback is not None and command.help is None:
            command.help = unfolded(command.callback.__doc__ or "")
    for group in program.registered_groups:
        if group.typer_instance is not None:
            _unfold(group.typer_instance)


_unfold(app)


def run() -> Any:
    """Run the command that the program's arguments name; its exit code.

    Raises KeyboardInterrupt when the user gives up, usage errors, and what the commands raise.
    """
    try:
        with completion.for_bash(os.environ):
            return app(prog_name="ragcli", standalone_mode=False)
    except typer.Exit as stop:
        return stop.exit_code
    except typer.Abort:
        raise KeyboardInterrupt from None
