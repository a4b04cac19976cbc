"""ragcli serve --install and --uninstall: connect an assistant, or disconnect it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from difflib import unified_diff
from pathlib import Path

from ragcli.cli import inputs, render
from ragcli.errors import InputError, StoreMissing
from ragcli.serve.assistants import Machine, server_command
from ragcli.serve.connecting import Connection, FileChange, connection, skill_change
from ragcli.serve.server_entry import UnsafeChange
from ragcli.store.connection import FILE


def show_entry(assistant: str, folders: Sequence[Path], more: Sequence[str], skill: bool) -> int:
    """Print the entry, or the skill, and where it belongs; change nothing."""
    made = _connection(assistant, folders, more)
    if skill:
        change = skill_change(assistant, _machine(), install=True)
        render.note(f"{made.assistant.title} reads it as {change.file}:")
        sys.stdout.write(change.after)
    else:
        render.note(f"{made.assistant.title} reads it in {made.file}:")
        sys.stdout.write(made.snippet)
    return 0


def install(
    assistant: str, folders: Sequence[Path], more: Sequence[str], skill: bool, yes: bool
) -> int:
    """Write the entry, and the skill if wanted, once the user has seen the changes and agrees."""
    for folder in folders:
        if not (folder / FILE).is_file():
            raise StoreMissing(f"no store in {folder}", "create one with: ragcli index FOLDER")
    made = _connection(assistant, folders, more)
    try:
        done = _changed(made, assistant, skill, yes, install=True)
    except UnsafeChange as error:
        render.note(f"{made.file} stays as it is: {error.message}. Add this to it:")
        sys.stdout.write(made.snippet)
        return inputs.NEGATIVE
    if done == 0:
        render.note(f"{made.assistant.title} starts it as {made.name} when it starts the next time")
    return done


def uninstall(assistant: str, folders: Sequence[Path], skill: bool, yes: bool) -> int:
    """Take the entry out, and the skill if wanted, once the user has seen the changes."""
    made = _connection(assistant, folders, ())
    try:
        return _changed(made, assistant, skill, yes, install=False)
    except UnsafeChange as error:
        render.note(f"{made.file} stays as it is: {error.message}. Delete {made.name} from it.")
        return inputs.NEGATIVE


def _connection(assistant: str, folders: Sequence[Path], more: Sequence[str]) -> Connection:
    return connection(assistant, _machine(), server_command(folders, more))


def _machine() -> Machine:
    return Machine(sys.platform, Path.home(), os.environ)


def _changed(made: Connection, assistant: str, skill: bool, yes: bool, install: bool) -> int:
    """Show the changes, ask, and make them; the exit code. Raises UnsafeChange."""
    changes = [made.change(install)]
    changes += [skill_change(assistant, _machine(), install)] if skill else []
    changes = [change for change in changes if change.before != change.after]
    if not changes:
        render.note("nothing to change")
        return 0
    for change in changes:
        _show(change)
    if not (yes or _says_yes()):
        render.note("nothing was changed")
        return inputs.NEGATIVE
    for change in changes:
        change.write()
        kept = f"; the former one is {change.copy}" if change.before else ""
        render.note(f"{'wrote' if change.after else 'deleted'} {change.file}{kept}")
    return 0


def _show(change: FileChange) -> None:
    """The lines that change, as diff shows them."""
    before, after = change.before.splitlines(), change.after.splitlines()
    names = str(change.file), str(change.file)
    for line in unified_diff(before, after, *names, n=1, lineterm=""):
        render.note(line)


def _says_yes() -> bool:
    """Whether the person on the terminal agrees. Raises InputError without a terminal."""
    if not sys.stdin.isatty():
        raise InputError(
            "nobody can be asked here", "to change it unasked: --yes; to see it only: --print"
        )
    sys.stderr.write("Change it? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
