"""Reads OpenDocument texts and presentations (.odt, .odp): headings, lists, tables and notes."""

from __future__ import annotations

from typing import Any

from ragcli.corpus.read.file_text import FileText
from ragcli.corpus.read.outline import Outline
from ragcli.corpus.read.package import Package, attribute, local, opening, title_in
from ragcli.text.words import one_line

_LEFT_OUT = frozenset(
    "tracked-changes sequence-decls forms annotation-end note-citation settings page-number".split()
)
_TITLES = frozenset(("Title", "title"))
_WIDEST = 100  # repeated empty cells at the end of a row can be a million
_DEEPEST = 200


def read(content: bytes, _path: str) -> FileText:
    """The text of a file; raises Unreadable if it is damaged or needs a password."""
    with opening(content, "an OpenDocument file"):
        package = Package(content)
        if b"encryption-data" in package.part("META-INF/manifest.xml"):
            raise ValueError("it needs a password")
        content = package.xml("content.xml")
        reader = _TextWriter(_parents(content))
        reader.walk(content, 0)
        return reader.outline.file_text(title_in(package, "meta.xml") or reader.title)


def _parents(content: Any) -> dict[str, str]:
    """Return the named style on which each style of the document itself is based."""
    styles = (e for e in content.iter() if local(e) == "style")
    return {attribute(e, "name"): attribute(e, "parent-style-name") for e in styles}


class _TextWriter:
    """Walks the elements and writes their text to ``outline``."""

    def __init__(self, parents: dict[str, str]) -> None:
        self.outline = Outline()
        self.title = ""
        self._parents = parents
        self._pages = 0
        self._listed = False

    def walk(self, element: Any, depth: int) -> None:
        name = local(element)
        if depth > _DEEPEST:
            raise ValueError("its elements are nested too deeply")
        handler = getattr(self, f"_on_{name.replace('-', '_')}", None)
        if name in _LEFT_OUT or not name:
            self._tail(element)
            return
        if handler is not None:
            handler(element, depth)
        else:
            self._inside(element, depth)
        self._tail(element)

    def _inside(self, element: Any, depth: int) -> None:
        if element.text and local(element) in _INLINE:
            self.outline.write(element.text)
        for child in element:
            self.walk(child, depth + 1)

    def _tail(self, element: Any) -> None:
        above = element.getparent()
        if element.tail and above is not None and local(above) in _INLINE:
            self.outline.write(element.tail)

    def _on_h(self, element: Any, depth: int) -> None:
        level = attribute(element, "outline-level", "1")
        self.outline.open_heading(int(level) if level.isdigit() else 1)
        self._inside(element, depth)
        self.outline.close_heading()

    def _on_p(self, element: Any, depth: int) -> None:
        style = attribute(element, "style-name")
        style = self._parents.get(style) or style
        if style in _TITLES:
            self.outline.open_heading(1)
            self._inside(element, depth)
            self.outline.close_heading()
            self.title = self.title or "".join(element.itertext())
            return
        self.outline.paragraph()
        self._inside(element, depth)

    def _on_list_item(self, element: Any, depth: int) -> None:
        self.outline.line("- ")
        self._inside(element, depth)

    def _on_s(self, element: Any, depth: int) -> None:
        self.outline.write(" ")

    _on_tab = _on_s

    def _on_line_break(self, element: Any, depth: int) -> None:
        self.outline.line()

    def _on_note(self, element: Any, depth: int) -> None:
        """Write a note in brackets where it is referred to."""
        what = "comment" if local(element) == "annotation" else "note"
        if words := _words_in(element):
            self.outline.write(f" [{what}: {words}]")

    _on_annotation = _on_note

    def _on_table(self, element: Any, depth: int) -> None:
        self.outline.paragraph()
        self._inside(element, depth)
        self.outline.line()
        self.outline.paragraph()

    def _on_table_row(self, element: Any, depth: int) -> None:
        self.outline.line()
        self._inside(element, depth)

    def _on_table_cell(self, element: Any, depth: int) -> None:
        repeated = attribute(element, "number-columns-repeated", "1")
        times = min(int(repeated), _WIDEST) if repeated.isdigit() and len(repeated) < 9 else 1
        has_text = any(_is_text(inner) for inner in element.iter())
        for _ in range(times if has_text else 1):
            self.outline.cell()
            self._inside(element, depth)

    def _on_page(self, element: Any, depth: int) -> None:
        """Begin a slide; its title is a heading below that of the first slide."""
        if self._pages:
            self.outline.page()
        self._pages += 1
        self._inside(element, depth)

    def _on_frame(self, element: Any, depth: int) -> None:
        if attribute(element, "class") == "title":
            self.outline.open_heading(1 if self._pages == 1 else 2)
            for paragraph in (e for e in element.iter() if _is_text(e)):
                self._inside(paragraph, depth)
                self.outline.write(" ")
            self.outline.close_heading()
        else:
            self._inside(element, depth)

    def _on_notes(self, element: Any, depth: int) -> None:
        if words := _words_in(element):
            self.outline.paragraph()
            self.outline.write(f"Notes: {words}")


_INLINE = frozenset(("p", "h", "span", "a", "meta", "ruby", "ruby-base", "bookmark-ref"))
"""Elements whose characters are text; elsewhere they are white space between elements."""


def _words_in(element: Any) -> str:
    """Return the text of the paragraphs in an element on one line."""
    words = [one_line("".join(p.itertext())) for p in element.iter() if _is_text(p)]
    return " ".join(words) if any(words) else ""


def _is_text(element: Any) -> bool:
    return local(element) in ("p", "h")
