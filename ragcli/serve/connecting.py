"""Connects an assistant: what would change in its configuration, and the change itself.

A configuration is read, changed as text (``server_entry.py``) and written in one step. A copy of
the former file stays beside it.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from ragcli.asking.several import names_of
from ragcli.errors import InputError
from ragcli.serve.assistants import ASSISTANTS, Assistant, Machine, configuration
from ragcli.serve.jsonrpc import Json
from ragcli.serve.server_entry import servers_in, snippet, with_entry

COPY = ".before-ragcli"
"""The end of the name of the copy of a file before the last change."""
SKILL = Path(__file__).with_name("SKILL.md")

_UNFIT = re.compile(r"[^A-Za-z0-9_-]+")
_STORE = "--store"


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file, its text now ("" if it is not there), and its text to be ("" to delete it)."""

    file: Path
    before: str
    after: str

    @property
    def copy(self) -> Path:
        """Where the text of now stays."""
        return self.file.with_name(self.file.name + COPY)

    def write(self) -> None:
        """Make the change. Raises InputError if the file has changed meanwhile."""
        file = Path(os.path.realpath(self.file))  # a link stays one
        if _text(file) != self.before:
            raise InputError(f"{self.file} has just changed", "run the command again")
        if self.before:
            shutil.copy2(file, self.copy)
        if not self.after:
            file.unlink()
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh = file.with_name(f"{file.name}.{os.getpid()}")
        fresh.write_text(self.after, encoding="utf-8", newline="")
        if self.before:
            shutil.copymode(file, fresh)
        fresh.replace(file)


@dataclass(frozen=True, slots=True)
class Connection:
    """The server of some stores in an assistant: the name and the content of its entry."""

    assistant: Assistant
    file: Path
    name: str
    entry: Json

    def change(self, install: bool) -> FileChange:
        """The configuration with the entry, or without it. Raises UnsafeChange."""
        before = _text(self.file)
        entry = self.entry if install else None
        after = with_entry(before, self.assistant.servers, self.name, entry, _is_toml(self.file))
        return FileChange(self.file, before, after)

    @property
    def snippet(self) -> str:
        """The entry as a person would write it."""
        return snippet(self.assistant.servers, self.name, self.entry, _is_toml(self.file))


def connection(name: str, machine: Machine, command: Sequence[str]) -> Connection:
    """The connection of the assistant of this name with the stores that the command serves.

    An entry that serves the same stores is changed; another one that has its name keeps it. Raises
    InputError for an unknown assistant.
    """
    assistant = known(name)
    file = configuration(name, machine)
    stores = _stores(command)
    try:
        there = servers_in(_text(file), assistant.servers, _is_toml(file))
    except InputError:  # the change reports it
        there = {}
    return Connection(assistant, file, _name(stores, there), assistant.entry(command))


def known(name: str) -> Assistant:
    """The assistant of this name. Raises InputError if there is none."""
    if name not in ASSISTANTS:
        raise InputError(f"no assistant is called {name!r}", f"known: {', '.join(ASSISTANTS)}")
    return ASSISTANTS[name]


def skill_change(name: str, machine: Machine, install: bool) -> FileChange:
    """The skill of ragcli in the assistant's folder of skills, written or deleted.

    Raises InputError if the assistant reads none.
    """
    assistant = known(name)
    if not assistant.skills:
        raise InputError(f"{assistant.title} reads no skills from files", "leave --skill out")
    file = machine.home / assistant.skills / "ragcli" / SKILL.name
    after = SKILL.read_text(encoding="utf-8") if install else ""
    return FileChange(file, _text(file), after)


def _name(stores: Sequence[str], there: Json) -> str:
    """The name of the entry that serves these stores, or a free one for them."""
    for name, entry in there.items():
        served = _stores(entry.get("args", ())) if isinstance(entry, dict) else ()
        if name.startswith("ragcli") and served == stores:
            return name
    parts = names_of([Path(store) for store in stores])
    wanted = _UNFIT.sub("-", "-".join(["ragcli", *parts])).strip("-")
    number = 2
    own = wanted
    while own in there:
        own = f"{wanted}-{number}"
        number += 1
    return own


def _stores(words: Sequence[object]) -> list[str]:
    """The stores that a command names."""
    return [str(after) for word, after in pairwise(words) if word == _STORE]


def _is_toml(file: Path) -> bool:
    return file.suffix == ".toml"


def _text(file: Path) -> str:
    """The text of a file, its line ends as they are; "" if it is not there."""
    try:
        return file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is no UTF-8: {error}", "change it by hand") from None
