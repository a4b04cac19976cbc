"""Reads Jupyter notebooks (.ipynb): each cell is a page; text in Markdown, code with output."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import orjson

from ragcli.corpus.normalised_text import normalise
from ragcli.corpus.read.decode import EMPTY, bytes_of
from ragcli.corpus.read.joined import join_pages
from ragcli.corpus.read.markdown import structured
from ragcli.errors import ReadError
from ragcli.types import ParsedDocument, Skipped, Source

_LONGEST_OUTPUT = 20_000  # characters: printed tables and logs of training are not read further


def read(source: Source) -> Iterator[ParsedDocument | Skipped]:
    """Yield the document of a notebook; raises ReadError if it is damaged."""
    raw = bytes_of(source)
    if not raw.strip():
        yield Skipped(source.id, EMPTY)
        return
    try:
        book = orjson.loads(raw.removeprefix(b"\xef\xbb\xbf"))
        cells = _cells(book)
    except (orjson.JSONDecodeError, TypeError) as error:
        raise ReadError(f"{source.id} is damaged or not a notebook: {error}") from error
    made = join_pages(source.id, hashlib.sha256(raw).hexdigest(), "", cells)
    yield made if made.text.strip() else Skipped(source.id, "no text in it")


def _cells(book: object) -> list[ParsedDocument | None]:
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


def _cell(cell: dict[str, Any]) -> ParsedDocument | None:
    said = _joined(cell.get("source", cell.get("input")))
    if cell.get("cell_type") == "heading":  # version 3 and before
        level = cell.get("level")
        said = f"{'#' * (level if isinstance(level, int) and 0 < level < 7 else 1)} {said}"
    elif cell.get("cell_type") == "code":
        return _code(said, [o for o in cell.get("outputs") or () if isinstance(o, dict)])
    text, starts = normalise(said.strip())
    return structured(ParsedDocument("", "", "", text, starts)) if text else None


def _code(said: str, outputs: list[dict[str, Any]]) -> ParsedDocument | None:
    """Return a cell of code with the text that it printed; both stay whole if they can."""
    code, _ = normalise(said.strip("\n"))
    printed, _ = normalise("\n".join(filter(None, map(_output, outputs)))[:_LONGEST_OUTPUT])
    text = "\n\n".join(part for part in (code, printed.strip("\n")) if part.strip())
    if not text:
        return None
    return ParsedDocument("", "", "", text, protected=((0, len(code)),) if code.strip() else ())


def _output(output: dict[str, Any]) -> str:
    data = output.get("data")
    shown = data.get("text/plain") if isinstance(data, dict) else None
    return _joined(output.get("text") or shown or output.get("evalue"))


def _joined(lines: object) -> str:
    """Return text that a notebook keeps as a string or as a list of lines."""
    if isinstance(lines, list):
        return "".join(line for line in lines if isinstance(line, str))
    return lines if isinstance(lines, str) else ""
