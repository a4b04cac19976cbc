"""Writes ruled tables of PDF as lines: each row with the names of its columns, if it has a head.

A table that goes on at the top of the next page keeps its head.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ragcli.corpus.read.pdf_layout import Line
from ragcli.corpus.read.pdf_tables import RuledTable
from ragcli.corpus.read.rows import clean_cells, head_at, row_text

_SAME = 4.0
"""Points by which the columns of a table may differ on its pages."""


@dataclass(slots=True)
class TableRows:
    """The last table of a document, which may go on: the places of its columns, and its head."""

    count: int = 0
    page: int = 0
    lefts: tuple[float, ...] = ()
    heads: Sequence[str] = ()

    def lines(self, table: RuledTable, look: Line, page: int) -> list[Line]:
        """Return the rows of a table; they look like the line ``look``, the first in it."""
        rows = [row for row in map(clean_cells, table.rows) if any(row)]
        if self._goes_on(table, page) and _head(rows, look.bold) is None:
            texts = [row_text(self.heads, row) for row in rows]
        else:
            texts = self._first(rows, look.bold)
        self.lefts, self.page = table.grid.lefts, page
        self.count += 1
        return [replace(look, text=f"- {text}", table=self.count) for text in texts]

    def _goes_on(self, table: RuledTable, page: int) -> bool:
        """Whether a table has the columns of the last one, which is on the page before."""
        former, now = self.lefts, table.grid.lefts
        near = len(former) == len(now) and all(
            abs(a - b) <= _SAME for a, b in zip(former, now, strict=True)
        )
        return near and page == self.page + 1

    def _first(self, rows: Sequence[Sequence[str]], bold: bool) -> list[str]:
        """Return the rows of a new table as text, and remember its head."""
        at = _head(rows, bold)
        if at is None:
            self.heads = ()
            return [row_text((), row) for row in rows]
        self.heads = rows[at]
        above = [row_text((), row) for row in rows[: at + 1]]
        return [*above, *(row_text(self.heads, row) for row in rows[at + 1 :])]


def _head(rows: Sequence[Sequence[str]], bold: bool) -> int | None:
    """Return the row that names the columns; ``bold``: the first row is."""
    at = head_at(rows)
    if at is None or not (bold or _is_over_numbers(rows[at], rows[at + 1 :])):
        return None
    return at


def _is_over_numbers(head: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a column below the head holds mostly numbers: a row of words over words may be data.

    >>> _is_over_numbers(["Town", "People"], [["Ribe", "8,257"], ["Skive", ""]])
    True
    >>> _is_over_numbers(["Name", "Ane Holm"], [["Town", "Ribe"]])
    False
    """
    for column, _ in enumerate(head):
        cells = [row[column] for row in rows if row[column]]
        numbers = [cell for cell in cells if any(c.isdigit() for c in cell[:2])]
        if cells and 2 * len(numbers) > len(cells):
            return True
    return False
