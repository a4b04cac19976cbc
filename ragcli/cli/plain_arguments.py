"""Reads the arguments of ``ragcli ask`` when they are plain, without Typer.

Importing Typer and building its commands takes a third of a question's time. What is not plain (a
page of help, a mistake, a shell that completes) is left to Typer, which knows the messages.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import Field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ragcli.cli.run_ask import AskArguments


class _NotPlainError(Exception):
    """Typer must read the arguments."""


def plain_ask(given: Sequence[str], environ: Mapping[str, str]) -> AskArguments | None:
    """The arguments of a plain ``ask``; None for other commands and what Typer must read.

    ``given``: the program's arguments. On Windows Typer reads all, because it expands patterns.
    """
    completing = any(name.startswith("_") and name.endswith("_COMPLETE") for name in environ)
    if not given or given[0] != "ask" or completing or os.name == "nt":
        return None
    from ragcli.cli.run_ask import AskArguments

    # The option of "in_" is --in, that of "top_k" is --top-k; only the question has none.
    kinds = {f"--{f.name.rstrip('_').replace('_', '-')}": f for f in fields(AskArguments)}
    del kinds["--question"]
    try:
        return AskArguments(**_values(given[1:], kinds | {"-q": kinds["--quiet"]}))
    except _NotPlainError:
        return None


def _values(given: Sequence[str], options: Mapping[str, Field[Any]]) -> dict[str, Any]:
    """The values by the names of ``AskArguments``. Raises _NotPlainError."""
    values: dict[str, Any] = {}
    words: list[str] = []
    waiting = list(reversed(given))
    while waiting:
        word = waiting.pop()
        if word == "--":
            words += reversed(waiting)
            break
        if word in options and str(options[word].type).startswith("bool"):
            values[options[word].name] = True
        elif word.startswith("-") and word != "-":
            option, equals, value = word.partition("=")
            if not equals:
                value = waiting.pop() if waiting else ""
            if option not in options or not value or value.startswith("-"):
                raise _NotPlainError
            _set(values, options[option], value)
        else:
            words.append(word)
    return values | ({"question": words} if words else {})


def _set(values: dict[str, Any], option: Field[Any], value: str) -> None:
    """Add the value of an option by its kind. Raises _NotPlainError."""
    kind = str(option.type).removesuffix(" | None")
    if kind.startswith("list["):
        values.setdefault(option.name, []).append(Path(value) if "Path" in kind else value)
    elif kind in ("str", "Path"):
        values[option.name] = Path(value) if kind == "Path" else value
    elif not (value.isascii() and value.replace(".", "", 1).isdecimal()):
        raise _NotPlainError
    elif kind == "int" and value.isdecimal() and len(value) < 10 and int(value):
        values[option.name] = int(value)
    elif kind == "float" and float(value) <= 1:
        values[option.name] = float(value)
    else:
        raise _NotPlainError
