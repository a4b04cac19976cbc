"""Makes names of files and records printable on one line of a terminal."""

from __future__ import annotations

import os
import re

_CONTROL = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]")


def printable(path: str) -> str:
    """Return a path as one line of UTF-8 with other bytes escaped: b"caf\\xe9" -> "caf\\xe9"."""
    if path.isascii() and path.isprintable():
        return path
    return on_a_line(os.fsencode(path).decode("utf-8", "backslashreplace"))


def on_a_line(text: str) -> str:
    """Escape control characters, which break tables and citations or control a terminal.

    >>> on_a_line("a\\x1b[2J\\nb")
    'a\\\\x1b[2J\\\\nb'
    """
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
