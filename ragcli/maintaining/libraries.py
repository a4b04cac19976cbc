"""Compares the libraries in the package's metadata with the installed ones.

This module uses the standard library only, because it must work if libraries are missing.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Literal

PACKAGE = "ragcli"
# Extras for the development of ragcli, which users do not need.
_DEVELOPMENT = frozenset(("dev", "docs", "train"))

_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9._-]+)\s*(?:\[[^]]*\])?\s*\(?([^;)]*)\)?\s*(?:;(.*))?")
_EXTRA = re.compile(r"""extra\s*==\s*["']([^"']+)["']""")
_BOUND = re.compile(r"(>=|<=|==|!=|~=|>|<)\s*([0-9][^,\s]*)")
_COMPARE = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "==": operator.eq,
    "!=": operator.ne,
}


State = Literal["ok", "note", "bad"]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one check. ``hint`` is a command that fixes the problem, or ""."""

    name: str
    state: State
    finding: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A library with its bounds, such as ``>=1.1,<2``; ``extra`` is "" if it is always needed."""

    name: str
    bounds: str
    extra: str = ""


@dataclass(frozen=True, slots=True)
class Installed:
    """A requirement and the version that is installed, "" if none is."""

    wanted: Requirement
    version: str

    @property
    def sound(self) -> bool:
        """Whether a version within the bounds is installed."""
        return bool(self.version) and meets(self.version, self.wanted.bounds)


def installed() -> Iterator[Installed]:
    """Every library that a user of ragcli may need. Nothing if ragcli itself is not installed."""
    seen = set()
    for line in _required():
        wanted = parse(line)
        if wanted.extra in _DEVELOPMENT or wanted.name in seen:
            continue
        seen.add(wanted.name)
        yield Installed(wanted, _version(wanted.name))


def missing() -> list[str]:
    """The names of required libraries that are not installed."""
    return [x.wanted.name for x in installed() if not x.version and not x.wanted.extra]


def library_checks() -> Iterator[CheckResult]:
    """One check for each library."""
    found = [_library(library) for library in installed()]
    if not found:
        finding = "ragcli is not installed as a package, so nothing says which ones it needs"
        found = [CheckResult("libraries", "note", finding, "pip install ragcli")]
    yield from found


def _library(library: Installed) -> CheckResult:
    wanted = library.wanted
    if library.sound:
        return CheckResult(wanted.name, "ok", library.version)
    if wanted.extra:
        state: State = "bad" if library.version else "note"
        hint = f'pip install "{PACKAGE}[{wanted.extra}]"'
    else:
        state, hint = "bad", f'pip install "{wanted.name}{wanted.bounds}"'
    if library.version:
        finding = f"version {library.version} is installed, {wanted.bounds} is needed"
    else:
        finding = "not installed"
    return CheckResult(wanted.name, state, finding, hint)


def parse(line: str) -> Requirement:
    """Parse a line of the metadata (PEP 508); of its markers, only ``extra`` is used.

    >>> parse('llama-cpp-python>=0.3.24; extra == "llm"')
    Requirement(name='llama-cpp-python', bounds='>=0.3.24', extra='llm')
    """
    match = _REQUIREMENT.match(line)
    if match is None:
        raise ValueError(f"{line!r} is not a requirement")
    name, bounds, marker = match.groups()
    extra = _EXTRA.search(marker or "")
    return Requirement(name, bounds.strip(), extra.group(1) if extra else "")


def meets(found: str, bounds: str) -> bool:
    """Whether a version is within bounds; suffixes as in ``2.6.0+cpu`` are ignored.

    >>> meets("2.13.0+cpu", ">=2.6"), meets("1.9", ">=1.10"), meets("1.10", ">=1.9,<1.10")
    (True, False, False)
    >>> meets("1.4.2", "~=1.4.1"), meets("1.5.0", "~=1.4.1"), meets("1.4.0", "==1.4")
    (True, False, True)
    """
    return all(_within(found, sign, bound) for sign, bound in _BOUND.findall(bounds))


def _within(found: str, sign: str, bound: str) -> bool:
    if sign == "~=":
        series = ".".join(bound.split(".")[:-1])
        return _within(found, ">=", bound) and _within(found, "==", f"{series}.*")
    if bound.endswith(".*"):
        numbers = _numbers(bound)
        same = _numbers(found)[: len(numbers)] == numbers
        return same if sign == "==" else not same
    a, b = _numbers(found), _numbers(bound)
    length = max(len(a), len(b))
    a, b = (n + (0,) * (length - len(n)) for n in (a, b))
    return bool(_COMPARE[sign](a, b))


def _numbers(text: str) -> tuple[int, ...]:
    match = re.match(r"\d+(?:\.\d+)*", text)
    return tuple(map(int, match.group().split("."))) if match else ()


def _required() -> list[str]:
    try:
        return requires(PACKAGE) or []
    except PackageNotFoundError:
        return []


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
