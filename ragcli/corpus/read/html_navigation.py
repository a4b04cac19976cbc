"""Leaves the navigation of a site out of a page: menus, breadcrumbs, permalinks, copyright lines.

An element says by its class, id or role that it is navigation, or that it may be. What may be
navigation is recorded until it ends: whether it consists of links shows only then.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

Attributes = Sequence[tuple[str, str]]

_MAY_NAVIGATE = frozenset("div ul ol table p header footer aside section span".split())
_NAVIGATION = re.compile(
    r"nav(?:bar|header|footer|igation)|breadcrumbs?|sphinxsidebar\w*|skip-?(?:link|nav|to)\S*",
    re.IGNORECASE,
)
_PERHAPS_NAVIGATION = re.compile(
    r"(?:\w+[_-])?(?:nav|menu(?:bar)?|sidebar|toc|related|footer|contentinfo)", re.IGNORECASE
)
_LINKED_SHARE = 0.6
"""What is perhaps navigation is left out if links are this share of its text."""

# The beginning of the text of an element, without spaces.
_SKIP = re.compile(r"(?:skip|jump)(?:\w{0,12})to\w{3}|backtotop\Z|[¶#§🔗]\Z", re.IGNORECASE)
_ANYTHING = re.compile("")
_COLOPHON = re.compile(r"\W{0,3}(?:©|copyright\b|\(c\))", re.IGNORECASE)
_LOOKED_AT = 64
"""Characters at the beginning of an element's text that are kept to look at."""

_DEEPEST = 8
"""Elements inside each other that are recorded; in more, nothing is left out."""


class Shown(Protocol):
    """Takes the elements and texts that are shown."""

    def start(self, tag: str) -> None:
        """Take a start tag."""

    def end(self, tag: str) -> None:
        """Take an end tag."""

    def text(self, text: str, line: int) -> None:
        """Take a text that begins on a line of the file."""


@dataclass(slots=True)
class _Doubtful:
    """An element that may be navigation.

    It is, if its text begins as ``alike`` says or consists of links. ``events`` pass on what is in
    it. ``depth`` counts the open elements with its ``tag``, and ``links`` the open links in it.
    ``size`` and ``linked`` count the characters of its text, and of that in links.
    """

    tag: str
    alike: re.Pattern[str]
    events: list[Callable[[], None]] = field(default_factory=list)
    depth: int = 0
    links: int = 0
    size: int = 0
    linked: int = 0
    first: str = ""

    def count(self, text: str) -> None:
        """Count a text."""
        size = len(text) - sum(map(str.isspace, text))
        if len(self.first) < _LOOKED_AT:
            self.first += "".join(text[: 2 * _LOOKED_AT].split())
        self.size += size
        self.linked += size if self.links else 0

    @property
    def is_navigation(self) -> bool:
        """Whether it is left out. An element that was never closed may hold the whole page."""
        if self.depth:
            return False
        if self.tag != "a" and self.linked >= _LINKED_SHARE * self.size:
            return True
        return self.size <= _LOOKED_AT * 10 and self.alike.match(self.first) is not None


class NavigationFilter:
    """Passes the elements and texts of a page on, except the navigation of its site."""

    def __init__(self, shown: Shown) -> None:
        self._shown = shown
        self._open: list[_Doubtful] = []

    def start(self, tag: str, attributes: Attributes) -> None:
        if self._open and self._open[-1].tag == tag == "a":
            self._settle()  # a link that was not closed
        if len(self._open) < _DEEPEST and (alike := _sign(tag, attributes)):
            self._open.append(_Doubtful(tag, alike))
        for element in self._open:
            element.links += tag == "a"
        if self._open:
            self._open[-1].depth += self._open[-1].tag == tag
            self._open[-1].events.append(partial(self._shown.start, tag))
        else:
            self._shown.start(tag)

    def end(self, tag: str) -> None:
        if not self._open:
            self._shown.end(tag)
            return
        for element in self._open:
            element.links = max(element.links - (tag == "a"), 0)
        self._open[-1].depth -= self._open[-1].tag == tag
        self._open[-1].events.append(partial(self._shown.end, tag))
        if not self._open[-1].depth:
            self._settle()

    def text(self, text: str, line: int) -> None:
        for element in self._open:
            element.count(text)
        if self._open:
            self._open[-1].events.append(partial(self._shown.text, text, line))
        else:
            self._shown.text(text, line)

    def close(self) -> None:
        """Take the end of the page."""
        while self._open:
            self._settle()

    def _settle(self) -> None:
        """Pass the innermost element in doubt on, or drop it if it is navigation."""
        element = self._open.pop()
        if element.is_navigation:
            return
        if self._open:
            self._open[-1].events += element.events
            return
        for event in element.events:
            event()


def _sign(tag: str, attributes: Attributes) -> re.Pattern[str] | None:
    """Return how the text of an element begins if it is navigation; None if it cannot be."""
    if tag == "a":
        return _SKIP
    if tag not in _MAY_NAVIGATE:
        return None
    given = dict(attributes)
    names = " ".join(given.get(name, "") for name in ("class", "id", "role")).split()
    if any(map(_NAVIGATION.fullmatch, names)):
        return _ANYTHING
    if tag == "footer" or any(map(_PERHAPS_NAVIGATION.fullmatch, names)):
        return _COLOPHON
    return None
