"""PDF: the text of its pages, a form feed before each page but the first.

Form feeds stand in no other document's text (``normal.normalise``), so they tell which page an
offset is on.
"""

from __future__ import annotations

import hashlib
import io
import logging
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from ragcli.corpus.read.decode import EMPTY, bytes_of
from ragcli.corpus.read.normal import PAGE, normalise
from ragcli.errors import ReadError
from ragcli.text.words import one_line
from ragcli.types import ParsedDocument, Skipped, Source

# "exam-\nple": a word cut at the end of a line; "Anglo-\nSaxon" keeps its hyphen.
_CUT = re.compile(r"(?<=[a-zà-ÿ])-[ \t]*\n[ \t]*(?=[a-zà-ÿ])")
_DIGITS = re.compile(r"\d+")
# A line at the head or foot of this share of the pages, its numbers aside, belongs to the layout.
_RUNNING = 0.5
_FEWEST_PAGES = 4
_TRAILING = re.compile(r"[ \t]+$", re.MULTILINE)


def read(source: Source) -> Iterator[ParsedDocument | Skipped]:
    """Yield the one document of a file; raises ReadError when it is damaged or locked."""
    raw = bytes_of(source)
    if not raw:
        yield Skipped(source.id, EMPTY)
        return
    title, pages = _pages(source, raw)
    text = f"\n{PAGE}".join(pages).rstrip(f"\n{PAGE}")
    if not text.strip(f" \n\t{PAGE}"):
        yield Skipped(source.id, f"no text in its {len(pages)} pages: scanned?")
        return
    starts = (0, *(at + 1 for at, c in enumerate(text) if c == "\n"))
    yield ParsedDocument(source.id, hashlib.sha256(raw).hexdigest(), title, text, starts)


def _pages(source: Source, raw: bytes) -> tuple[str, list[str]]:
    """The title, "" unless the first page says it, and the text of every page."""
    import pypdf  # 0.2 s, and few folders have any

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it mends what it can, and says so
    try:
        reader = pypdf.PdfReader(io.BytesIO(raw))
        if reader.is_encrypted and not reader.decrypt(""):
            raise ReadError(f"{source.id} is protected by a password")
        pages = [_tidy(page.extract_text()) for page in reader.pages]
        return _title(reader.metadata, pages), _without_running_lines(pages)
    except ReadError:
        raise
    except Exception as error:  # a damaged file may fail anywhere in the library, with any error
        raise ReadError(f"{source.id} is no sound PDF: {error or type(error).__name__}") from error


def _tidy(text: str) -> str:
    text = _CUT.sub("", normalise(text)[0])
    return _TRAILING.sub("", text).strip("\n")


def _without_running_lines(pages: list[str]) -> list[str]:
    """The pages without page numbers and running heads, which would stand amid sentences."""
    if len(pages) < _FEWEST_PAGES:
        return pages
    split = [page.split("\n") for page in pages]
    for at in (0, -1):
        for _ in range(2):  # a running head and a page number may stand above each other
            common = Counter(_DIGITS.sub("#", lines[at]).strip() for lines in split if lines)
            running = {line for line, n in common.items() if n > _RUNNING * len(pages)}
            for lines in split:
                if lines and _DIGITS.sub("#", lines[at]).strip() in running:
                    del lines[at]
    return ["\n".join(lines).strip("\n") for lines in split]


def _title(metadata: Any, pages: list[str]) -> str:
    """The title of the file's metadata: often a leftover, so the first page must say it too."""
    title = one_line(str((metadata and metadata.title) or ""))
    first = one_line(pages[0]).casefold() if pages else ""
    return title if title and title.casefold() in first else ""
