"""Reads the tables of manual pages (the preprocessor "tbl")."""

from __future__ import annotations

import re

from ragcli.corpus.read.rare.roff_signs import plain_of

_TAB = re.compile(r"\btab\s*\((.)\)")
_RULE = re.compile(r"[_=\s]*\Z")


class RoffTable:
    """Takes the lines between ``.TS`` and ``.TE`` and gives the rows, " | " between the cells."""

    def __init__(self) -> None:
        self._described = False  # the lines that describe the columns have been read
        self._tab = "\t"
        self._open: list[str] | None = None  # the row whose last cell goes over several lines

    def take(self, line: str) -> str:
        """Return the row that a line ends, "" if it ends none."""
        if not self._described:
            if found := _TAB.search(line):
                self._tab = found[1]
            self._described = line.rstrip().endswith(".")
            return ""
        if self._open is not None and not line.startswith("T}"):
            self._open[-1] = f"{self._open[-1]} {plain_of(line)}".strip()
            return ""
        if self._open is not None:
            cells = self._open + line.removeprefix("T}").split(self._tab)[1:]
        else:
            cells = line.split(self._tab)
        self._open = None
        if cells[-1].strip() == "T{":
            self._open = [*cells[:-1], ""]
            return ""
        if all(map(_RULE.match, cells)):
            return ""
        return " | ".join(plain_of(cell).strip() for cell in cells)
