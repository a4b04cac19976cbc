"""Splits HTML into tags and text in time linear in its length, whatever the page contains.

Python's ``html.parser`` looks for the end of each unclosed comment, tag or section again and again:
600 kB of ``<!--`` take it ten minutes. lxml counts lines up to 65,535 and drops what is nested in
more than 255 elements; selectolax counts none. As in the HTML standard, whatever is not closed
reaches to the end of the page (https://html.spec.whatwg.org/multipage/parsing.html#tokenization).
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

_NAME = re.compile(r"[a-zA-Z][^\t\n\f />]*")
_ATTRIBUTE = re.compile(
    r"""[\s/]*+(?P<name>[^\s/>][^\s/>=]*+)
    (?:\s*+=\s*+(?:"(?P<double>[^"]*+)(?P<end2>"|\Z)|'(?P<single>[^']*+)(?P<end1>'|\Z)
    |(?P<bare>[^\s>]*+)))?""",
    re.VERBOSE,
)
_TAG_END = re.compile(r"[\s/]*+>")
_COMMENT_END = re.compile(r"-->|--!>")
# Their content is not markup.
_RAW_END = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in ("script", "style")}
# Python refuses to convert thousands of digits, and no character needs more than seven.
_LONG_REFERENCE = re.compile(r"&#(?:[xX]0*+(?P<hex>[0-9a-fA-F]*+)|0*+(?P<number>[0-9]*+));?")
_MOST_DIGITS = 7
# Line ends that are written as references are text, and not lines of the file.
_WRITTEN_LINE_END = re.compile(r"&(?:#0*+1[03]\b|#[xX]0*+[adAD]\b|NewLine\b);?")


@dataclass(frozen=True, slots=True)
class HtmlToken:
    """A tag or a run of text, and the 1-based line of the page on which it begins.

    ``value`` is the text with references replaced, or the tag's name in lower case. ``closed``: the
    start tag ends in "/>".
    """

    kind: Literal["start", "end", "text"]
    value: str
    line: int
    attributes: tuple[tuple[str, str], ...] = ()
    closed: bool = False


def html_tokens(page: str) -> Iterator[HtmlToken]:
    """Yield the tags and texts of a page; comments and declarations are left out.

    The lines of a text token are those of the page: a line end that is written as a reference
    (``&#10;``) becomes a vertical tab.
    """
    page = page.replace("\r\n", "\n").replace("\r", "\n")
    at, line = 0, 1
    while at < len(page):
        token, end = _next(page, at, line)
        if token is not None:
            yield token
        if token is not None and token.kind == "start" and not token.closed:
            raw = _RAW_END.get(token.value)
            # Nothing in a script is shown, so it is left out here.
            found = raw.search(page, end) if raw else None
            end = found.start() if found else len(page) if raw else end
        line += page.count("\n", at, end)
        at = end


def _next(page: str, at: int, line: int) -> tuple[HtmlToken | None, int]:
    """Return the token that begins at ``at``, None if it shows nothing, and where it ends."""
    if page[at] != "<":
        end = _found(page, "<", at)
        return HtmlToken("text", _unescaped(page[at:end]), line), end
    if page.startswith("<!--", at):
        found = _COMMENT_END.search(page, at + 2)
        return None, found.end() if found else len(page)
    if page.startswith("<![CDATA[", at):
        return None, _found(page, "]]>", at, 3)
    if page.startswith(("<!", "<?"), at):
        return None, _found(page, ">", at, 1)
    closing = page.startswith("</", at)
    if name := _NAME.match(page, at + 1 + closing):
        if closing:
            return HtmlToken("end", name[0].lower(), line), _found(page, ">", at, 1)
        return _start_tag(page, name, line)
    if closing:
        return None, _found(page, ">", at, 1)
    return HtmlToken("text", "<", line), at + 1


def _start_tag(page: str, name: re.Match[str], line: int) -> tuple[HtmlToken | None, int]:
    attributes = []
    at = name.end()
    while (end := _TAG_END.match(page, at)) is None:
        found = _ATTRIBUTE.match(page, at)
        if found is None or "" in (found["end1"], found["end2"]):
            return None, len(page)  # the page ends inside the tag
        value = found["double"] or found["single"] or found["bare"] or ""
        attributes.append((found["name"].lower(), _unescaped(value)))
        at = found.end()
    closed = page[end.end() - 2] == "/"
    return HtmlToken("start", name[0].lower(), line, tuple(attributes), closed), end.end()


def _found(page: str, mark: str, at: int, length: int = 0) -> int:
    """Return where ``mark`` begins, plus ``length``; the end of the page if it does not occur."""
    found = page.find(mark, at)
    return len(page) if found < 0 else found + length


def _unescaped(text: str) -> str:
    if "&" not in text:
        return text
    text = _LONG_REFERENCE.sub(_short_reference, _WRITTEN_LINE_END.sub("\v", text))
    return html.unescape(text)


def _short_reference(reference: re.Match[str]) -> str:
    """Return a numeric reference with at most seven digits."""
    for group, mark in (("hex", "&#x"), ("number", "&#")):
        if digits := reference[group]:
            return f"{mark}{digits};" if len(digits) <= _MOST_DIGITS else "\ufffd"
    return reference[0] if len(reference[0]) <= _MOST_DIGITS else "\ufffd"
