"""Reads HTML: the text that a browser shows. Offsets refer to that text, lines to the file."""

from __future__ import annotations

import codecs
import io
import logging
import re

from ragcli.corpus.read.decode import web_encoding
from ragcli.corpus.read.file_text import FileText, characters
from ragcli.corpus.read.html_navigation import Attributes, NavigationFilter
from ragcli.corpus.read.html_tokens import html_tokens
from ragcli.corpus.read.outline import TERM, Outline

_log = logging.getLogger(__name__)

# Elements that are not shown, or are the same on every page of a site.
_HIDDEN = frozenset("head script style template noscript svg nav textarea select".split())
_PARAGRAPH = frozenset(
    "address article aside blockquote body dd details dialog div dl dt fieldset figcaption figure "
    "footer form header hr html legend main ol p pre section summary table ul caption".split()
)
_LINE = frozenset(("br", "li", "tr", "option"))
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_CHARSET = re.compile(
    rb"""<meta[^>]{0,200}?charset\s*=\s*+(?:["']\s*+)?([\w.:-]+)""", re.IGNORECASE
)
_DECLARED_WITHIN = 4096


def read(content: bytes, _path: str) -> FileText:
    """The text that an HTML file shows."""
    return text_of(_decoded(content))


def text_of(page: str) -> FileText:
    """The text that an HTML page shows."""
    shown = _ShownText()
    for token in html_tokens(page):
        if token.kind == "text":
            shown.text(token.value, token.line)
        elif token.kind == "start":
            shown.start(token.value, token.attributes)
            if token.closed:
                shown.end(token.value)
        else:
            shown.end(token.value)
    shown.body.close()
    return shown.outline.file_text("".join(shown.title))


def _decoded(raw: bytes) -> str:
    """Decode a page as UTF-8, or else in the encoding that it declares, or else by detection."""
    declared = _CHARSET.search(raw[:_DECLARED_WITHIN])
    if declared and not raw.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        for encoding in ("utf-8", web_encoding(declared[1].decode("ascii"))):
            try:
                return raw.decode(encoding)
            except UnicodeDecodeError as error:
                _log.debug("not %s at byte %d", encoding, error.start)
    return characters(raw)


class _ShownText:
    """Takes the tokens of a page and writes its visible text to ``outline``."""

    def __init__(self) -> None:
        self.outline = Outline()
        self.title: list[str] = []
        self._hidden: list[str] = []
        # The first place of each hidden element in the list: to look it up would take n * n steps.
        self._first: dict[str, int] = {}
        self._in_title = False
        self.body = NavigationFilter(PageBody(self.outline))

    def start(self, tag: str, attributes: Attributes) -> None:
        if tag == "title" and not self.title and "svg" not in self._first:
            self._in_title = True  # the title of an SVG drawing is not the document's
        elif tag == "body":
            self._show(0)  # an unclosed head ends here
        if tag in _HIDDEN:
            self._first.setdefault(tag, len(self._hidden))
            self._hidden.append(tag)
        if not self._hidden:
            self.body.start(tag, attributes)

    def end(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False
        if tag in self._first:  # unclosed tags inside it end with it
            self._show(self._first[tag])
        elif not self._hidden:
            self.body.end(tag)

    def _show(self, depth: int) -> None:
        """Leave the hidden elements from this depth on."""
        del self._hidden[depth:]
        self._first = {tag: at for tag, at in self._first.items() if at < depth}

    def text(self, text: str, line: int) -> None:
        if self._in_title:
            self.title.append(text)
        elif not self._hidden:
            self.body.text(text, line)


class PageBody:
    """Writes the elements of a page that are shown to an outline."""

    def __init__(self, outline: Outline) -> None:
        self._outline = outline
        self._pre = 0
        self._lists = 0

    def start(self, tag: str) -> None:
        if level := _HEADINGS.get(tag):
            self._outline.open_heading(level)
        elif tag == "dt":
            self._outline.paragraph()
            self._outline.open_heading(TERM + self._lists)
        elif tag in _PARAGRAPH:
            self._block(tag)
            self._pre += tag == "pre"
            self._outline.code(self._pre > 0)
            self._lists += tag == "dl"
        elif tag in _LINE:
            self._outline.line("- " if tag == "li" else "")
        elif tag in ("td", "th"):
            self._outline.cell()

    def end(self, tag: str) -> None:
        if tag in _HEADINGS or tag == "dt":
            self._outline.close_heading()
        elif tag in _PARAGRAPH:
            self._block(tag)
            self._pre = max(self._pre - (tag == "pre"), 0)
            self._outline.code(self._pre > 0)
            if tag == "dl":
                self._outline.end_section(TERM + self._lists)
                self._lists = max(self._lists - 1, 0)
        elif tag == "tr":
            self._outline.line()

    def _block(self, tag: str) -> None:
        if tag == "table":
            self._outline.line()  # ends an unclosed row
        self._outline.paragraph()

    def text(self, text: str, line: int) -> None:
        if self._pre:
            self._outline.write(text, keep_space=True, line=line)
            return
        for number, part in enumerate(io.StringIO(text), start=line):
            self._outline.write(part, line=number)
