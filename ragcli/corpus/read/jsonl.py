"""Reads JSON Lines as in the BEIR data sets: one record ``{"_id", "title", "text"}`` per line.

Each record is a document. The values of its object ``metadata``, if it has one, are its fields. The
file is streamed, so it may be larger than memory.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import orjson

from ragcli.corpus.normalised_text import normalise
from ragcli.corpus.read.decode import BINARY, EMPTY, head_of, is_binary, opened, size_of, taken
from ragcli.corpus.read.front_matter import flattened
from ragcli.errors import ReadError
from ragcli.text.terminal import harmless_line
from ragcli.text.words import one_line
from ragcli.types import ParsedDocument, Skipped, Source

_BOM = b"\xef\xbb\xbf"
_MOST_LINE = 64 << 20
"""Bytes of the longest line that is read; a line is read into memory as a whole."""


def read(source: Source) -> Iterator[ParsedDocument | Skipped]:
    """Yield a document per record, and a ``Skipped`` with the line number per invalid line.

    Raises ReadError when the file cannot be read.
    """
    if is_binary(head_of(source)):
        yield Skipped(source.id, BINARY)
        return
    empty = True
    taken: set[str] = set()
    for number, line in _lines(source):
        empty = False
        try:
            document = _document(source, number, line)
            if document.id in taken:
                raise ValueError(
                    f"the _id {document.id.removeprefix(f'{source.id}#')} occurs twice"
                )
        except ValueError as error:
            yield Skipped(f"{source.id}:{number}", str(error))
            continue
        taken.add(document.id)
        yield document
    if empty:
        yield Skipped(source.id, EMPTY)


def _lines(source: Source) -> Iterator[tuple[int, bytes]]:
    """Yield the non-blank lines with their 1-based numbers; ReadError for an endless line.

    A file that grows meanwhile is read as far as it reached when it was opened.
    """
    with opened(source) as file:
        left, number = size_of(file), 0
        while left > 0 and (line := taken(source, file.readline, min(left, _MOST_LINE + 1))):
            left -= len(line)
            number += 1
            if len(line) > _MOST_LINE:
                raise ReadError(f"{source.id}:{number} has more than {_MOST_LINE:,} bytes")
            content = line.removeprefix(_BOM).strip() if number == 1 else line.strip()
            if content:
                yield number, content


def _document(source: Source, number: int, line: bytes) -> ParsedDocument:
    """Return the document of one line; raises ValueError with the reason if it is invalid."""
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg}") from None
    if not isinstance(record, dict) or not isinstance(record.get("text"), str):
        raise ValueError('not a record: expected an object with a "text"')
    text, _ = normalise(record["text"])
    if not text.strip():
        raise ValueError("the text is empty")
    given = record.get("title")
    title = one_line(normalise(given)[0]) if isinstance(given, str) else ""
    metadata = record.get("metadata")
    fields = flattened(metadata) if isinstance(metadata, dict) else ()
    # A record without fields keeps the hash that it had before there were any.
    content = "\0".join((title, text, *(f"{name}={value}" for name, value in fields)))
    return ParsedDocument(
        id=f"{source.id}#{_record_id(record, number)}",
        sha256=hashlib.sha256(content.encode()).hexdigest(),
        title=title,
        text=text,
        first_line=number,
        fields=fields,
    )


def _record_id(record: dict[str, Any], number: int) -> str:
    """Return the ``_id``, a string or a whole number; if it is missing, the line ("L12").

    Control characters are escaped as in names of files.
    """
    given = record.get("_id")
    if given is None or given == "":
        return f"L{number}"
    if isinstance(given, bool) or not isinstance(given, str | int):
        raise ValueError(f"the _id is neither a string nor a whole number: {given!r}")
    return harmless_line(str(given))
