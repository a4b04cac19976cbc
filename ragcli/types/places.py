"""Places in documents as people name them: "page 3", "slide 4", "sheet Sales, row 12"."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from posixpath import splitext

from ragcli.types.document_ids import SHEETS, parts_of

_PAGE_NAMES = {
    **dict.fromkeys((".pptx", ".pptm", ".ppsx", ".odp"), "slide"),
    ".ipynb": "cell",
    ".epub": "chapter",
    **dict.fromkeys((".pdf", ".tif", ".tiff"), "page"),
}
"""What a "page" is called in files of these suffixes, also if there is only one."""


def line_in(
    text: str, start: int, lines: tuple[int, int], marks: Sequence[tuple[int, int]], offset: int
) -> int:
    """Return the line in the file of the character at document ``offset``.

    ``text`` begins at offset ``start`` and is on the ``lines`` (first, last). ``marks`` are
    ``(offset, line)`` of the lines of the file over it, rising, where these are not the lines of
    the text: filled paragraphs. Without marks the newlines of the text are counted, but never past
    the last line: the text of a JSON Lines record is on one line of the file.

    >>> line_in("a b\\nc", 10, (4, 5), (), 14), line_in("a b c", 10, (4, 6), ((10, 4), (12, 5)), 13)
    (5, 5)
    """
    first, last = lines
    if marks:
        at = bisect_right(marks, offset, key=lambda mark: mark[0]) - 1
        return min(max(marks[max(at, 0)][1], first), last)
    return min(first + text.count("\n", 0, offset - start), last)


def place_of(doc: str, page: int | None, line_start: int, line_end: int) -> str:
    """Return the place of a quotation in its file, "" if the lines of the file say all.

    ``page`` is None in a document without pages, and in one with a single page.

    >>> place_of("talk.pptx", 4, 12, 13), place_of("b.xlsx#Sales", None, 2, 5)
    ('slide 4', 'sheet Sales, rows 2-5')
    >>> place_of("all.zip#a.pdf", 3, 1, 1), place_of("notes.md", None, 7, 7)
    ('a.pdf, page 3', '')
    """
    parts = parts_of(doc)
    above, inner = parts[1:], parts[-1]
    outer = _suffix(parts[-2]) if above else ""
    name = _PAGE_NAMES.get(_suffix(inner))
    if outer == ".jsonl":
        return ""
    if outer[1:] in SHEETS:
        above[-1] = f"sheet {inner}, {_numbered('row', line_start, line_end)}"
    elif outer == ".mbox":
        above[-1] = f"message {inner}"
    elif page is not None or name:
        above.append(f"{name or 'page'} {page or 1}")
    elif above:
        above.append(_numbered("line", line_start, line_end))
    return ", ".join(above)


def _suffix(path: str) -> str:
    return splitext(path)[1].lower()


def _numbered(unit: str, first: int, last: int) -> str:
    return f"{unit} {first}" if first == last else f"{unit}s {first}-{last}"
