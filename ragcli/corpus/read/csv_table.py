"""Reads tables of separated values (.csv, .tsv): each row is a line with the heads of its cells."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator, Sequence

from ragcli.corpus.read.file_text import FileText, Unreadable, characters
from ragcli.corpus.read.line_text import LineText
from ragcli.corpus.read.rows import write_rows

_SEPARATORS = ",;\t|"
_SAMPLE = 20  # lines that decide which separator is used


def read(content: bytes, _path: str) -> FileText:
    """The rows of a table."""
    decoded = characters(content)
    text = LineText()
    # The limit belongs to the whole process: other readers of tables get theirs back.
    before = csv.field_size_limit(min(len(decoded) + 1, sys.maxsize))
    try:
        return text.file_text(write_rows(text, _rows(decoded)))
    except csv.Error as error:
        raise Unreadable(f"is not a table of separated values: {error}") from error
    finally:
        csv.field_size_limit(before)


def _rows(decoded: str) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield (line of the file on which the row begins, cells) for each row with data."""
    lines = decoded.replace("\r\n", "\n").replace("\r", "\n").replace("\0", " ")
    table = csv.reader(io.StringIO(lines), delimiter=_separator(lines))
    begins = 1
    for cells in table:
        if any(cell.strip() for cell in cells):
            yield begins, cells
        begins = table.line_num + 1


def _separator(text: str) -> str:
    """Return the separator with which the first rows have the same number of cells, the most."""
    sample = "\n".join(text.split("\n", _SAMPLE)[:_SAMPLE])
    best, most = ",", 0.0
    for separator in _SEPARATORS:
        widths = [len(row) for row in csv.reader(io.StringIO(sample), delimiter=separator) if row]
        usual = max(set(widths), key=lambda width: (widths.count(width), width), default=0)
        score = usual * widths.count(usual) / max(len(widths), 1) if usual > 1 else 0.0
        if score > most:
            best, most = separator, score
    return best
