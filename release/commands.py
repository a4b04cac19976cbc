"""The commands of the program as records: what the reference and the man pages are made from."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass

from typer.core import TyperArgument, TyperGroup, TyperOption
from typer.main import get_command

from ragcli.cli.commands import app

_KINDS = {"int": "INTEGER", "float": "NUMBER", "Path": "PATH"}


@dataclass(frozen=True)
class Parameter:
    """An argument or option: how it is written, and its help."""

    usage: str
    help: str


@dataclass(frozen=True)
class Command:
    """A command: its full name ("ragcli inspect docs"), help, arguments and options."""

    name: str
    usage: str
    help: str
    arguments: tuple[Parameter, ...]
    options: tuple[Parameter, ...]
    group: bool


def commands() -> Iterator[Command]:
    """Every command, the program itself first, in the order of the help."""
    yield from _below(get_command(app), "ragcli")


def _below(found: object, name: str) -> Iterator[Command]:
    params = getattr(found, "params", [])
    visible = [p for p in params if not getattr(p, "hidden", False)]
    arguments = [p for p in visible if isinstance(p, TyperArgument)]
    options = [p for p in visible if isinstance(p, TyperOption)]
    group = isinstance(found, TyperGroup)
    pieces = [name, "[OPTIONS]" if options else "", *map(_argument, arguments)]
    pieces.append("COMMAND [ARGS]..." if group else "")
    yield Command(
        name,
        " ".join(filter(None, pieces)),
        _text(getattr(found, "help", "")),
        tuple(Parameter(_argument(a), _text(a.help)) for a in arguments),
        tuple(Parameter(_option(o), _text(o.help)) for o in options),
        group,
    )
    if isinstance(found, TyperGroup):
        for child, command in found.commands.items():
            if not command.hidden:
                yield from _below(command, f"{name} {child}")


def _argument(argument: TyperArgument) -> str:
    name = argument.metavar or (argument.name or "").upper()
    if argument.nargs == -1 and "..." not in name:
        name += "..."
    return name if argument.required or name.startswith("[") else f"[{name}]"


def _option(option: TyperOption) -> str:
    names = ", ".join([*option.opts, *option.secondary_opts])
    if option.is_flag or option.count:
        return names
    bare = option.bare_type()
    metavar = option.metavar or _KINDS.get(bare.removeprefix("list[").removesuffix("]"), "TEXT")
    return f"{names} {metavar}"


def _text(help_: str | None) -> str:
    """A help text without marks of the terminal and with its paragraphs."""
    text = inspect.cleandoc(help_ or "").replace("\b", "")
    return re.sub(r"\[/?(?:bold|dim|cyan|green|red|yellow|italic)\]", "", text).strip()
