"""Completion of values in a shell: modes, documents, folders and names of the store.

A completion must neither fail nor print anything, whatever the state of the store.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, MutableMapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ragcli.config import MODES
from ragcli.errors import RagcliError
from ragcli.types.document_ids import suffixes_of

if TYPE_CHECKING:
    from ragcli.store.snapshot import Snapshot

_log = logging.getLogger(__name__)

# Values that a shell is given, at most.
MOST = 200

# Characters beside letters and digits that mean nothing to bash.
_HARMLESS = frozenset("_./,:@%+=!*-")


@contextmanager
def for_bash(environ: MutableMapping[str, str]) -> Iterator[None]:
    """Completions as bash takes them, if it is bash that asks for some; otherwise nothing changes.

    bash gives ``--where author=Ada`` as ``--where``, ``author``, ``=`` and ``Ada``, and puts a
    completion in place of the last. It takes completions as they are, so blanks are escaped here.
    """
    number = environ.get("COMP_CWORD", "")
    if environ.get("_RAGCLI_COMPLETE") != "complete_bash" or not number.isdecimal():
        yield
        return
    words = environ.get("COMP_WORDS", "").split("\n")[: int(number) + 1]
    joined = _joined(words)
    environ.update(COMP_WORDS="\n".join(joined), COMP_CWORD=str(len(joined) - 1))
    printed = StringIO()
    try:
        with redirect_stdout(printed):
            yield
    finally:
        for line in printed.getvalue().splitlines():
            typer.echo(_as_bash_takes_it(line, words[-1], joined[-1]))


def _joined(words: Sequence[str]) -> list[str]:
    """The words of a command line, with those around the "=" of ``--where`` as one."""
    joined = list(words)
    for at in range(len(joined) - 1, 1, -1):
        if joined[at - 2 : at + 1 : 2] == ["--where", "="]:
            joined[at - 1 :] = ["".join(joined[at - 1 : at + 2]), *joined[at + 2 :]]
    return joined


def _as_bash_takes_it(value: str, split: str, joined: str) -> str:
    """What replaces the last word, which is ``split`` to bash and ``joined`` to the user."""
    if split != joined:
        value = value.partition("=")[2]
    if split.startswith(("'", '"')):
        return value
    return "".join(c if c.isalnum() or c in _HARMLESS else f"\\{c}" for c in value)


def modes(incomplete: str) -> list[str]:
    """The retrieval modes."""
    return [mode for mode in MODES if mode.startswith(incomplete)]


def assistants(incomplete: str) -> list[str]:
    """The assistants that ``serve --install`` knows."""
    from ragcli.serve.assistants import ASSISTANTS

    return [name for name in ASSISTANTS if name.startswith(incomplete)]


def documents(ctx: Any, incomplete: str) -> list[str]:
    """The ids of documents."""
    return _first(ctx, lambda store: store.documents.beginning_with(incomplete, MOST))


def places(ctx: Any, incomplete: str) -> list[str]:
    """The folders and files of the store, level by level."""

    def next_levels(store: Snapshot) -> Iterator[str]:
        for file in store.facts.files():
            if file.startswith(incomplete):
                head, slash, _ = file[len(incomplete) :].partition("/")
                yield f"{incomplete}{head}{slash}"

    return _first(ctx, next_levels)


def types(ctx: Any, incomplete: str) -> list[str]:
    """The suffixes of the store's files, and of the files in archives and messages."""

    def suffixes(store: Snapshot) -> list[str]:
        found = {suffix for _, doc in store.facts.ids() for suffix in suffixes_of(doc)}
        return [suffix for suffix in sorted(found) if suffix.startswith(incomplete)]

    return _first(ctx, suffixes)


def fields(ctx: Any, incomplete: str) -> list[str]:
    """The fields of the documents, and after "=" their values."""
    name, equals, value = incomplete.partition("=")

    def names(store: Snapshot) -> Iterator[str]:
        listed = [*store.facts.fields(), "title"]
        return (f"{n}=" for n in listed if n.startswith(name.casefold()))

    def values(store: Snapshot) -> Iterator[str]:
        listed = [found.value for found in store.facts.values([name.casefold()])]
        return (f"{name}={v}" for v in listed if v.casefold().startswith(value.casefold()))

    return _first(ctx, values if equals else names)


def entities(ctx: Any, incomplete: str) -> list[str]:
    """The names of entities, the most frequent first."""
    return _first(ctx, lambda store: store.entities.beginning_with(incomplete, MOST))


def _first(ctx: Any, list_: Callable[[Snapshot], Iterable[str]]) -> list[str]:
    """The first distinct values of the stores of the command line that is being completed."""
    found: dict[str, None] = {}
    for store in _stores(ctx):
        found.update(dict.fromkeys(list_(store)))
    return list(islice(found, MOST))


def _stores(ctx: Any) -> Iterator[Snapshot]:
    """The stores that can be opened, one after another."""
    from ragcli.store.connection import find_store
    from ragcli.store.snapshot import open_snapshot

    given = ctx.params.get("store")
    named = given if isinstance(given, list | tuple) else [given]
    for where in [Path(one) for one in named if one] or filter(None, [find_store(Path.cwd())]):
        with ExitStack() as stack:
            try:
                snapshot = stack.enter_context(open_snapshot(where))
            except RagcliError as error:
                # Missing, of another release, damaged: the command itself will say so.
                _log.debug("no completion from %s: %s", where, error.message)
                continue
            yield snapshot
