"""ragcli doctor: is everything here that is needed?"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from ragcli.cli import options, render

NEGATIVE = 1
_MARKS = {"ok": "ok", "note": "--", "bad": "BAD"}


def doctor(store: options.Store = None, json: options.Json = False) -> int:
    """Check Python, processor, libraries, models, the store, and that no socket is opened.

    It takes some seconds, since it indexes and asks once in a process that refuses sockets. Exit
    code 1 if something is bad.
    """
    from ragcli.maintaining.doctor import examine
    from ragcli.store.connection import find_store

    found = []
    for check in examine(options.settings(), store or find_store(Path.cwd())):
        found.append(check)
        if not json:
            hint = f" ({check.hint})" if check.hint else ""
            line = f"{_MARKS[check.state]:<4}{check.name:<22} {check.finding}{hint}"
            render.out().print(line, markup=False)
    bad = [check for check in found if check.state == "bad"]
    if json:
        render.print_json({"ok": not bad, "checks": [asdict(check) for check in found]})
    return NEGATIVE if bad else 0
