"""The tables of documents, from their stored blocks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate, groupby

import orjson

from ragcli.store.queries import Queries
from ragcli.text.spans import Span
from ragcli.types.blocks import KINDS, BlockKind

_SHIFT = len(KINDS)


def _code(depth: int, kind: BlockKind) -> int:
    """A block's depth and kind as ``store.blocks.pack_blocks`` writes them."""
    return depth * _SHIFT + KINDS.index(kind)


_TABLE, _HEAD, _ROW, _LEAD = (_code(0, "table"), *(_code(1, k) for k in ("head", "row", "lead")))
_CELL, _FIELD = _code(2, "cell"), _code(2, "field")
_LABEL, _VALUE = _code(3, "label"), _code(3, "value")
_PART = 2 * _SHIFT
"""The first number of what is inside of a row or a head."""


@dataclass(slots=True)
class TableBlock:
    """A table of a document as spans: of its head's cells, of what announces it, and of its first
    row; ``rows`` counts them."""

    start: int
    end: int
    heads: tuple[Span, ...] = ()
    lead: Span | None = None
    rows: int = 0
    first: TableLine | None = None


@dataclass(slots=True)
class LineCell:
    """A cell of a row, its label, None where it has none, and its value, None where a part of the
    document does not have it."""

    whole: Span
    label: Span | None = None
    value: Span | None = None


@dataclass(slots=True)
class TableLine:
    """A row as spans."""

    start: int
    end: int
    cells: list[LineCell] = field(default_factory=list)

    def join(self, other: TableLine) -> None:
        """Take over what another part of the document has of the row."""
        known = {cell.whole: cell for cell in self.cells}
        for cell in other.cells:
            own = known.get(cell.whole)
            if own is None:
                self.cells.append(cell)
            else:
                own.label, own.value = own.label or cell.label, own.value or cell.value


class Tables(Queries):
    """Queries about tables of documents."""

    def of_documents(self, rows: Collection[int]) -> Iterator[tuple[int, list[TableBlock]]]:
        """The tables of documents, given by their rows, which come with them, rising."""
        for row, pieces in groupby(self._pieces(rows), lambda piece: piece[0]):
            if found := _tables(data for _, data in pieces):
                yield row, found

    def lines(self, row: int, table: TableBlock) -> Iterator[TableLine]:
        """The rows of a table of a document, given by the row of the document, in order."""
        for key, line in _lines(data for _, data in self._pieces([row])):
            if key == (table.start, table.end):
                yield line

    def heading(self, row: int, start: int) -> str:
        """The path of headings in force at an offset of a document; "" without one."""
        found = self._value(
            "SELECT path FROM live_headings WHERE doc = ? AND start <= ? ORDER BY start DESC"
            " LIMIT 1",
            (row, start),
        )
        return str(found or "")

    def _pieces(self, rows: Collection[int]) -> Iterator[tuple[int, bytes]]:
        """(row, data) of the blocks of documents, rows and places rising."""
        yield from self._db.execute(
            "SELECT b.doc, b.data FROM json_each(?) r JOIN live_blocks b ON b.doc = r.value"
            " ORDER BY b.doc, b.start",
            (orjson.dumps(sorted(rows)).decode(),),
        )


@dataclass(slots=True)
class _BlockColumns:
    """The blocks of a part of a document, as columns: numbers (``_code``), starts and ends."""

    codes: list[int]
    starts: list[int]
    ends: list[int]

    @classmethod
    def of(cls, data: bytes) -> _BlockColumns:
        codes, gaps, lengths = orjson.loads(data)
        starts = list(accumulate(gaps))
        return cls(codes, starts, [a + n for a, n in zip(starts, lengths, strict=True)])

    def tables(self) -> Iterator[tuple[int, int]]:
        """Where tables begin and end among the blocks."""
        if _TABLE not in self.codes:
            return
        outer = [at for at, code in enumerate(self.codes) if code < _SHIFT]
        for at, end in zip(outer, [*outer[1:], len(self.codes)], strict=True):
            if self.codes[at] == _TABLE:
                yield at, end

    def span(self, at: int) -> Span:
        return self.starts[at], self.ends[at]

    def cells(self, at: int) -> list[LineCell]:
        """The cells of the row or the head at a place."""
        found: list[LineCell] = []
        for n in range(at + 1, len(self.codes)):
            code, span = self.codes[n], self.span(n)
            if code < _PART:
                break
            if code == _LABEL:
                found[-1].label = span
            elif code == _VALUE:
                found[-1].value = span
            elif code == _FIELD:
                found.append(LineCell(span))
            elif code == _CELL:
                found.append(LineCell(span, value=span))
        return found


def _tables(pieces: Iterable[bytes]) -> list[TableBlock]:
    """The tables of a document in order; a row that two parts share counts once."""
    found: dict[Span, TableBlock] = {}
    last: dict[Span, Span] = {}
    for piece in map(_BlockColumns.of, pieces):
        for at, end in piece.tables():
            key = piece.span(at)
            table = found.setdefault(key, TableBlock(*key))
            for n in range(at + 1, end):
                code = piece.codes[n]
                if code == _ROW:
                    table.rows += piece.span(n) != last.get(key)
                    last[key] = piece.span(n)
                    if table.first is None:
                        table.first = TableLine(*piece.span(n), piece.cells(n))
                elif code == _HEAD:
                    table.heads = tuple(cell.whole for cell in piece.cells(n))
                elif code == _LEAD:
                    table.lead = piece.span(n)
    return [found[key] for key in sorted(found, key=lambda key: (key[0], -key[1]))]


def _lines(pieces: Iterable[bytes]) -> Iterator[tuple[Span, TableLine]]:
    """The rows of all tables of a document, with their table; those in several parts are whole."""
    open_: dict[Span, TableLine] = {}
    for piece in map(_BlockColumns.of, pieces):
        for at, end in piece.tables():
            key = piece.span(at)
            for n in range(at + 1, end):
                if piece.codes[n] != _ROW:
                    continue
                line = TableLine(*piece.span(n), piece.cells(n))
                former = open_.get(key)
                if former and (former.start, former.end) == (line.start, line.end):
                    former.join(line)
                    continue
                if former:
                    yield key, former
                open_[key] = line
    yield from open_.items()
