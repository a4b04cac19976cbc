"""Reads PowerPoint presentations (.pptx): slides with titles, lists, tables and notes.

A page of the document is a slide. python-pptx would save the part names of slides alone, and it
brings Pillow and XlsxWriter.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Any

from ragcli.corpus.read.file_text import FileText
from ragcli.corpus.read.outline import Outline
from ragcli.corpus.read.package import Package, attribute, local, opening, title_in
from ragcli.text.words import one_line

_MAIN = "ppt/presentation.xml"
# Placeholders that hold the same on every slide.
_FURNITURE = frozenset(("dt", "ftr", "sldNum", "hdr"))


def read(content: bytes, _path: str) -> FileText:
    """The text of a file; raises Unreadable if it is damaged or needs a password."""
    outline = Outline()
    with opening(content, "a PowerPoint file"):
        package = Package(content)
        for number, slide in enumerate(_slides(package)):
            if number:
                outline.page()
            _write_slide(outline, package, slide, 1 if number == 0 else 2)
        return outline.file_text(_title(package))


def _slides(package: Package) -> list[str]:
    """Return the names of the slides' parts in the order in which they are shown."""
    targets = {id_: part for id_, _, part in _related(package, _MAIN)}
    shown = [e for e in package.xml(_MAIN).iter() if local(e) == "sldId"]
    ids = [value for e in shown for key, value in e.attrib.items() if key.endswith("}id")]
    return [targets[id_] for id_ in ids if targets.get(id_) in package.names]


def _related(package: Package, part: str) -> Iterator[tuple[str, str, str]]:
    """Yield (id, kind, part) for each part that a part refers to."""
    folder, name = posixpath.split(part)
    relations = f"{folder}/_rels/{name}.rels"
    if relations not in package.names:
        return
    for element in package.xml(relations):
        target = element.get("Target", "")
        path = posixpath.normpath(posixpath.join(folder, target)).lstrip("/")
        yield element.get("Id", ""), element.get("Type", "").rpartition("/")[2], path


def _title(package: Package) -> str:
    title = title_in(package, "docProps/core.xml")
    return "" if title.casefold() == "powerpoint presentation" else title


def _write_slide(outline: Outline, package: Package, part: str, level: int) -> None:
    for shape in _shapes(package.xml(part)):
        kind = _placeholder(shape)
        if kind in ("title", "ctrTitle"):
            outline.heading(level, " ".join(_paragraphs(shape)))
        elif kind not in _FURNITURE:
            _write_shape(outline, shape)
    for _, kind, notes in _related(package, part):
        if kind == "notesSlide" and notes in package.names:
            bodies = [s for s in _shapes(package.xml(notes)) if _placeholder(s) == "body"]
            if words := [text for body in bodies for text in _paragraphs(body) if text]:
                outline.paragraph()
                outline.write(f"Notes: {' '.join(words)}")


def _shapes(slide: Any) -> list[Any]:
    """Return the shapes and tables of a slide, the title first."""
    found = [e for e in slide.iter() if local(e) in ("sp", "graphicFrame")]
    return sorted(found, key=lambda e: _placeholder(e) not in ("title", "ctrTitle"))


def _placeholder(shape: Any) -> str:
    """Return which placeholder of the layout a shape fills, "" for none."""
    found = next((e for e in shape.iter() if local(e) == "ph"), None)
    return "" if found is None else attribute(found, "type", "content")


def _write_shape(outline: Outline, shape: Any) -> None:
    rows = [e for e in shape.iter() if local(e) == "tr"]
    outline.paragraph()
    for row in rows:
        outline.row(" ".join(_paragraphs(cell)) for cell in row if local(cell) == "tc")
    if rows:
        outline.line()
        outline.paragraph()
        return
    paragraphs = [text for text in _paragraphs(shape) if text]
    for text in paragraphs:
        outline.line("- " if len(paragraphs) > 1 else "")
        outline.write(text)
    outline.paragraph()


def _paragraphs(shape: Any) -> Iterator[str]:
    """Yield the text of each paragraph in a shape, on one line."""
    for paragraph in (e for e in shape.iter() if local(e) == "p"):
        words = []
        for element in paragraph.iter():
            if local(element) == "t":
                words.append(element.text or "")
            elif local(element) in ("br", "tab"):
                words.append(" ")
        yield one_line("".join(words))
