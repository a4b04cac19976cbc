"""Checks grammars in llama.cpp's notation (GBNF) before llama.cpp gets them.

llama.cpp ends the whole process if a rule is used but not defined. For other errors, such as a rule
that begins with itself, it gives no details.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from ragcli.errors import ModelError

ROOT = "root"

_SPACE = re.compile(r"(?:[ \t]|#[^\r\n]*)*")
_SPACE_AND_LINES = re.compile(r"(?:[ \t\r\n]|#[^\r\n]*)*")
_NAME = re.compile(r"[A-Za-z0-9-]+")
_LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
_CLASS = re.compile(r"\[\^?(?:[^\]\\\n]|\\.)*\]|\.")
_REPEAT = re.compile(r"[*+?]|\{\s*+(\d++)\s*+(?:,\s*+\d*+\s*+)?\}")


@dataclass(frozen=True, slots=True)
class _Item:
    """A rule (``rule``), a group in parentheses (``choices``), or characters (neither).

    ``empty``: the item may match nothing.
    """

    rule: str = ""
    choices: _Choices = ()
    empty: bool = False


_Choices: TypeAlias = tuple[tuple[_Item, ...], ...]


def check_grammar(text: str) -> None:
    """Raise ModelError unless the grammar is valid for llama.cpp.

    It must be in llama.cpp's notation, define every rule once, have a rule ``root``, and have no
    rule that begins with itself.
    """
    rules = _GrammarParser(text).rules()
    if ROOT not in rules:
        raise _wrong(f"it has no rule {ROOT!r}")
    for name, choices in rules.items():
        for used in _names(choices):
            if used not in rules:
                raise _wrong(f"rule {name!r} uses {used!r}, which is not defined")
    empty = _can_be_empty(rules)
    firsts = {name: set(_firsts(choices, empty)) for name, choices in rules.items()}
    for name in rules:
        reached, todo = set(), list(firsts[name])
        while todo:
            rule = todo.pop()
            if rule not in reached:
                reached.add(rule)
                todo += firsts[rule]
        if name in reached:
            raise _wrong(f"rule {name!r} begins with itself")


def _wrong(what: str) -> ModelError:
    return ModelError(f"the grammar is invalid: {what}", "correct the grammar")


class _GrammarParser:
    """A parser: a text and a position in it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def rules(self) -> dict[str, _Choices]:
        """Parse all rules; return them by name."""
        found: dict[str, _Choices] = {}
        self._take(_SPACE_AND_LINES)
        while self._at < len(self._text):
            name = self._need(_NAME, "the name of a rule")
            self._take(_SPACE)
            self._need(re.compile("::="), "'::='")
            self._take(_SPACE_AND_LINES)
            if name in found:
                raise _wrong(f"rule {name!r} is defined twice")
            found[name] = self._choices(nested=False)
            if self._at < len(self._text) and self._text[self._at] not in "\r\n":
                raise self._unexpected("the end of a rule")
            self._take(_SPACE_AND_LINES)
        return found

    def _choices(self, nested: bool) -> _Choices:
        choices = [self._sequence(nested)]
        while self._text.startswith("|", self._at):
            self._at += 1
            self._take(_SPACE_AND_LINES)
            choices.append(self._sequence(nested))
        return tuple(choices)

    def _sequence(self, nested: bool) -> tuple[_Item, ...]:
        items = []
        while (item := self._item()) is not None:
            self._take(_SPACE)
            while repeat := self._take(_REPEAT):
                none = repeat[0] in "*?" or (repeat[1] is not None and int(repeat[1]) == 0)
                item = _Item(item.rule, item.choices, item.empty or none)
                self._take(_SPACE)
            items.append(item)
            self._take(_SPACE_AND_LINES if nested else _SPACE)
        return tuple(items)

    def _item(self) -> _Item | None:
        if literal := self._take(_LITERAL):
            return _Item(empty=not literal[1])
        if self._take(_CLASS):
            return _Item()
        if name := self._take(_NAME):
            return _Item(rule=name[0])
        if not self._text.startswith("(", self._at):
            return None
        self._at += 1
        self._take(_SPACE_AND_LINES)
        choices = self._choices(nested=True)
        self._need(re.compile(r"\)"), "')'")
        return _Item(choices=choices)

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self._text, self._at)
        if found:
            self._at = found.end()
        return found

    def _need(self, pattern: re.Pattern[str], what: str) -> str:
        found = self._take(pattern)
        if found is None:
            raise self._unexpected(what)
        return found[0]

    def _unexpected(self, wanted: str) -> ModelError:
        line = self._text.count("\n", 0, self._at) + 1
        return _wrong(f"line {line}: expected {wanted} at {self._text[self._at :][:20]!r}")


def _names(choices: _Choices) -> Iterator[str]:
    """Yield the names of the rules that are used."""
    for items in choices:
        for item in items:
            if item.rule:
                yield item.rule
            yield from _names(item.choices)


def _is_empty(choices: _Choices, empty: set[str]) -> bool:
    """Return whether one of the choices can match nothing; ``empty`` are the rules that can."""
    return any(all(_item_is_empty(item, empty) for item in items) for items in choices)


def _item_is_empty(item: _Item, empty: set[str]) -> bool:
    if item.empty or item.rule in empty:
        return True
    return bool(item.choices) and _is_empty(item.choices, empty)


def _can_be_empty(rules: dict[str, _Choices]) -> set[str]:
    """Return the rules that can match nothing."""
    empty: set[str] = set()
    while True:
        found = {name for name, choices in rules.items() if _is_empty(choices, empty)}
        if found == empty:
            return empty
        empty = found


def _firsts(choices: _Choices, empty: set[str]) -> Iterator[str]:
    """Yield the rules with which a match can begin."""
    for items in choices:
        for item in items:
            if item.rule:
                yield item.rule
            yield from _firsts(item.choices, empty)
            if not _item_is_empty(item, empty):
                break
