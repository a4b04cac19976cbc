"""Reads HTML: the text that a browser shows. Lines and offsets refer to that text."""

from __future__ import annotations

import codecs
import hashlib
import re
from collections.abc import Iterator
from html.parser import HTMLParser

from ragcli.corpus.read.decode import BINARY, EMPTY, bytes_of, decode
from ragcli.corpus.read.outline import Outline
from ragcli.types import ParsedDocument, Skipped, Source

# Elements that are not shown, or are the same on every page of a site.
_HIDDEN = frozenset(("head", "script", "style", "template", "noscript", "svg", "nav", "textarea"))
_VOID = frozenset(
    "area base br col embed hr img input link meta param source track wbr".split()  # no end tag
)
_PARAGRAPH = frozenset(
    "address article aside blockquote body dd details dialog div dl dt fieldset figcaption figure "
    "footer form header hr html legend main ol p pre section summary table ul caption".split()
)
_LINE = frozenset(("br", "li", "tr", "option"))
_HEADING = re.compile(r"h([1-6])")
_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_DECLARED_WITHIN = 4096


def read(source: Source) -> Iterator[ParsedDocument | Skipped]:
    """Yield the document of an HTML file; raises ReadError if the file cannot be read."""
    raw = bytes_of(source)
    page = _decoded(raw)
    if page is None:
        yield Skipped(source.id, BINARY)
        return
    yield from document_of(source.id, hashlib.sha256(raw).hexdigest(), page)


def document_of(id_: str, sha256: str, page: str) -> Iterator[ParsedDocument | Skipped]:
    """Yield the document of an HTML page that is given as text."""
    parser = _HtmlParser()
    parser.feed(page)
    parser.close()
    made = parser.outline.document(id_, sha256, parser.title)
    yield made if made.text else Skipped(id_, EMPTY if not page.strip() else "no text in it")


def _decoded(raw: bytes) -> str | None:
    """Decode a page as UTF-8, or else in the encoding that it declares, or else by detection."""
    declared = _CHARSET.search(raw[:_DECLARED_WITHIN])
    if declared and not raw.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        for name in ("utf-8", declared[1].decode("ascii")):
            try:
                return raw.decode(name)
            except (UnicodeDecodeError, LookupError):  # a wrong or an unknown encoding
                continue
    return decode(raw)


class _HtmlParser(HTMLParser):
    """Parses a page and writes its visible text to ``outline``."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.outline = Outline()
        self.title = ""
        self._hidden: list[str] = []
        self._in_title = False
        self._pre = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "title" and not self.title and "svg" not in self._hidden:
            self._in_title = True  # the title of an SVG drawing is not the document's
        elif tag == "body":
            self._hidden.clear()  # an unclosed head ends here
        if tag in _HIDDEN and tag not in _VOID:
            self._hidden.append(tag)
        if self._hidden:
            return
        if heading := _HEADING.fullmatch(tag):
            self.outline.open_heading(int(heading[1]))
        elif tag in _PARAGRAPH:
            self._block(tag)
            self._pre += tag == "pre"
        elif tag in _LINE:
            self.outline.line("- " if tag == "li" else "")
        elif tag in ("td", "th"):
            self.outline.cell()

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False
        if tag in self._hidden:  # unclosed tags inside it end with it
            del self._hidden[self._hidden.index(tag) :]
            return
        if self._hidden:
            return
        if _HEADING.fullmatch(tag):
            self.outline.close_heading()
        elif tag in _PARAGRAPH:
            self._block(tag)
            self._pre = max(self._pre - (tag == "pre"), 0)
        elif tag == "tr":
            self.outline.line()

    def _block(self, tag: str) -> None:
        if tag == "table":
            self.outline.line()  # ends an unclosed row
        self.outline.paragraph()

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title = f"{self.title}{data}"
        elif not self._hidden:
            self.outline.write(data, keep_space=self._pre > 0)
