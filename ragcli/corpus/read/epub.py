"""Reads e-books (.epub): the pages of the book in reading order, each a chapter."""

from __future__ import annotations

import posixpath
from typing import Any
from urllib.parse import unquote

from ragcli.corpus.normalised_text import normalise
from ragcli.corpus.read.decode import decode
from ragcli.corpus.read.file_text import FileText, join_pages
from ragcli.corpus.read.html import text_of
from ragcli.corpus.read.package import Package, local, opening
from ragcli.text.words import one_line

_PAGES = frozenset(("application/xhtml+xml", "text/html", "application/x-dtbook+xml"))


def read(content: bytes, _path: str) -> FileText:
    """The text of a book; raises Unreadable if it is damaged or protected."""
    with opening(content, "an e-book"):
        package = Package(content)
        if "META-INF/rights.xml" in package.names:
            raise ValueError("it is protected against reading by other programs")
        main = next(
            e for e in package.xml("META-INF/container.xml").iter() if local(e) == "rootfile"
        )
        path = main.get("full-path", "")
        book = package.xml(path)
        pages = [package.part(name) for name in _spine(package, book, path)]
        chapters = [text_of(decode(page) or "") for page in pages]
    title = next((e.text for e in book.iter() if local(e) == "title" and e.text), "")
    return join_pages(one_line(normalise(title)[0]), chapters)


def _spine(package: Package, book: Any, path: str) -> list[str]:
    """Return the names of the pages in reading order, without the table of contents."""
    items = {e.get("id"): e for e in book.iter() if local(e) == "item"}
    order = [items.get(e.get("idref")) for e in book.iter() if local(e) == "itemref"]
    return [
        name
        for item in order
        if item is not None
        and item.get("media-type") in _PAGES
        and "nav" not in (item.get("properties") or "").split()
        and (name := _within(path, item.get("href", ""))) in package.names
    ]


def _within(path: str, href: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(href)))
