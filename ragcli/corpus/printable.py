"""Makes names of files printable on one line of a terminal."""

from __future__ import annotations

import os

from ragcli.text.terminal import harmless_line


def printable(path: str) -> str:
    """Return a path as one line of UTF-8 with other bytes escaped: b"caf\\xe9" -> "caf\\xe9"."""
    if path.isascii() and path.isprintable():
        return path
    return harmless_line(os.fsencode(path).decode("utf-8", "backslashreplace"))
