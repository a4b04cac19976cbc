"""Reads a table from the blocks of its document: columns with heads, and rows of texts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ragcli.store.snapshot import Snapshot
from ragcli.store.snapshot.tables import TableBlock, TableLine
from ragcli.text.cells import cell_text, typed
from ragcli.text.spans import Span
from ragcli.text.words import fold, one_line
from ragcli.types.tables import CellValue, TableColumn

MOST_COLUMNS = 1_900
"""SQLite has at most 2,000 columns in a result, some of which tell the rows of tables."""
LONGEST_CELL = 100_000
LONGEST_NAME = 60

_WORD = re.compile(r"\w+")
_UNIT = re.compile(r"[(\[](?P<unit>[^\W\d][^()\[\]]{0,11}|[%°$€£¥][^()\[\]]{0,11})[)\]]\s*+\Z")
_TAKEN = frozenset(("rowid",))
"""The name by which SQLite knows the number of a row."""


@dataclass(frozen=True, slots=True)
class TableContent:
    """A table as it is loaded: the values of each column, and where its rows are in the document.

    ``left_out`` counts the columns after ``MOST_COLUMNS``.
    """

    columns: tuple[TableColumn, ...]
    values: list[list[CellValue]]
    spans: list[Span]
    left_out: int = 0


@dataclass(slots=True)
class _Cells:
    """The texts of a table, column by column, while its rows are read."""

    text: str
    base: int
    heads: list[str]
    columns: list[list[str]] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    named: dict[str, list[int]] = field(default_factory=dict)
    unnamed: dict[tuple[int, int], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for at, head in enumerate(self.heads):
            self.columns.append([])
            self.named.setdefault(head, []).append(at)

    def add(self, line: TableLine) -> None:
        """Add a row; a cell that it does not have stays empty."""
        row = len(self.spans)
        self.spans.append((line.start, line.end))
        named = any(cell.label for cell in line.cells)
        last, bare = -1, 0
        for at, cell in enumerate(line.cells):
            if not named:
                column = self._numbered(at)
            elif cell.label:
                column, bare = self._labelled(self.part(cell.label), last), 0
                last = column
            else:
                column, bare = self._unlabelled(last, bare), bare + 1
            cells = self.columns[column]
            cells += [""] * (row - len(cells))
            if len(cells) == row:
                cells.append(cell_text(self.part(cell.value or cell.whole)))

    def name(self) -> None:
        """Take the first row for the head, if it has words above a column of numbers or dates, and
        nowhere numbers: readers of data are more careful, because they write no value twice."""
        firsts = [column[0] if column else "" for column in self.columns]
        words = all(typed([first]).kind == "text" for first in firsts)
        below = (typed(column[1:]) for column in self.columns)
        if words and any(one.kind != "text" and not one.unread for one in below):
            self.heads = firsts
            self.columns = [column[1:] for column in self.columns]
            del self.spans[0]

    def part(self, span: Span) -> str:
        """The text of a span, as far as a cell may have it."""
        found = self.text[span[0] - self.base : span[1] - self.base]
        return found if len(found) <= LONGEST_CELL else found[:LONGEST_CELL]

    def _labelled(self, head: str, last: int) -> int:
        """The column with a head; of several, the next one after the cell before."""
        places = self.named.get(head)
        if places is None:
            return self._new(head)
        if len(places) == 1:
            return places[0]
        return next((at for at in places if at > last), places[-1])

    def _numbered(self, at: int) -> int:
        while len(self.columns) <= at:
            self._new("")
        return at

    def _unlabelled(self, last: int, bare: int) -> int:
        """The column of a cell without a head: its place after the last one that has a head."""
        if (last, bare) not in self.unnamed:
            self.unnamed[last, bare] = self._new("")
        return self.unnamed[last, bare]

    def _new(self, head: str) -> int:
        self.heads.append(head)
        self.columns.append([])
        self.named.setdefault(head, []).append(len(self.heads) - 1)
        return len(self.heads) - 1


def read_table(snapshot: Snapshot, row: int, doc: str, table: TableBlock) -> TableContent:
    """Read a table of a document, given by its row and its id."""
    text = snapshot.documents.text(doc, table.start, table.end)
    heads = heads_of(snapshot, doc, table, text)
    cells = _Cells(text, table.start, heads)
    for line in snapshot.tables.lines(row, table):
        cells.add(line)
    if not any(heads):
        cells.name()
    return _typed(cells)


def heads_of(snapshot: Snapshot, doc: str, table: TableBlock, text: str = "") -> list[str]:
    """The names of a table's columns as it writes them: those of its head, or of its first row."""
    spans = list(table.heads)
    if not spans and table.first:
        spans = [cell.label for cell in table.first.cells if cell.label]
    if not spans:
        return []
    base = table.start if text else min(spans)[0]
    text = text or snapshot.documents.text(doc, base, max(end for _, end in spans))
    return [one_line(text[start - base : end - base]) for start, end in spans]


def _typed(cells: _Cells) -> TableContent:
    columns: list[TableColumn] = []
    values: list[list[CellValue]] = []
    names = _names(cells.heads[:MOST_COLUMNS])
    for name, head, texts in zip(names, cells.heads, cells.columns, strict=False):
        texts += [""] * (len(cells.spans) - len(texts))
        found = typed(texts)
        unit = found.unit or (_unit_of(head) if found.kind == "number" else "")
        columns.append(TableColumn(name, cell_text(head), found.kind, unit, found.unread))
        values.append(list(found.values))
        texts.clear()
    return TableContent(
        tuple(columns), values, cells.spans, max(0, len(cells.heads) - MOST_COLUMNS)
    )


def _unit_of(head: str) -> str:
    found = _UNIT.search(head)
    return found["unit"] if found else ""


def identifier(text: str) -> str:
    """A name that a query need not quote.

    >>> identifier("Mass (kg)"), identifier("2019"), identifier("Größe")
    ('mass_kg', '_2019', 'grosse')
    """
    name = "_".join(_WORD.findall(fold(text)))[:LONGEST_NAME].strip("_")
    return f"_{name}" if name[:1].isdigit() else name


def _names(heads: list[str]) -> list[str]:
    """A name for each column, each once."""
    found: dict[str, None] = {}
    for at, head in enumerate(heads, 1):
        name = own = identifier(cell_text(head)) or f"column_{at}"
        number = 2
        while name in found or name in _TAKEN:
            name = f"{own}_{number}"
            number += 1
        found[name] = None
    return list(found)
