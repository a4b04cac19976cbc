"""Reads the documents of a file, with one module per format. The file's suffix selects the module.

To add a format, write a module with a function ``read(source)`` and add a line to ``_READERS``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from ragcli.corpus.read import decode, docx, html, jsonl, markdown, pdf, text
from ragcli.corpus.read.normalised_text import line_of, page_breaks, page_of
from ragcli.types import ParsedDocument, Skipped, Source

__all__ = ["line_of", "page_breaks", "page_of", "read", "suffix_supported"]

_READERS: dict[str, Callable[[Source], Iterator[ParsedDocument | Skipped]]] = {
    ".txt": text.read,
    ".text": text.read,
    ".log": text.read,
    ".md": markdown.read,
    ".markdown": markdown.read,
    ".jsonl": jsonl.read,
    ".html": html.read,
    ".htm": html.read,
    ".xhtml": html.read,
    ".pdf": pdf.read,
    ".docx": docx.read,
    **dict.fromkeys((".rst", ".org", ".adoc", ".asciidoc", ".tex", ".csv", ".tsv"), text.read),
}

# Files with these suffixes are reported as a format without a reader. Other files without a reader
# may be reported as binary, after a look at their content.
_DOCUMENT = re.compile(r"\.(?:doc|odt|rtf|epub|pptx?|odp|xlsx?|ods|json|xml)")


def read(source: Source) -> Iterator[ParsedDocument | Skipped]:
    """Yield the documents in ``source``, and a ``Skipped`` for each part that is not a document.

    Raises ReadError when the file cannot be opened or read.
    """
    suffix = Path(source.path).suffix.lower()
    reader = _READERS.get(suffix)
    if reader is not None:
        yield from reader(source)
    elif not _DOCUMENT.fullmatch(suffix) and decode.is_binary(decode.head_of(source)):
        yield Skipped(source.id, decode.BINARY)
    else:
        kind = f"{suffix} files" if suffix else "files without a suffix"
        yield Skipped(source.id, f"no reader for {kind} yet")


def suffix_supported(path: str) -> bool:
    """Return whether there is a reader for the suffix of a file; the file may still be binary."""
    return Path(path).suffix.lower() in _READERS
