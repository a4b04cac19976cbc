"""Reads XML: the text of each element on its line, under headings that are the path to it.

Documents in the vocabularies of ``document_xml`` are read as pages.
"""

from __future__ import annotations

import logging
import re
from xml.parsers import expat

from ragcli.corpus.read import document_xml, text
from ragcli.corpus.read.decode import BINARY, decode, web_encoding
from ragcli.corpus.read.file_text import FileText, NoText, Unreadable
from ragcli.corpus.read.line_text import LineText

_log = logging.getLogger(__name__)

_DECLARED = re.compile(rb"""\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.-]+)["']""", re.ASCII)
_OF_EXPAT = (b"utf-8", b"us-ascii", b"iso-8859-1")
_DEEPEST = 400
_MOST_LEVELS = 6
_TITLES = frozenset(("title", "docTitle", "article-title"))
_NAMES = ("name", "title", "id", "{http://www.w3.org/XML/1998/namespace}id", "key")


def read(content: bytes, path: str) -> FileText:
    """The text of a file.

    One that is not XML (a template, a cut file) or declares entities, which are not expanded, is
    text. Raises Unreadable if it is nested too deeply.
    """
    characters = _decoded(content)
    page = decode(content) if isinstance(characters, bytes) else characters
    if page is not None and document_xml.is_document(page):
        return document_xml.text_of(page)
    if characters is None:
        raise NoText(BINARY)
    reader = _ElementWriter()
    try:
        reader.parser.Parse(characters, True)
    except (expat.ExpatError, _EntityDeclaredError) as error:
        _log.debug("%s is read as text: %s", path, error)
        return text.read(content, path)
    return reader.text.file_text(reader.title)


def _decoded(raw: bytes) -> bytes | str | None:
    """The characters of a document in an encoding that expat does not know; else its bytes."""
    if b"\0" in raw[:4]:  # two or four bytes for a character, with a mark or without
        return decode(raw)
    declared = _DECLARED.match(raw)
    if declared is None or declared[1].lower() in _OF_EXPAT:
        return raw
    encoding = web_encoding(declared[1].decode())
    return decode(raw) if encoding == "utf-8" else raw.decode(encoding, "replace")


class _EntityDeclaredError(Exception):
    """A document type declares an entity; nested entities could fill the memory."""


class _ElementWriter:
    """Writes what the parser finds. Text inside an element is joined until an element begins."""

    def __init__(self) -> None:
        self.text = LineText()
        self.title = ""
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._data
        self.parser.EntityDeclHandler = self._entity
        self._open: list[str] = []
        self._words: list[str] = []
        self._line = 1
        self._begun: tuple[int, str, str] | None = None  # line, heading and attributes

    def _entity(self, *_: object) -> None:
        raise _EntityDeclaredError("it declares entities")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        name = name.rpartition(":")[2]
        if len(self._open) >= _DEEPEST:
            raise Unreadable(f"is nested too deeply: more than {_DEEPEST} levels")
        self._open.append(name)
        if name in _INLINE:
            return
        self._section()
        self._flush()
        known = next((attributes[key] for key in _NAMES if attributes.get(key)), "")
        given = [f"{key.rpartition(':')[2]}: {v}" for key, v in attributes.items() if _is_text(key)]
        heading = "" if name in _PROSE else f"{name} {known}".strip()
        self._begun = (self.parser.CurrentLineNumber, heading, "; ".join(given))

    def _section(self) -> None:
        """Write the element begun last: as a section, because an element begins inside it."""
        if self._begun is not None:
            line, heading, given = self._begun
            level = len(self._open) - 2
            if heading and level > 0 and not self._words:
                self.text.heading(min(level, _MOST_LEVELS), heading)
            self._begun = None
            self.text.write(line, given)

    def _end(self, name: str) -> None:
        self._open.pop()
        if name.rpartition(":")[2] in _INLINE:
            return
        self._flush(name.rpartition(":")[2])

    def _data(self, data: str) -> None:
        if not self._words:
            lead = len(data) - len(data.lstrip())
            self._line = self.parser.CurrentLineNumber + data.count("\n", 0, lead)
            data = data[lead:]
        if data:
            self._words.append(data)

    def _flush(self, name: str = "") -> None:
        """Write the text since the last mark-up, with the name of its element."""
        words = " ".join("".join(self._words).split())
        self._words.clear()
        begun, self._begun = self._begun, None
        if begun is not None:
            self.text.write(begun[0], begun[2])
        if not words:
            return
        if name in _TITLES and not self.title:
            self.title = words
        plain = not name or name in _PROSE
        self.text.write(self._line, words if plain else f"{name}: {words}")


_INLINE = frozenset(
    "b i em strong emphasis italic bold hi seg q a link ulink xref span sup sub code literal "
    "monospace small u tt ref ext-link".split()
)
"""Elements inside sentences."""

_PROSE = _INLINE | frozenset(
    "p para simpara body text section sect1 sect2 abstract li item listitem entry td th tr row "
    "tbody thead tgroup div quote".split()
)
"""Elements of running text, whose names say nothing about it."""


def _is_text(key: str) -> bool:
    """Return whether an attribute is content: not a namespace, a style or a reference."""
    return not (key.startswith(("xmlns", "xsi:", "xml:")) or key in ("class", "style", "version"))
