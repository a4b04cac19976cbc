"""Reads the arguments of ``ragcli ask`` when they are plain, without Typer.

Importing Typer and building its commands takes a third of a question's time. What is not plain (a
page of help, a mistake, a shell that completes) is left to Typer, which knows the messages.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ragcli.cli.run_ask import AskArguments

TEXTS = {
    "--mode": "mode",
    "--answer": "answer",
    "--since": "since",
    "--llm": "llm",
    "--embedder": "embedder",
    "--format": "format",
}
FOLDERS = {"--store": "store"}
PATHS = {"--html": "html", "--session": "session"}
LISTS = {"--in": "in_", "--type": "type_", "--where": "where"}
COUNTS = {"--top-k": "top_k", "--budget": "budget"}
SHARES = {"--min-confidence": "min_confidence"}
FLAGS = {
    "--fresh": "fresh",
    "--explain": "explain",
    "--force": "force",
    "--no-input": "no_input",
    "--json": "json",
    "--quiet": "quiet",
    "-q": "quiet",
}

_COUNT = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)
_SHARE = re.compile(r"0(?:\.[0-9]+)?|1(?:\.0+)?", re.ASCII)


class _NotPlainError(Exception):
    """Typer must read the arguments."""


def plain_ask(given: Sequence[str], environ: Mapping[str, str]) -> AskArguments | None:
    """The arguments of a plain ``ask``; None for other commands and what Typer must read.

    ``given``: the program's arguments. On Windows Typer reads all, because it expands patterns.
    """
    completing = any(name.startswith("_") and name.endswith("_COMPLETE") for name in environ)
    if not given or given[0] != "ask" or completing or os.name == "nt":
        return None
    try:
        values = _values(given[1:])
    except _NotPlainError:
        return None
    from ragcli.cli.run_ask import AskArguments

    return AskArguments(**values)


def _values(given: Sequence[str]) -> dict[str, Any]:
    """The values by the names of ``AskArguments``. Raises _NotPlainError."""
    values: dict[str, Any] = {}
    words: list[str] = []
    waiting = list(reversed(given))
    while waiting:
        word = waiting.pop()
        if word == "--":
            words += reversed(waiting)
            break
        if word in FLAGS:
            values[FLAGS[word]] = True
        elif word.startswith("-") and word != "-":
            option, equals, value = word.partition("=")
            if not equals:
                value = waiting.pop() if waiting else ""
            _set(values, option, value)
        else:
            words.append(word)
    return values | ({"question": words} if words else {})


def _set(values: dict[str, Any], option: str, value: str) -> None:
    """Add the value of an option. Raises _NotPlainError."""
    if not value or value.startswith("-"):
        raise _NotPlainError
    if option in TEXTS:
        values[TEXTS[option]] = value
    elif option in FOLDERS:
        values.setdefault(FOLDERS[option], []).append(Path(value))
    elif option in PATHS:
        values[PATHS[option]] = Path(value)
    elif option in LISTS:
        values.setdefault(LISTS[option], []).append(value)
    elif option in COUNTS and _COUNT.fullmatch(value):
        values[COUNTS[option]] = int(value)
    elif option in SHARES and _SHARE.fullmatch(value):
        values[SHARES[option]] = float(value)
    else:
        raise _NotPlainError
