"""Reads JSON: each value is a line with its name, under headings that are the path to it."""

from __future__ import annotations

import json
import logging
import re
from dataclasses import dataclass, field

from ragcli.corpus.read import text
from ragcli.corpus.read.file_text import FileText, Unreadable, characters
from ragcli.corpus.read.line_text import LineText

_log = logging.getLogger(__name__)

# Comments are no JSON, but programs write them into their settings.
_BETWEEN = r"(?:[ \t\r\n]++|//[^\n]*+|/\*(?s:.*?)\*/)*+"
_TOKEN = re.compile(
    rf"""{_BETWEEN}(?:(?P<mark>[{{}}\[\],:])|(?P<quote>")
    |(?P<bare>-?\d[\d.eE+-]*|true|false|null|NaN|-?Infinity))""",
    re.VERBOSE,
)
_END = re.compile(rf"{_BETWEEN}\s*\Z")
_DECODER = json.JSONDecoder(strict=False)
_DEEPEST = 200
_MOST_LEVELS = 6


def read(content: bytes, path: str) -> FileText:
    """The text of a file; one that is not JSON (a template, a cut file) is text.

    Raises Unreadable if it is nested too deeply.
    """
    tree = _JsonTree(characters(content))
    try:
        tree.walk()
    except ValueError as error:
        _log.debug("%s is read as text: it is not JSON: %s", path, error)
        return text.read(content, path)
    return tree.text.file_text()


@dataclass(slots=True)
class _Opened:
    """An open object or array: its next key or the number of its next entry."""

    is_object: bool
    key: str = ""
    number: int = 0


@dataclass(slots=True)
class _JsonTree:
    """Walks the tokens of JSON and writes its values."""

    source: str
    text: LineText = field(default_factory=LineText)
    at: int = 0
    line: int = 1
    open: list[_Opened] = field(default_factory=list)

    def walk(self) -> None:
        """Write all values; raises ValueError with the line of the first error."""
        before = ""  # the token before: "" (start), a mark, or "value"
        while (found := _TOKEN.match(self.source, self.at)) is not None:
            self.line += self.source.count("\n", self.at, found.end())
            self.at = found.end()
            before = self._take(found, before)
        rest = _END.match(self.source, self.at)
        if rest is None or self.open or not before:
            raise ValueError(f"something else than a value on line {self.line}")

    def _take(self, found: re.Match[str], before: str) -> str:
        mark = found["mark"]
        if mark in ("{", "["):
            self._enter(mark == "{")
        elif mark in ("}", "]"):
            self._leave(mark == "}")
            return "value"
        elif mark == ",":
            self._next()
        elif found["quote"] or found["bare"]:
            self._value(found, before)
            return "value"
        return mark or ""

    def _enter(self, is_object: bool) -> None:
        name = self._name() if self.open else ""
        self.open.append(_Opened(is_object))
        if name:
            self.text.heading(min(len(self.open) - 1, _MOST_LEVELS), name)
        if len(self.open) > _DEEPEST:
            levels = f"more than {_DEEPEST} levels on line {self.line}"
            raise Unreadable(f"is nested too deeply: {levels}")

    def _leave(self, is_object: bool) -> None:
        if not self.open or self.open.pop().is_object != is_object:
            raise ValueError(f"a bracket without its partner on line {self.line}")

    def _next(self) -> None:
        if not self.open:
            raise ValueError(f"a comma outside of brackets on line {self.line}")
        self.open[-1].key = ""
        self.open[-1].number += 1

    def _value(self, found: re.Match[str], before: str) -> None:
        if before == "value":
            raise ValueError(f"a comma is missing on line {self.line}")
        line = self.line
        value = found["bare"] or ""
        if found["quote"]:
            value, end = _DECODER.raw_decode(self.source, self.at - 1)
            self.line += self.source.count("\n", self.at, end)
            self.at = end
        level = self.open[-1] if self.open else _Opened(False)
        if level.is_object and not level.key and before != ":":
            level.key = value
        elif level.is_object:
            self.text.write(line, f"{level.key}: {value}")
        elif value:
            self.text.write(line, f"- {value}" if self.open else value)

    def _name(self) -> str:
        level = self.open[-1]
        return level.key if level.is_object else f"[{level.number + 1}]"
