"""ragcli doctor: check that everything ragcli needs is installed and works."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragcli.cli import inputs, options, render

if TYPE_CHECKING:
    from ragcli.maintaining.libraries import CheckResult

_MARKS = {"ok": "ok", "note": "--", "bad": "BAD"}


def doctor(
    store: options.Store = None,
    fix: Annotated[
        bool, typer.Option("--fix", help="Repair the store first; name what is to be installed.")
    ] = False,
    json: options.Json = False,
) -> int:
    """Check Python, processor, libraries, models and store, and that ragcli opens no socket.

    This takes some seconds: it runs index and ask once in a process with sockets disabled. Exit
    code 1 if a check fails. --fix rebuilds damaged derived files and updates the store's format;
    it installs nothing, because ragcli uses no network, and prints the command instead.
    """
    found = []
    for check in _checks(store, fix):
        found.append(check)
        if not json:
            hint = f" ({check.hint})" if check.hint else ""
            line = f"{_MARKS[check.state]:<4}{check.name:<22} {check.finding}{hint}"
            render.line(line)
    bad = [check for check in found if check.state == "bad"]
    if json:
        render.print_json({"ok": not bad, "checks": [asdict(check) for check in found]})
    return inputs.NEGATIVE if bad else 0


def _checks(store: Path | None, fix: bool) -> Iterator[CheckResult]:
    """All checks; if a library is missing, only the library checks, since the others need it."""
    from ragcli.maintaining.libraries import library_checks, missing

    if lacking := missing():
        yield from library_checks()
        if fix:
            render.note(f"to install what is missing: pip install {' '.join(lacking)}")
        return
    from ragcli.maintaining.doctor import examine, mend
    from ragcli.store.connection import find_store

    settings, where = inputs.settings(), store or find_store(Path.cwd())
    if fix and where is not None:
        yield from mend(settings, where)
    yield from examine(settings, where)
