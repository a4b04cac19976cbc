"""Reads PDF: the text of the pages, with a form feed before each page except the first.

The text of other documents contains no form feeds (``normalise``), so they mark the pages.
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
from ragcli.corpus.read.normalised_text import PAGE, normalise
from ragcli.errors import ReadError
from ragcli.text.words import one_line
from ragcli.types import ParsedDocument, Skipped, Source

# "exam-\nple" is a word divided at the end of a line; "Anglo-\nSaxon" keeps its hyphen.
_CUT = re.compile(r"(?<=[a-zà-ÿ])-[ \t]*\n[ \t]*(?=[a-zà-ÿ])")
_DIGITS = re.compile(r"\d+")
# A first or last line that occurs on this share of the pages, numbers ignored, is page furniture.
_RUNNING = 0.5
_FEWEST_PAGES = 4
_TRAILING = re.compile(r"[ \t]+$", re.MULTILINE)


def read(source: Source) -> Iterator[ParsedDocument | Skipped]:
    """Yield the document of a file; raises ReadError if it is damaged or needs a password."""
    raw = bytes_of(source)
    if not raw:
        yield Skipped(source.id, EMPTY)
        return
    title, pages = _pages(source, raw)
    text = f"\n{PAGE}".join(pages).rstrip(f"\n{PAGE}")
    if not text.strip(f" \n\t{PAGE}"):
        yield Skipped(source.id, f"no text in its {len(pages)} pages; it may be a scan")
        return
    starts = (0, *(at + 1 for at, c in enumerate(text) if c == "\n"))
    yield ParsedDocument(source.id, hashlib.sha256(raw).hexdigest(), title, text, starts)


def _pages(source: Source, raw: bytes) -> tuple[str, list[str]]:
    """Return the title, "" unless the first page contains it, and the text of every page."""
    import pypdf  # takes 0.2 s, and most folders contain no PDF

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it logs every small repair
    try:
        reader = pypdf.PdfReader(io.BytesIO(raw))
        if reader.is_encrypted and not reader.decrypt(""):
            raise ReadError(f"{source.id} needs a password")
        pages = [_tidy(page.extract_text()) for page in reader.pages]
        return _title(reader.metadata, pages), _without_running_lines(pages)
    except ReadError:
        raise
    except Exception as error:  # a damaged file can raise any error anywhere in the library
        reason = str(error) or type(error).__name__
        raise ReadError(f"{source.id} is damaged or not a PDF: {reason}") from error


def _tidy(text: str) -> str:
    text = _CUT.sub("", normalise(text)[0])
    return _TRAILING.sub("", text).strip("\n")


def _without_running_lines(pages: list[str]) -> list[str]:
    """Return the pages without page numbers and running heads, which would interrupt sentences."""
    if len(pages) < _FEWEST_PAGES:
        return pages
    split = [page.split("\n") for page in pages]
    for at in (0, -1):
        for _ in range(2):  # there may be both a running head and a page number
            common = Counter(_DIGITS.sub("#", lines[at]).strip() for lines in split if lines)
            running = {line for line, n in common.items() if n > _RUNNING * len(pages)}
            for lines in split:
                if lines and _DIGITS.sub("#", lines[at]).strip() in running:
                    del lines[at]
    return ["\n".join(lines).strip("\n") for lines in split]


def _title(metadata: Any, pages: list[str]) -> str:
    """Return the title in the metadata, "" unless the first page contains it too.

    Titles in metadata are often leftovers of another document.
    """
    title = one_line(str((metadata and metadata.title) or ""))
    first = one_line(pages[0]).casefold() if pages else ""
    return title if title and title.casefold() in first else ""
