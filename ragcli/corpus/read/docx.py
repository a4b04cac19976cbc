"""Reads Word documents (.docx): paragraphs, headings, lists and tables in document order."""

from __future__ import annotations

import io
import re
from itertools import groupby
from typing import Any

from ragcli.corpus.read.archive import check_zip
from ragcli.corpus.read.file_text import FileText
from ragcli.corpus.read.outline import Outline
from ragcli.corpus.read.package import attribute, local, opening, xml_root

_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
_MOST_COLUMNS = 63  # Word's own limit
_NOTE_NAMES = {"footnotes": "note", "endnotes": "note", "comments": "comment"}


def read(content: bytes, _path: str) -> FileText:
    """The text of a file; raises Unreadable if it is damaged or needs a password."""
    # A damaged file can raise any error anywhere in the library.
    with opening(content, "a Word document", (Exception,)):
        import docx  # takes 0.1 s, and most folders contain no Word documents

        outline = Outline()
        title = ""
        check_zip(content)
        document = docx.Document(io.BytesIO(content))
        _narrow(document.element.body)
        notes = _notes(document.part)
        for block in document.iter_inner_content():
            if hasattr(block, "rows"):
                _table(outline, block)
            else:
                title = _paragraph(outline, block, notes) or title
        return outline.file_text(title)


def _narrow(body: Any) -> None:
    """Limit each cell to the width that a table can have; the library makes a cell per column."""
    from docx.oxml.ns import qn

    for span in body.iter(qn("w:gridSpan")):
        width = str(span.get(qn("w:val"), "1"))
        if not width.isdecimal() or len(width) > 2 or int(width) > _MOST_COLUMNS:
            span.set(qn("w:val"), str(_MOST_COLUMNS))


def _paragraph(outline: Outline, paragraph: Any, notes: dict[tuple[str, str], str]) -> str:
    """Write a paragraph; return its text if it is the document's title, else ""."""
    style = (paragraph.style.name if paragraph.style is not None else "") or ""
    level = _level(paragraph, style)
    if level and paragraph.text.strip():
        outline.heading(level, paragraph.text)
        return paragraph.text if style == "Title" else ""
    if style.startswith("List") or _is_item(paragraph):
        outline.line("- ")
    else:
        outline.paragraph()
    outline.lines(f"{paragraph.text}{_referred(paragraph, notes)}")
    return ""


def _level(paragraph: Any, style: str) -> int:
    """Return the level of a heading, by its style or its place in the outline; 0 for other text."""
    if style == "Title":
        return 1
    if heading := _HEADING.match(style):
        return int(heading[1])
    properties = paragraph._p.pPr
    for element in properties if properties is not None else ():
        if local(element) == "outlineLvl":
            level = attribute(element, "val")
            return int(level) + 1 if level in tuple("012345678") else 0
    return 0


def _is_item(paragraph: Any) -> bool:
    """Return whether a paragraph is numbered or has a bullet, whatever its style is called."""
    properties = paragraph._p.pPr
    if properties is None or properties.numPr is None:
        return False
    number = properties.numPr.numId
    return number is None or number.val != 0  # 0 takes a paragraph out of its style's list


def _referred(paragraph: Any, notes: dict[tuple[str, str], str]) -> str:
    """Return the footnotes, endnotes and comments that a paragraph refers to, in brackets."""
    found = []
    for element in paragraph._p.iter() if notes else ():
        kind, mark, _ = local(element).partition("Reference")
        if mark and (said := notes.get((f"{kind}s", attribute(element, "id")))):
            found.append(f" [{_NOTE_NAMES[f'{kind}s']}: {said}]")
    return "".join(found)


def _notes(part: Any) -> dict[tuple[str, str], str]:
    """Return the text of each note on one line, by its kind and number."""
    found = {}
    for relation in part.rels.values():
        kind = relation.reltype.rpartition("/")[2]
        if relation.is_external or kind not in _NOTE_NAMES:
            continue
        for note in xml_root(relation.target_part.blob):
            words = "".join(e.text or "" for e in note.iter() if local(e) == "t")
            found[kind, attribute(note, "id")] = " ".join(words.split())
    return found


def _table(outline: Outline, table: Any) -> None:
    """Write a table row by row. A cell that spans several columns is written once."""
    outline.paragraph()
    for row in table.rows:
        outline.row(next(cells).text for _, cells in groupby(row.cells, lambda cell: cell._tc))
    outline.line()  # ends the last row
    outline.paragraph()
