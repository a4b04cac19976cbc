"""The command line: parses arguments, calls the API, prints results. One module per command.

In: ``sys.argv`` and settings. Out: data on stdout, notes on stderr, an exit code. This module
starts the program and turns its errors into messages. A command may not implement a step, and only
``render`` imports rich.
"""

from __future__ import annotations

import gc
import io
import os
import sys
import traceback
from typing import Any, NoReturn, cast

from ragcli.cli.logs import log_to_stderr
from ragcli.cli.plain_arguments import plain_ask
from ragcli.ending import INTERRUPTED, TERMINATED, ending_in_order
from ragcli.errors import RagcliError
from ragcli.text.terminal import harmless

# Exit codes: 0 success, 1 negative result (``inputs.NEGATIVE``), 2 error; after signals as shells
# expect.
TROUBLE = 2


def main() -> NoReturn:
    """Run the command line; the only place where errors become messages and exit codes."""
    _streams()
    log_to_stderr()
    # Imports allocate hundreds of thousands of objects and no garbage. With the default threshold
    # of 700, garbage collection took 5 % of a question's time.
    gc.set_threshold(100_000)
    try:
        with ending_in_order():
            code = _run()
        sys.stdout.flush()
        # Typer turns Ctrl-C into an exit code.
        if code == INTERRUPTED:
            _stopped()
        sys.exit(code if isinstance(code, int) else 0)
    except SystemExit as stop:
        # Typer and rich raise SystemExit themselves when they write to a closed pipe.
        if isinstance(stop.__context__, BrokenPipeError):
            _reader_has_gone()
        if stop.code == TERMINATED:
            _stopped(TERMINATED)
        raise
    except KeyboardInterrupt:
        _stopped()
    except Exception as error:
        _failed(error)


def _run() -> Any:
    """The exit code of the command; a plain question is asked without importing Typer."""
    if asked := plain_ask(sys.argv[1:], os.environ):
        from ragcli.cli.run_ask import run_ask

        return run_ask(asked)
    from ragcli.cli.commands import run

    return run()


def _failed(error: Exception) -> NoReturn:
    """Print an error with a hint and exit; an unexpected error is printed with its traceback."""
    from ragcli.cli import usage

    if isinstance(error, RagcliError):
        _say(error.message, error.hint)
    elif usage.is_usage_error(error):
        said = io.StringIO()
        cast("Any", error).show(said)
        sys.stderr.write(harmless(said.getvalue()))
        if hint := usage.hint(error, sys.argv[1:]):
            sys.stderr.write(f"{harmless(hint)}\n")
    elif isinstance(error, BrokenPipeError):
        _reader_has_gone()
    elif isinstance(error, OSError):
        _say(*_of_the_system(error))
    elif isinstance(error, ModuleNotFoundError) and not str(error.name).startswith("ragcli"):
        _say(f"the library {error.name} is not installed", "ragcli doctor lists what is missing")
    else:
        sys.stderr.write(harmless(traceback.format_exc()))
        sys.stderr.write("ragcli: this is a bug in ragcli\n")
    # Not 1, which means "nothing found".
    sys.exit(TROUBLE)


def _of_the_system(error: OSError) -> tuple[str, str]:
    """Message and hint for an error of the operating system."""
    name = f"{error.filename}: " if error.filename else ""
    hint = "check disk space and permissions, then run it again"
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        hint = "check the spelling; the folder of an output file must exist"
    return f"{name}{error.strerror or error}", hint


def _reader_has_gone() -> NoReturn:
    """Exit silently: the program that reads the output (head, less) has closed the pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(0)


def _stopped(code: int = INTERRUPTED) -> NoReturn:
    sys.stderr.write("\nstopped; completed work is kept, run the command again to continue\n")
    sys.exit(code)


def _streams() -> None:
    """Prevent failures from undecodable input, unencodable output and closed streams."""
    # In the order of their file descriptors: each open takes the lowest free number, so no store
    # file gets it.
    sys.stdin = sys.stdin or open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _say(message: str, hint: str) -> None:
    if os.environ.get("RAGCLI_DEBUG"):
        sys.stderr.write(harmless(traceback.format_exc()))
    sys.stderr.write(f"ragcli: {harmless(message)}\n")
    if hint:
        sys.stderr.write(f"        {harmless(hint)}\n")
