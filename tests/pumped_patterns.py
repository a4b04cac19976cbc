"""Finds the regular expressions of ragcli and times each on strings that are made from it.

Run as a program, it prints each pattern whose time grows faster than the string, and then how many
patterns it has tried. ``tests/test_patterns.py`` starts it with a time limit.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from itertools import islice
from pathlib import Path
from types import FrameType, FunctionType, ModuleType
from typing import Any

import ragcli

LONG = 6_000
"""Characters of the longest string; a pattern that looks at all pairs of them takes 0.1 s."""

SHORT = 32
"""Repetitions that a pattern which tries all subsets does not finish."""

QUICK = 0.03
"""Seconds below which growth is not measured."""

LIMIT = 1
"""Seconds of processor time after which a pattern is stopped."""

STEEP = 2.0
"""By how much a string may take longer than its four quarters: 1 is linear, 4 is all pairs."""

MOST_STRINGS = 60
"""Strings tried of a pattern, at most."""

MATCHED = {"ragcli.text.sentences._ALONE"}
"""Patterns that are handed to a function, which tries them at the beginning of a text only."""

_CHARACTERS = "aA0 \n.-_,:/'\"=<([{*|#`é中~\x00"
_METHODS = ("match", "fullmatch", "search", "finditer", "sub", "split", "findall", "subn")
_ANCHORED = {"match", "fullmatch"}
_RE = re._parser  # type: ignore[attr-defined]
_OPS = re._constants  # type: ignore[attr-defined]


class TooSlow(Exception):
    """A pattern has not finished."""


@dataclass(frozen=True)
class Found:
    """A pattern, where it stands, and the methods that try it, if they do so at one place only."""

    place: str
    pattern: re.Pattern[str]
    methods: tuple[str, ...]


def modules() -> list[ModuleType]:
    """Every module of ragcli that can be imported here."""
    found = [ragcli]
    for info in pkgutil.walk_packages(ragcli.__path__, "ragcli."):
        if info.name.endswith("__main__"):
            continue
        try:
            found.append(importlib.import_module(info.name))
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("ragcli"):
                raise
    return found


def patterns() -> list[Found]:
    """Every pattern, once for each text and way of use."""
    found: dict[tuple[Any, ...], Found] = {}
    uses = _uses()
    for module in modules():
        held = [(name, p) for name, value in vars(module).items() for p in _held(value, module)]
        known = {pattern for _, pattern in held}
        written = [(name, p) for name, p in _written(module) if p not in known]
        for name, pattern in [*held, *written]:
            if not isinstance(pattern.pattern, str):
                pattern = re.compile(pattern.pattern.decode("latin-1"), pattern.flags & ~re.ASCII)
            used = {name} & _ANCHORED or uses[_own(module, name)]
            place = f"{module.__name__}.{name}"
            methods = ("match",) if place in MATCHED else tuple(sorted(used))
            methods = methods if set(methods) <= _ANCHORED else ()
            key = pattern.pattern, pattern.flags, methods
            found.setdefault(key, Found(place, pattern, methods))
    return list(found.values())


def _held(value: Any, module: ModuleType, depth: int = 4) -> Iterator[re.Pattern[Any]]:
    """The patterns in a value: in collections, records, classes, and what functions keep."""
    if isinstance(value, re.Pattern):
        yield value
    elif depth:
        for one in _inner(value, module):
            yield from _held(one, module, depth - 1)


def _inner(value: Any, module: ModuleType) -> list[Any]:
    if isinstance(value, list | tuple | set | frozenset):
        return list(value)
    if isinstance(value, dict):
        return [*value, *value.values()]
    if is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, field.name) for field in fields(value)]
    if getattr(value, "__module__", "") != module.__name__:
        return []
    if isinstance(value, type):
        return list(vars(value).values())
    if isinstance(value, FunctionType):
        return [*(value.__defaults__ or ()), *(c.cell_contents for c in value.__closure__ or ())]
    return []


def _written(module: ModuleType) -> Iterator[tuple[str, re.Pattern[str]]]:
    """The patterns in calls of ``re``; what is known only when one runs is read as a word."""
    for node in ast.walk(ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        owner = node.func.value
        if not (isinstance(owner, ast.Name) and owner.id == "re" and node.args):
            continue
        if node.func.attr not in ("compile", *_METHODS):
            continue
        given = [w.value for w in node.keywords if w.arg == "flags"]
        last = {"compile": 1, "sub": 4, "subn": 4, "split": 3}.get(node.func.attr, 2)
        flags = [*given, *node.args[last : last + 1]]
        text = _value(node.args[0], module)
        if isinstance(text, str):
            name = node.func.attr if node.func.attr in _ANCHORED else f"line {node.lineno}"
            yield name, re.compile(text, _flags(flags, module))


def _value(node: ast.expr, module: ModuleType) -> Any:
    """The value of an expression of module level; parts of a text that are not become "word"."""
    if isinstance(node, ast.JoinedStr):
        parts = [p.value if isinstance(p, ast.FormattedValue) else p for p in node.values]
        return "".join(str(_value(part, module)) for part in parts)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return str(_value(node.left, module)) + str(_value(node.right, module))
    try:
        return eval(compile(ast.Expression(node), "<pattern>", "eval"), vars(module).copy())
    except NameError:
        return "word"


def _flags(nodes: Sequence[ast.expr], module: ModuleType) -> int:
    found = 0
    for node in nodes:
        value = _value(node, module)
        found |= int(value) if isinstance(value, int) else 0
    return found


def _uses() -> dict[str, set[str]]:
    """Names of patterns and the methods that are called of them; other uses count as ``search``.

    A name that begins with "_" is that of one module, which stands before it.
    """
    found: dict[str, set[str]] = defaultdict(set)
    for module in modules():
        tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
        loops: dict[str, str] = {}
        called = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.For | ast.comprehension) and isinstance(node.iter, ast.Name):
                called.add(node.iter)
                if isinstance(node.target, ast.Name):
                    loops[node.target.id] = node.iter.id
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                called.add(node.value)
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                name = loops.get(node.value.id, node.value.id)
                found[_own(module, name)].add(node.attr)
            elif isinstance(node, ast.Name) and node not in called:
                found[_own(module, node.id)].update(["search"] * isinstance(node.ctx, ast.Load))
    return found


def _own(module: ModuleType, name: str) -> str:
    return f"{module.__name__}.{name}" if name.startswith("_") else name


# ---- strings made from a pattern


def pumped(pattern: re.Pattern[str]) -> Iterator[tuple[str, str, str]]:
    """What stands before, what is repeated, and what stands after: one or more for each repeat."""
    tree = _RE.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    tried = set()
    for before, body in _repeats(list(tree), ""):
        for unit in dict.fromkeys(_units(body)):
            for one in ((before, unit, "\x00"), ("", unit, "\x00"), ("", before + unit, "")):
                if one[1] and one not in tried:
                    tried.add(one)
                    yield one


def _repeats(items: Sequence[Any], before: str) -> Iterator[tuple[str, list[Any]]]:
    """The text before each repeat, and the items that are repeated; the outer ones first."""
    for op, value in items:
        if op in _REPEATS:
            _, most, body = value
            if most > 8:
                yield before, list(body)
            yield from _repeats(list(body), before)
        for branch in _inside(op, value):
            yield from _repeats(list(branch), before)
        before += _sample([(op, value)], 0)


_REPEATS = (_OPS.MAX_REPEAT, _OPS.MIN_REPEAT, _OPS.POSSESSIVE_REPEAT)


def _inside(op: Any, value: Any) -> list[Any]:
    if op is _OPS.SUBPATTERN:
        return [value[3]]
    if op is _OPS.ATOMIC_GROUP:
        return [value]
    if op is _OPS.BRANCH:
        return list(value[1])
    if op in (_OPS.ASSERT, _OPS.ASSERT_NOT):
        return [value[1]]
    return []


def _units(body: list[Any]) -> Iterator[str]:
    """Texts that the body of a repeat matches."""
    if len(body) == 1 and (several := _characters(*body[0])):
        yield from several
        return
    for salt in range(6):
        yield _sample(body, salt)


def _sample(items: Sequence[Any], salt: int) -> str:
    """A text that items match, most likely; even salts leave out what is optional."""
    return "".join(_one(op, value, salt) for op, value in items)


def _one(op: Any, value: Any, salt: int) -> str:
    if op in _REPEATS:
        least, most, body = value
        times: int = max(least, min(most, salt % 2))
        return _sample(list(body), salt) * times
    if op is _OPS.BRANCH:
        branches = value[1]
        return _sample(list(branches[salt // 2 % len(branches)]), salt)
    if op in (_OPS.SUBPATTERN, _OPS.ATOMIC_GROUP):
        return _sample(list(_inside(op, value)[0]), salt)
    several = _characters(op, value)
    return several[salt // 2 % len(several)] if several else ""


def _characters(op: Any, value: Any) -> list[str]:
    """Some characters that one item matches; none if it is not about a character."""
    if op is _OPS.LITERAL:
        return [chr(value)]
    if op is _OPS.NOT_LITERAL:
        return [c for c in _CHARACTERS if ord(c) != value][:6]
    if op is _OPS.ANY:
        return list("a .<")
    if op is not _OPS.IN:
        return []
    fitting = [c for c in _CHARACTERS if _fits(c, value)]
    fitting += [chr(v if o is _OPS.LITERAL else v[0]) for o, v in value if o in _SINGLE]
    return list(dict.fromkeys(c for c in fitting if _fits(c, value)))[:7]


_SINGLE = (_OPS.LITERAL, _OPS.RANGE)
_CLASSES: dict[Any, Callable[[str], bool]] = {
    _OPS.CATEGORY_DIGIT: str.isdigit,
    _OPS.CATEGORY_NOT_DIGIT: lambda c: not c.isdigit(),
    _OPS.CATEGORY_SPACE: str.isspace,
    _OPS.CATEGORY_NOT_SPACE: lambda c: not c.isspace(),
    _OPS.CATEGORY_WORD: lambda c: c.isalnum() or c == "_",
    _OPS.CATEGORY_NOT_WORD: lambda c: not (c.isalnum() or c == "_"),
}


def _fits(character: str, items: Sequence[Any]) -> bool:
    negated, found = False, False
    for op, value in items:
        if op is _OPS.NEGATE:
            negated = True
        elif op is _OPS.LITERAL:
            found |= ord(character) == value
        elif op is _OPS.RANGE:
            found |= value[0] <= ord(character) <= value[1]
        else:
            found |= _CLASSES[value](character)
    return found != negated


# ---- timing


def seconds(found: Found, text: str) -> float:
    """How long it takes to find all matches in a text. Raises TooSlow."""
    signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT)
    start = time.process_time()
    try:
        for method in found.methods:
            getattr(found.pattern, method)(text)
        if not found.methods:
            for _ in found.pattern.finditer(text):
                pass
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.process_time() - start


def _four_times(found: Found, text: str) -> float:
    return sum(seconds(found, text) for _ in range(4))


def steep(found: Found) -> str:
    """How a pattern's time grows too fast; "" if it does not. Only for the main thread."""
    signal.signal(signal.SIGVTALRM, _stop)
    for before, unit, after in islice(pumped(found.pattern), MOST_STRINGS):
        shown = f"{before[:30]!r} + n * {unit[:30]!r} + {after!r}"
        try:
            seconds(found, before + unit * SHORT + after)
        except TooSlow:
            return f"does not end: {shown}"
        times = LONG // len(unit) // 4
        try:
            if seconds(found, before + unit * times * 4 + after) < QUICK:
                continue
            few = min(_four_times(found, before + unit * times + after) for _ in range(3))
            many = min(seconds(found, before + unit * times * 4 + after) for _ in range(3))
        except TooSlow:
            return f"does not end with {LONG} characters: {shown}"
        if many > STEEP * few:
            return f"takes {4 * many / few:.0f} times as long for four times the text: {shown}"
    return ""


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise TooSlow


def main() -> None:
    """Print what grows too fast, then the number of patterns."""
    tried = patterns()
    for found in tried:
        if problem := steep(found):
            sys.stdout.write(f"{found.place}: {problem}\n    {found.pattern.pattern[:300]!r}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{len(tried)} patterns\n")


if __name__ == "__main__":
    main()
