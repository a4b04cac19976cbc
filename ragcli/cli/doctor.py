"""ragcli doctor: check that everything ragcli needs is installed and works."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from ragcli.cli import options, render

if TYPE_CHECKING:
    from ragcli.maintaining.libraries import CheckResult

NEGATIVE = 1
_MARKS = {"ok": "ok", "note": "--", "bad": "BAD"}


def doctor(store: options.Store = None, json: options.Json = False) -> int:
    """Check Python, processor, libraries, models and store, and that ragcli opens no socket.

    This takes some seconds: it runs index and ask once in a process with sockets disabled. Exit
    code 1 if a check fails.
    """
    found = []
    for check in _checks(store):
        found.append(check)
        if not json:
            hint = f" ({check.hint})" if check.hint else ""
            line = f"{_MARKS[check.state]:<4}{check.name:<22} {check.finding}{hint}"
            render.line(line)
    bad = [check for check in found if check.state == "bad"]
    if json:
        render.print_json({"ok": not bad, "checks": [asdict(check) for check in found]})
    return NEGATIVE if bad else 0


def _checks(store: Path | None) -> Iterator[CheckResult]:
    """All checks; if a library is missing, only the library checks, since the others need it."""
    from ragcli.maintaining.libraries import library_checks, missing

    if missing():
        yield from library_checks()
        return
    from ragcli.maintaining.doctor import examine
    from ragcli.store.connection import find_store

    yield from examine(options.settings(), store or find_store(Path.cwd()))
