"""Reads Jupyter notebooks (.ipynb): each cell is a page; text in Markdown, code with output."""

from __future__ import annotations

from typing import Any

import orjson

from ragcli.corpus.normalised_text import normalise
from ragcli.corpus.read.file_text import FileText, Unreadable, join_pages
from ragcli.corpus.read.markdown import structured

_LONGEST_OUTPUT = 20_000  # characters: printed tables and logs of training are not read further


def read(content: bytes, _path: str) -> FileText:
    """The text of a notebook; raises Unreadable if it is damaged."""
    try:
        book = orjson.loads(content.removeprefix(b"\xef\xbb\xbf"))
        return join_pages("", _cells(book))
    except (orjson.JSONDecodeError, TypeError) as error:
        raise Unreadable(f"is damaged or not a notebook: {error}") from error


def _cells(book: object) -> list[FileText]:
    """Return the cells in order; raises TypeError if they are not those of a notebook."""
    if not isinstance(book, dict):
        raise TypeError("expected an object")
    cells = book.get("cells")
    if cells is None:  # version 3 and before
        sheets = [sheet for sheet in book.get("worksheets") or () if isinstance(sheet, dict)]
        cells = [cell for sheet in sheets for cell in sheet.get("cells") or ()]
    if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
        raise TypeError("its cells are not a list of objects")
    return [_cell(cell) for cell in cells]


def _cell(cell: dict[str, Any]) -> FileText:
    said = _joined(cell.get("source", cell.get("input")))
    if cell.get("cell_type") == "heading":  # version 3 and before
        level = cell.get("level")
        said = f"{'#' * (level if isinstance(level, int) and 0 < level < 7 else 1)} {said}"
    elif cell.get("cell_type") == "code":
        return _code(said, [o for o in cell.get("outputs") or () if isinstance(o, dict)])
    return structured(FileText(normalise(said.strip())[0]))


def _code(said: str, outputs: list[dict[str, Any]]) -> FileText:
    """Return a cell of code with the text that it printed; both stay whole if they can."""
    code, _ = normalise(said.strip("\n"))
    printed, _ = normalise("\n".join(filter(None, map(_output, outputs)))[:_LONGEST_OUTPUT])
    text = "\n\n".join(part for part in (code, printed.strip("\n")) if part.strip())
    return FileText(text, protected=((0, len(code)),) if code.strip() else ())


def _output(output: dict[str, Any]) -> str:
    data = output.get("data")
    shown = data.get("text/plain") if isinstance(data, dict) else None
    return _joined(output.get("text") or shown or output.get("evalue"))


def _joined(lines: object) -> str:
    """Return text that a notebook keeps as a string or as a list of lines."""
    if isinstance(lines, list):
        return "".join(line for line in lines if isinstance(line, str))
    return lines if isinstance(lines, str) else ""
